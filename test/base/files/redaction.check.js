/** Generated names × ways of writing × places: no secret survives, and harmless names and values stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { escapeUnicode } from '../../../lib/base/files/secret-forms.js';
import { createRandom } from '../../../lib/base/math/random.js';

const CASES = 20_000;
const NAMES =
  `password passwd pwd pw passphrase passwort kennwort contraseña mot_de_passe mdp senha wachtwoord db_pass token
  access_token refresh_token id_token_hint csrf_token csrfmiddlewaretoken token_value api_token bearer jwt secret
  client_secret secret_value api_key x_api_key access_key secret_key private_key subscription_key code_verifier
  client_assertion credential otp totp pin pin_code cvv cvc2 puk passcode sms_code verification_code mfa_code
  authorization_code session_cookie password1 new_password1 password_confirmation old_password current_password
  password_repeat password_again user_password`.split(/\s+/);
/** Secret only with a value that looks random. */
const DOUBTFUL = 'code key state session session_id sid sig signature nonce ticket csrf auth'.split(
  ' ',
);

const random = createRandom(20_261);
/** @template T @param {readonly T[]} list @returns {T} */
const pick = list => /** @type {T} */ (list[Math.floor(random() * list.length)]);
/** @param {string} alphabet @param {number} length */
const draw = (alphabet, length) => Array.from({ length }, () => pick([...alphabet])).join('');

