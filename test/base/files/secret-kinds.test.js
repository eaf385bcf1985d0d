/** Each kind of secret, in each way of writing, through the functions that redact: the small form of the property test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectSecrets, createRedactor, REDACTED } from '../../../lib/base/files/redaction.js';
import { findPlanted, plantSecrets, WAYS } from '../../helpers/planted-secrets.js';
import { test as testWhenQuiet } from '../../helpers/quiet.js';

/** What is left of a text for those who read it. @param {string} text */
const seen = text => createRedactor().redactText(text);

test('a known secret of every kind goes in every way of writing, also inside of base64', () => {
  const planted = plantSecrets();
  const { redactText } = createRedactor(Object.values(planted));
  for (const [kind, value] of Object.entries(planted)) {
    for (const [way, write] of Object.entries(WAYS)) {
      const clean = redactText(`before ${write(value)} after`);
      assert.deepEqual(findPlanted(clean, planted), [], `${kind}, ${way}`);
      assert.match(clean, /^before .*after$/, `${kind}, ${way}`);
    }
    for (const user of ['a', 'ab', 'abc']) {
      const coded = Buffer.from(`${user}:${value}`).toString('base64');
      const middle = Buffer.from(value).toString('base64').slice(6, 16);
      assert.ok(!redactText(`x ${coded}`).includes(middle), kind);
      assert.ok(redactText(`x ${coded}`).length < coded.length, kind);
    }
    assert.equal(
      redactText(`<${Buffer.from(value).toString('hex').toUpperCase()}>`),
      `<${REDACTED}>`,
    );
  }
});

