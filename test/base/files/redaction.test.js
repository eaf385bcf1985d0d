import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor, REDACTED } from '../../../lib/base/files/redaction.js';

// Built from parts, so that no file of this repository holds something that looks like a token.
const JWT = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'c2lnbmF0dXJl'].join('.');

for (const [text, clean] of /** @type {[string, string][]} */ ([
  ['{"passwords": ["alpha1", "beta22"], "id": 3}', '{"passwords": [redacted], "id": 3}'],
  ["passwords = ['alpha1', 'beta22']", 'passwords = [redacted]'],
  ['{"token": {"value": "xyz12", "n": 1}}', '{"token": [redacted]}'],
  [String.raw`{\"token\": {\"value\": \"x1y2\"}}`, String.raw`{\"token\": [redacted]}`],
  ['{"credentials": {"a": {"b": "x1"}}}', '{"credentials": [redacted]}'],
  ["CREATE USER ann IDENTIFIED BY 'hunter2'", 'CREATE USER ann IDENTIFIED BY [redacted]'],
  ['identified with sha256 by "h;2" account', 'identified with sha256 by [redacted] account'],
  ["CREATE ROLE ann LOGIN PASSWORD 'hunter2'", 'CREATE ROLE ann LOGIN PASSWORD [redacted]'],
  ['sqlplus scott/tiger@db:1521/orcl', 'sqlplus scott/[redacted]@db:1521/orcl'],
  ['jdbc:oracle:thin:scott/tiger@//db/x', 'jdbc:oracle:thin:scott/[redacted]@//db/x'],
  ['connect("scott/tiger@db/x")', 'connect("scott/[redacted]@db/x")'],
  ['CREATE USER ann IDENTIFIED BY hunter2;', 'CREATE USER ann IDENTIFIED BY [redacted];'],
  [
    'ALTER USER ann IDENTIFIED BY "n 1" REPLACE "o 2", x',
    'ALTER USER ann IDENTIFIED BY [redacted] REPLACE [redacted], x',
  ],
  [
    "alter user ann identified by values 'S:1F' account",
    'alter user ann identified by values [redacted] account',
  ],
  ['secret_keys: [hunter2, b7]', 'secret_keys: [redacted]'],
  ['secret_keys:\n  - hunter2\n  - b7\nport: 1', 'secret_keys:\n  [redacted]\nport: 1'],
  [`<user name="ann" password="hunter2"/>`, `<user name="ann" password="[redacted]"/>`],
  ...[
    '{"password": ["{{ x }}"]}',
    '{"token": {}, "secrets": [], "tokens": {"prompt": 12}}',
    '{"code": {"a": "b1c2d3e4"}, "state": ["b1c2d3e4"]}',
    'uses: actions/checkout@v4, npm i left/pad@1.2.3, docs/readme@home',
    'identified by the number of the order'.replace('by the', 'in the'),
    '{"loc": ["body", "token"], "msg": "x"}',
    'WHERE (adminkey = ? OR secret=$2) AND password = %s AND token IN (?)',
  ].map(one => [one, one]),
]))
  test(`lists, objects and databases: ${text}`, () => {
    const { redactText } = createRedactor();
    assert.equal(redactText(text), clean);
    assert.equal(redactText(clean), clean);
  });

test('each text below the name of a secret is one, and a count is none', () => {
  const { redactValue } = createRedactor();
  assert.deepEqual(
    redactValue({ token: { value: 'x', n: 1 }, secrets: [{ a: 'b' }], tokens: { count: 3 } }),
    { token: { value: '[redacted]', n: 1 }, secrets: [{ a: '[redacted]' }], tokens: { count: 3 } },
  );
});

test('known secrets go, also URL-encoded and inside JSON', () => {
  const { redactText } = createRedactor(['p@ss "word"']);
  const text = `x p@ss "word" y ${encodeURIComponent('p@ss "word"')} z ${JSON.stringify({ a: 'p@ss "word"' })}`;
  assert.ok(!redactText(text).includes('p@ss'));
  assert.ok(!redactText(text).includes('p%40ss'));
});

test('a secret goes as JSON, Python, a form and a page write it', () => {
  const { redactText } = createRedactor([`p@ss "wörd" <it's> &co`]);
  for (const text of [
    String.raw`"p@ss \"wörd\" <it's> &co"`,
    String.raw`"p@ss \"w\u00f6rd\" <it's> &co"`,
    String.raw`"{\"a\": \"p@ss \\\"wörd\\\" <it's> &co\"}"`,
    'p%40ss+%22w%C3%B6rd%22+%3Cit%27s%3E+%26co',
    'http://host/?a=p@ss%20%22w%C3%B6rd%22%20%3Cit%27s%3E%20&co',
    'p@ss &#34;wörd&#34; &lt;it&#39;s&gt; &amp;co',
    'p@ss &quot;wörd&quot; &lt;it&#x27;s&gt; &amp;co',
    "p@ss &quot;wörd&quot; &lt;it's&gt; &amp;co",
  ]) {
    assert.ok(!/ss|rd|co/.test(redactText(text)), redactText(text));
  }
});

test('a secret that is the start of another leaves nothing of that', () => {
  const redactor = createRedactor(['open-sesame', 'open-sesame-street']);
  redactor.add('open');
  assert.equal(redactor.redactText('say open-sesame-street.'), `say ${REDACTED}.`);
});