/** @param {string[]} words @param {(word: string, at: number) => string} change @param {string} join */
const joinBy = (words, change, join) => words.map(change).join(join);
const upper = (/** @type {string} */ word) => word.slice(0, 1).toUpperCase() + word.slice(1);
/** @type {((words: string[]) => string)[]} */
const STYLES = [
  words => words.join('_'),
  words => words.join('-'),
  words => joinBy(words, (word, at) => (at === 0 ? word : upper(word)), ''),
  words => joinBy(words, upper, ''),
  words => joinBy(words, upper, '-'),
  words => joinBy(words, word => word.toUpperCase(), '_'),
  words => `user[${words.join('_')}]`,
  words => `user[0][${words.join('_')}]`,
  words => `account.${words.join('_')}`,
  words => `x_${words.join('_')}`,
];
const LETTERS = 'abcdefghkmnprstuvwxyz';
const ALPHABETS = [`${LETTERS}23456789`, '0123456789abcdef', `${LETTERS}QRSTUVWXYZ0123456789._~-`];
/** Needs to be escaped or encoded nearly everywhere. */
const ODD = `${LETTERS}QRS0123456789!#$%&'()*+,/:;=?@[]ü"\\<>^ `;
const percent = encodeURIComponent;
const form = (/** @type {string} */ text) => new URLSearchParams({ a: text }).toString().slice(2);
const page = (/** @type {string} */ text) =>
  text.replace(/[&<>"]/g, sign => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign]};`);
const json = JSON.stringify;
const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');

/** Places of any value. @type {Record<string, (name: string, value: string) => string>} */
const PLACES = {
  form: (name, value) => `a=1&${form(name)}=${form(value)}&b=2`,
  'form alone': (name, value) => `${form(name)}=${form(value)}`,
  'form, percent signs': (name, value) => `a=1&${percent(name)}=${percent(value)}`,
  query: (name, value) => `GET /a/b?x=1&${name}=${percent(value)} HTTP/1.1`,
  address: (name, value) => `see https://host:8443/a?${percent(name)}=${form(value)}#top now`,
  json: (name, value) => json({ a: 1, [name]: value, b: 'x' }),
  'json, indented': (name, value) => json({ a: { [name]: value } }, null, 2),
  'json, nested': (name, value) => json({ a: [{ user: { [name]: value } }] }),
  'json, ascii': (name, value) => escapeUnicode(json({ [name]: value })),
  'json in json': (name, value) => json({ body: json({ [name]: value }) }),
  'json in json in json': (name, value) => json({ log: json({ body: json({ [name]: value }) }) }),
  'json in a query': (name, value) => `/a?filter=${percent(json({ [name]: value }))}&page=2`,
  'json in a form': (name, value) => `filter=${form(json({ a: { [name]: value } }))}`,
  'json in a query, twice': (name, value) => `/a?f=${percent(percent(json({ [name]: value })))}`,
  'json in base64': (name, value) => `data=${base64(json({ [name]: value }))}`,
  'address in a query': (name, value) =>
    `/login?next=${percent(`https://host/a?x=1&${name}=${percent(value)}`)}`,
  'address in an address in a query': (name, value) =>
    `/a?u=${percent(`/b?v=${percent(`/c?${percent(name)}=${percent(value)}`)}`)}`,
  'address in json': (name, value) => json({ url: `/a?x=1&${percent(name)}=${percent(value)}` }),
  'json in a page': (name, value) => `<pre>${page(json({ [name]: value }))}</pre>`,
  'name and value': (name, value) =>
    json([
      { name, value },
      { name: 'page', value: '2' },
    ]),
  'part of a form': (name, value) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--`,
};
/** For places that take no other letters. @param {string} name */
const plainName = name => name.replaceAll('ñ', 'n').replaceAll('Ñ', 'N').replace(/\W+/g, '-');
/** Places of values without spaces and quotes. @type {typeof PLACES} */
const PLAIN_PLACES = {
  header: (name, value) => `Accept: */*\r\n${name}: ${value}\r\nHost: a`,
  python: (name, value) => `{'a': 1, '${name}': '${value}'}`,
  yaml: (name, value) => `a: 1\n${name}: "${value}"\n`,
  shell: (name, value) => `export ${name}='${value}'`,
  log: (name, value) => `2026-01-01 10:00:00 INFO login ${name}=${value} status=200`,
  option: (name, value) => `tool --${plainName(name)} ${value} --verbose`,
  xml: (name, value) => `<a><${plainName(name)}>${value}</a>`,
  'query as it is': (name, value) => `/a?${name}=${value}&page=2`,
};

/** @param {string} text @param {string} value */
const survives = (text, value) =>
  [
    value,
    percent(value),
    percent(percent(value)),
    form(value),
    json(value).slice(1, -1),
    page(value),
  ].some(one => text.includes(one));

test(`no secret of ${CASES} generated ones survives`, () => {
  const { redactText, redactValue } = createRedactor();
  const places = [...Object.entries(PLACES), ...Object.entries(PLAIN_PLACES)];
  /** @type {string[]} */
  const left = [];
  for (let n = 0; n < CASES; n++) {
    const isDoubtful = n % 10 === 0;
    const name = pick(STYLES)(pick(isDoubtful ? DOUBTFUL : NAMES).split('_'));
    const [place, write] = pick(places);
    const alphabet = isDoubtful || place in PLAIN_PLACES || n % 2 ? pick(ALPHABETS) : ODD;
    const value = `q7${draw(alphabet, 8 + (n % 20))}z`;
    const text = write(name, value);
    for (const clean of [
      redactText(text),
      json(redactValue({ text })),
      json(redactValue({ a: [{ [name]: value }] })),
    ])
      if (survives(clean, value) || survives(clean, value.slice(-8)))
        left.push(`${place}: ${name} = ${value}: ${text} → ${clean}`);
  }
  assert.equal(
    left.length,
    0,
    `${left.length} of ${CASES} survive:\n${left.slice(0, 10).join('\n')}`,
  );
});

/** Lines of harmless text, parted by ` · `. */
const HARMLESS =
  `tokens_used: 5 · token_count=17 · max_tokens: 100 · {"max_tokens": 4096, "tokens": 17} · tokenizer=fast
/password_reset/done?step=2 · password_reset_url=/accounts/reset · pinned=true · author=anna · keyboard=de · primary_key=id
passenger=2 · status_code=200 · code=404 · next_page_token=2 · status=ok · key=items · state=CA · session=morning
compass=north · bypass=false · opinion=good · spin=up · tokenize=true · token_type=Bearer · token_expires_in=3600
password_changed_at=2026-01-01T10:00:00Z · "passwordless": true · secretary=none · TokenError: bad request · tests pass=17
AssertionError: 1 != 2 · File "/app/secrets.py", line 3 · secrets.py:12 · tokens per second: 35.5 · 12 tokens: 3 read
GET /api/v1/tokens/17 200 · GET /pin/board?page=2 · signal=SIGTERM · design=flat · coding=utf-8 · encode: utf8 · css
http://auth.example.com:8443/a · http://token-service:8080/items · redis://cache:6379/0 · 127.0.0.1:5000 · a:b@c
2026-11-21 04:15:17,120 INFO keys: 12 · cookies=3 · "cookies": 2 · for key in keys: pass · lambda key: key.id
def check(password: str, pin: int = 3): · password = None · password: Optional[str] · token={{ token }} · $PASSWORD
x=1&sort=-name&page=3 · a%20b%2Fc?q=caf%C3%A9 · 100% of 12 · %s:%s · /a?q=%7B%22page%22%3A2%7D · <code>x</code> · a > b
if tokens > 5: · {"name": "page", "value": "2"} · <input name="page" value="2"> · accept: */* · etag: "abc-123"
content-type: application/json · user-agent: Mozilla/5.0 (X11; Linux x86_64) · x-request-id: 4f7c · --page 2 · --max-tokens 5
SELECT id FROM tokens WHERE page = 3 · state: running · Basic realm="all" · Bearer token is missing · the key is id`
    .split(/ · |\n/)
    .filter(text => text !== '');

test('harmless names and values stay', () => {
  const { redactText, redactValue } = createRedactor();
  assert.ok(HARMLESS.length > 60);
  for (const text of HARMLESS) {
    const isCoded = /Basic|Bearer|\{\{/.test(text);
    for (const way of isCoded ? [text] : [text, json({ text }), percent(text), `see ${text} now`])
      assert.equal(redactText(way), way);
  }
  const value = {
    tokens: 5,
    max_tokens: 4096,
    token_count: 3,
    pass: true,
    status_code: 404,
    key: 'items',
    credentials: true,
  };
  assert.deepEqual(redactValue(value), value);
});