testWhenQuiet(
  'a thousand secrets that a run teaches cost no more than one, and the first ones stay',
  () => {
    const redactor = createRedactor(['first-of-all-77']);
    const text = 'GET /api/v1/items/17?page=3 200 12 ms '.repeat(200);
    const time = () => {
      const before = process.cpuUsage();
      for (let n = 0; n < 30; n++) redactor.redactText(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    time();
    const alone = Math.min(time(), time(), time());
    for (let n = 0; n < 9000; n++) redactor.add(`learned-token-${n}-x`);
    const many = Math.min(time(), time(), time());
    assert.ok(many < 3 * alone, `${many} ms of CPU instead of ${alone} ms`);
    const clean = redactor.redactText('first-of-all-77 learned-token-8999-x learned-token-1-x');
    assert.equal(clean, `${REDACTED} ${REDACTED} learned-token-1-x`);
  },
);

test('redacts keys of services by their form, and what Python APIs write about a field', () => {
  const value = 'Zt7Kq93mPx';
  const random = 'a8Fk3LmQ9xZ7b2Cd4Ef6Gh8Jk0Lm2Np4Qr6S';
  const secret = [
    `xoxb-${random}`,
    `ghp_${random}`,
    `github_pat_${random}`,
    `sk_live_${random}`,
    `sk-proj-${random}`,
    'AKIAIOSFODNN7EXAMPLE',
    'hooks.slack.com/services/T0000/B0000/Zt7Kq93mPx',
    '-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQ-IBA\\n-----END RSA PRIVATE KEY-----',
    `{"detail":[{"loc":["body","password"],"msg":"at most {5}","input":"${value}"}]}`,
    `FormData([('user', 'ann'), ('password', '${value}')])`,
    `Login(password=SecretStr('${value}'), pin=b'${value}')`,
    `password = """${value}"""`,
    `<password><![CDATA[${value}]]></password>`,
    `password: |\n  ${value}\n`,
    `[{"key": "password", "value": "${value}"}]`,
    `<meta name="csrf-token" content="${value}">`,
    `DETAIL:  Key (api_token)=(${value}) already exists.`,
    `/reset-password/${value}`,
    `{"PassWord": "${value}", "backup_codes": "${value}", "security_answer": "${value}"}`,
  ];
  const { redactText, redactValue } = createRedactor();
  const parts = [value, random, 'IOSFODNN7', 'MIIEvQ', 'IBA'];
  const holds = (/** @type {string} */ text) => parts.some(part => text.includes(part));
  assert.deepEqual(secret.map(redactText).filter(holds), []);
  const error = { loc: ['body', 'password'], input: value };
  assert.equal(redactValue(error).input, REDACTED);
  assert.deepEqual(collectSecrets([error, { key: 'pin', value }]), [value, value]);
  const harmless = [
    'npm_config_user_agent_of_2026',
    'sk-loading-indicator-wrapper-element-large',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '{"loc":["query","page"],"msg":"no","input":"abc"}',
    "[('id', '17'), ('name', 'Ann')]",
    "getattr(user, 'password', None)",
    'DETAIL:  Key (email)=(ann) already exists.',
    '/reset-password/sent',
  ];
  assert.deepEqual(harmless.map(redactText), harmless);
});

test('redacts undeclared secrets by name or place: in text, JSON, addresses, headers, commands', () => {
  const value = 'Zt7Kq93mPx';
  const lines = `
token=@ · secret=@ · ?token=@&sig=@&x=1 · /callback?code=@&state=@ · session=@; x · sessionid=@
Authorization: Token @ · authorization: @ · {'Authorization': 'ApiKey @'} · "authorization":"Digest @"
Cookie: a=@; b=@ · Set-Cookie: sid=@; Path=/; HttpOnly · "cookie":"theme=@; other=@"
X-Api-Key: @ · api-key: @ · x-functions-key: @ · Ocp-Apim-Subscription-Key: @ · X-Auth-Token: @
postgresql://u:@@db:5432/x · redis://:@@cache · amqp://u:p@@q@mq/ · https://@@git.example/x · http://u:@@h/?a=b@c
{"accessToken": "@", "refresh-token": "@", "client_secret":"@", "dbPassword": "@"} · userPassword: '@'
"{\\"access_token\\": \\"@\\"}" · {&quot;clientSecret&quot;: &quot;@&quot;} · %22id_token%22%3A%22@%22 · password%3D@
&lt;input name="csrf" value="x"&gt; csrf_token=@ · pwd=@ · pass=@ · AWS_SECRET_ACCESS_KEY=@ · privateKey=@
curl -u user:@ http://h · oc logs --token @ · login --password=@ · env API_KEY=@ oc logs · headers[x-api-key]=@
SharedAccessSignature sr=x&sig=@&se=1 · AccountKey=@;EndpointSuffix=x · Bearer @ · Basic @ · access_token => '@'`
    .split(/\n| · /)
    .filter(line => line !== '');
  for (const line of lines) {
    const text = line.replace(/@@/g, `${value}@`).replace(/(?<!\S*:\/\/\S*|Zt7Kq93mPx)@/g, value);
    assert.ok(text.includes(value), text);
    assert.ok(!seen(text).includes(value), `${text} → ${seen(text)}`);
    assert.ok(!seen(JSON.stringify({ text })).includes(value), `${text} in JSON`);
  }
});

test('fields go by their names, however the words of a name are joined', () => {
  const value = 'Zt7Kq93mPx';
  const { redactValue } = createRedactor();
  for (const name of 'x-functions-key x-api-key api-key apiKey APIKEY accessToken refresh_token clientSecret userPassword Cookie sessionId csrfToken sig code jwt privateKey OIDC_CLIENT_SECRET PGPASSWORD'.split(
    ' ',
  )) {
    assert.equal(redactValue({ [name]: value })[name], REDACTED, name);
  }
  const script = {
    auth: { user: 'clerk', pass: 'demo' },
    settings: [{ name: 'API_TOKEN', value: 'demo' }],
  };
  assert.deepEqual(redactValue(script), {
    auth: { user: 'clerk', pass: REDACTED },
    settings: [{ name: 'API_TOKEN', value: REDACTED }],
  });
});

test('what a script says is a secret from then on: names, addresses, cookies; templates are none', () => {
  const script = {
    config: {
      target: 'http://loader:Tg7-pass@127.0.0.1/?sig=Sg8-val123&page=2',
      http: {
        defaults: { headers: { 'x-functions-key': 'Fk9-key==' }, cookie: { lang: 'Ck0-cookie' } },
      },
      variables: { apiToken: ['Vt1-a', 'Vt1-b'], room: 'Room-1-north' },
    },
    scenarios: [
      {
        flow: [
          {
            post: {
              url: '/',
              auth: { user: 'u', pass: 'Ap2-pass' },
              json: { password: '{{ x }}' },
              headers: { authorization: 'Token Az3-tok' },
            },
          },
        ],
      },
    ],
  };
  assert.deepEqual(collectSecrets(script).sort(), [
    'Ap2-pass',
    'Az3-tok',
    'Ck0-cookie',
    'Fk9-key==',
    'Sg8-val123',
    'Tg7-pass',
    'Token Az3-tok',
    'Vt1-a',
    'Vt1-b',
  ]);
});

test('ordinary words, ids and numbers stay, and so do passwords that could be such', () => {
  const { redactText, redactValue } = createRedactor([
    'demo',
    '1',
    'production',
    'abc',
    '123456',
    'admin',
  ]);
  for (const text of [
    'the demo of admin in production, 123456 abc 1',
    'GET /api/v1/tokens/?key=1&code=404&state=CA 200',
    'status_code=500 error_code=E1001 session=3 auth=none pass=17 fail=2 sig=SIGTERM key=name',
    'token_type=Bearer max_tokens=4096 tokens_total=3 password_reset=false',
    'Basic authentication is required; Bearer authentication failed; Token expired.',
    'KeyError: key: session_id, code: invalid_request, state: running',
    'http://host:5000/users/clerk@example.com?x=a@b and mail to clerk@example.com',
    '2026-11-21 04:15:17 +0000] [4312] [INFO] Booting worker with pid: 4312',
    'traceparent 00-a9f3c1d2e4b5a6978812345678901234-00f067aa0ba902b7-01',
    'request_id=9f1c2b7e-8a61-4a53-b8f4-0d6a5b1c2d3e duration=12.5ms path=/items/42',
    '{"code": "validation_error", "state": "open", "sessions": 12, "tokens": 4096, "key": "items"}',
    'def check(password: str, token: Optional[str] = None) -> bool:',
    'for key in cookies: session.get(key)',
  ]) {
    assert.equal(redactText(text), text);
  }
  assert.equal(
    redactText('?key=demo "x": "demo" k=demos'),
    `?key=${REDACTED} "x": "${REDACTED}" k=demos`,
  );
  const value = {
    code: 'ECONNREFUSED',
    status: 404,
    state: 'open',
    key: 'items',
    session: 'morning',
    tokens: 4096,
    tokenCount: 3,
    pass: true,
    cookieName: 'sid',
  };
  assert.deepEqual(redactValue(value), value);
});
