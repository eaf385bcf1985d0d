import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { sendJson, startFakeProvider } from './helpers.js';

/** What Keycloak 26 answers: status, error, description, then what we make of it. */
const TRUTH = /** @type {[number, string, string, string, RegExp][]} */ ([
  [401, 'invalid_grant', 'Invalid user credentials', 'OIDC_LOGIN_REFUSED', /OIDC_PASSWORD/],
  [400, 'invalid_grant', 'Account disabled', 'OIDC_LOGIN_REFUSED', /enable the account/],
  [400, 'invalid_grant', 'Account is not fully set up', 'OIDC_LOGIN_REFUSED', /in a browser/],
  [
    401,
    'invalid_client',
    'Invalid client or Invalid client credentials',
    'OIDC_CLIENT_REFUSED',
    /OIDC_CLIENT_ID/,
  ],
  [
    401,
    'unauthorized_client',
    'Invalid client or Invalid client credentials',
    'OIDC_CLIENT_REFUSED',
    /OIDC_CLIENT_SECRET/,
  ],
  [
    400,
    'unauthorized_client',
    'Client not allowed for direct access grants',
    'OIDC_CLIENT_REFUSED',
    /"Direct access grants"/,
  ],
  [
    401,
    'unauthorized_client',
    'Client not enabled to retrieve service account',
    'OIDC_CLIENT_REFUSED',
    /"Service accounts roles"/,
  ],
  [400, 'unsupported_grant_type', 'Unsupported grant_type', 'OIDC_FLOW_UNSUPPORTED', /OIDC_FLOW/],
  [400, 'invalid_scope', 'Invalid scopes: fly', 'OIDC_TOKEN_FAILED', /OIDC_SCOPE/],
]);

for (const [status, error, description, code, hint] of TRUTH) {
  test(`${error}: "${description}" is ${code}, and is requested once`, async () => {
    const fake = await startFakeProvider((_, response) =>
      sendJson(response, status, { error, error_description: description }),
    );
    const source = new TokenSource(fake.authConfig());
    try {
      await assert.rejects(source.start(), {
        code,
        hint,
        exitCode: 4,
        message: new RegExp(description),
      });
      assert.equal(fake.requests.filter(({ path }) => path === '/token').length, 1);
    } finally {
      await source.stop();
      await fake.stop();
    }
  });
}

test('reports an unexpected response of a token endpoint with its status', async () => {
  const fake = await startFakeProvider((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  });
  const source = new TokenSource(fake.authConfig());
  try {
    await assert.rejects(source.start(), { code: 'OIDC_TOKEN_FAILED', message: /status 502/ });
  } finally {
    await source.stop();
    await fake.stop();
  }
});

test('shows a description as one line of text, cut, with a sign for what controls a terminal', async () => {
  const error_description = `\u001b[2J\n${'long '.repeat(100)}`;
  const fake = await startFakeProvider((_, response) =>
    sendJson(response, 400, { error: 'invalid_grant', error_description }),
  );
  const source = new TokenSource(fake.authConfig());
  try {
    await assert.rejects(source.start(), error => {
      const { message } = /** @type {Error} */ (error);
      const [, said = ''] = /(invalid_grant: .*)$/.exec(message) ?? [];
      assert.match(said, /^invalid_grant: \ufffd\[2J long .*…$/);
      assert.equal(said.length, 300);
      return true;
    });
  } finally {
    await source.stop();
    await fake.stop();
  }
});