test('the place in a name, the name of a language and the way of writing do not matter', () => {
  const { redactText, redactValue } = createRedactor();
  const names =
    'user[password] user%5Bpin%5D password_confirmation password1 new_password1 tokenValue bearer id_token_hint pw passwort contraseña mot_de_passe otp cvv'.split(
      ' ',
    );
  for (const name of names) {
    const value = 'q7-hunter&2';
    for (const text of [
      `a=1&${name}=${encodeURIComponent(value)}&b=2`,
      JSON.stringify({ [name]: value, b: 2 }),
      `/a?filter=${encodeURIComponent(JSON.stringify({ [name]: value }))}&b=2`,
      `/login?next=${encodeURIComponent(`/a?${name}=${encodeURIComponent(value)}`)}&b=2`,
      JSON.stringify([{ name, value }]),
      `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--b=2`,
      `data=${Buffer.from(JSON.stringify({ [name]: value })).toString('base64')} b=2`,
    ]) {
      const clean = redactText(text);
      assert.ok(clean.includes(REDACTED) && !/hunter|aHVudGVy/.test(clean), `${text} → ${clean}`);
      assert.equal(text.slice(-3), clean.slice(-3));
    }
    assert.deepEqual(redactValue({ a: [{ [name]: value }] }), { a: [{ [name]: REDACTED }] });
  }
});

test('a token goes from a path after words such as reset, and names of files stay', () => {
  const { redactText } = createRedactor();
  assert.equal(
    redactText('GET http://a/reset/x7Kq9mPa?x=1 /invite/abcdefghijklmnopqrstuvw/accept'),
    `GET http://a/reset/${REDACTED}?x=1 /invite/${REDACTED}/accept`,
  );
  for (const text of ['/password/reset', '/tokens/17', 'File "/app/tokens/parser_v2.py", line 3'])
    assert.equal(redactText(text), text);
});

/** Each can make a pattern search a text again and again. */
const SUSPICIOUS = [
  ...'a- pass password= password=" key= key=${ state: %25 %2525 pw%3D %22key%22%3A user[ \\ authorization: cookie: set-cookie:a;'.split(
    ' ',
  ),
  ...':// ://@ %3A%2F%2F -- --password= name="a" name=" value= eyJa. /reset/ /reset/a1 ZXlK 65794a <a <password> key&quot;:&quot; \\u00f1 => >'.split(
    ' ',
  ),
  ...[
    'Bearer a ',
    'authorization: Bearer ',
    'cookie: a=b; ',
    '-u ',
    'a, b="',
    'name="a"\r\n',
    'key = ',
    ' ',
    '\n',
  ],
];

test('redacts a megabyte of any text within a second of CPU time', () => {
  const { redactText } = createRedactor(['open-sesame-77']);
  for (const form of SUSPICIOUS) {
    const before = process.cpuUsage();
    redactText(form.repeat(1e6 / form.length));
    const { user } = process.cpuUsage(before);
    assert.ok(user < 1e6, `${form}: ${user} µs`);
  }
});

test('a secret that is learned later goes as well', () => {
  const redactor = createRedactor();
  redactor.add('opaque-token-123');
  assert.equal(redactor.redactText('got opaque-token-123.'), `got ${REDACTED}.`);
});

test('tokens, bearer headers and password fields go without being known', () => {
  const { redactText } = createRedactor();
  for (const text of [
    `jwt ${JWT} end`,
    `cut off ${JWT.slice(0, 30)}`,
    `Authorization: Bearer abcdef123456`,
    'grant_type=password&password=hunter2&x=1',
    '{"access_token": "abc.def", "x": 1}',
    'Cookie: oidc-jwt=abcdefg; a=b',
  ]) {
    const clean = redactText(text);
    assert.ok(clean.includes(REDACTED), text);
    assert.ok(!/hunter2|abcdef|abc\.def|eyJ/.test(clean), clean);
  }
});

test('fields with the names of secrets go whatever they hold', () => {
  const { redactValue } = createRedactor();
  const value = redactValue({
    headers: { 'Set-Cookie': ['a=b'], authorization: 'x', Accept: 'text/html' },
    password: 42,
  });
  assert.deepEqual(value, {
    headers: { 'Set-Cookie': REDACTED, authorization: REDACTED, Accept: 'text/html' },
    password: REDACTED,
  });
});

test('leaves ordinary text unchanged', () => {
  const { redactText } = createRedactor(['abc']);
  const text = 'GET /api/v1/tokens/?key=1 abc password reset page';
  assert.equal(redactText(text), text);
});

test('the status behind a word for a secret stays', () => {
  const { redactText } = createRedactor();
  for (const text of ['the API refused the token (status 401)', 'refused token: (status 401)'])
    assert.equal(redactText(text), text);
});

test('what a challenge says stays, for it is what a reader needs', () => {
  const { redactText } = createRedactor();
  for (const text of [
    'Bearer realm="api", error="invalid_token", error_description="The audience is wrong"',
    'Bearer error="invalid_token"',
    'Basic realm="all"',
  ])
    assert.equal(redactText(text), text);
  assert.equal(redactText('Basic dXNlcjpwYXNzd29yZA=="'), `Basic ${REDACTED}"`);
});
