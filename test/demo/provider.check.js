import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProvider } from '../../demo/start-provider.js';
import { test } from '../helpers/quiet.js';
import { postForm, requestToken } from './helpers.js';
import { logInByForm, REDIRECT_URI } from './login-flow.js';

const USER = { username: 'ada', password: 'right-password' };
const PASSWORD_FORM = { grant_type: 'password', scope: 'openid', ...USER };
const CLIENT = { id: 'queue-management', secret: 'client-secret' };
const API = { id: 'queue-management-api', secret: 'api-secret' };
const PUBLIC_CLIENT = 'queue-management-public';

/** @type {string} */
let dir;
/** @type {Awaited<ReturnType<typeof startProvider>>} */
let provider;

/** @param {Partial<Parameters<typeof startProvider>[0]>} [options] */
function start(options = {}) {
  const secrets = { client: CLIENT.secret, api: API.secret };
  return startProvider({ dir, users: [USER], secrets, ...options });
}

/** @param {string} token @param {{id: string, secret: string}} [client] */
function introspect(token, client = API) {
  return postForm(`${provider.issuer}/token/introspection`, { token }, client);
}

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'demo-test-'));
  provider = await start();
});
after(async () => {
  await provider.stop();
  await rm(dir, { recursive: true });
});

test('discovery names the endpoints and only what works', async () => {
  const response = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
  /** @type {any} */
  const document = await response.json();
  assert.equal(document.issuer, provider.issuer);
  assert.deepEqual(document.response_types_supported, ['code']);
  assert.deepEqual(document.grant_types_supported.sort(), [
    'authorization_code',
    'client_credentials',
    'password',
    'refresh_token',
  ]);
  for (const name of ['jwks_uri', 'introspection_endpoint', 'token_endpoint']) {
    assert.ok(document[name].startsWith(provider.issuer), name);
  }
});

test('the password grant gives a signed JWT for the API, and a refresh and an id token', async () => {
  const { status, body } = await requestToken(provider.issuer, PASSWORD_FORM, CLIENT);
  assert.equal(status, 200);
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
  assert.equal(claims.iss, provider.issuer);
  assert.equal(claims.aud, 'urn:demo:queue-management-api');
  assert.equal(claims.preferred_username, USER.username);
  assert.equal(claims.exp - claims.iat, 300);
  assert.equal(body.expires_in, 300);
  assert.ok(body.refresh_token && body.id_token);
});

test('the password grant works for the public client and by client_secret_post', async () => {
  const publicForm = { ...PASSWORD_FORM, client_id: PUBLIC_CLIENT };
  assert.equal((await requestToken(provider.issuer, publicForm)).status, 200);
  const postForm = { ...PASSWORD_FORM, client_id: CLIENT.id, client_secret: CLIENT.secret };
  assert.equal((await requestToken(provider.issuer, postForm)).status, 200);
});

test('a wrong password, user, client secret or resource is refused', async () => {
  const { issuer } = provider;
  /** @param {object} form */
  const ask = (form, client = CLIENT) =>
    requestToken(issuer, { ...PASSWORD_FORM, ...form }, client);
  assert.equal((await ask({ password: 'wrong' })).body.error, 'invalid_grant');
  assert.equal((await ask({ username: 'nobody' })).body.error, 'invalid_grant');
  assert.equal((await ask({ username: 'nobody', password: '' })).body.error, 'invalid_grant');
  assert.equal((await ask({ resource: 'urn:other' })).body.error, 'invalid_target');
  assert.equal((await ask({}, { ...CLIENT, secret: 'wrong' })).status, 401);
});

test('client credentials give a token without a user and without a refresh token', async () => {
  const { body } = await requestToken(
    provider.issuer,
    { grant_type: 'client_credentials' },
    CLIENT,
  );
  const { body: answer } = await introspect(body.access_token);
  assert.equal(answer.active, true);
  assert.equal(answer.sub, CLIENT.id);
  assert.equal(answer.preferred_username, undefined);
  assert.equal(body.refresh_token, undefined);
});

test('the login form leads to a code, and the code with its verifier to tokens, once', async () => {
  const result = await logInByForm(provider.issuer, CLIENT.id, USER.username, USER.password);
  assert.ok('code' in result);
  const form = {
    grant_type: 'authorization_code',
    code: result.code,
    redirect_uri: REDIRECT_URI,
    code_verifier: result.verifier,
  };
  const { status, body } = await requestToken(provider.issuer, form, CLIENT);
  assert.equal(status, 200);
  assert.equal((await introspect(body.access_token)).body.sub, USER.username);
  assert.ok(body.refresh_token && body.id_token);
  assert.equal((await requestToken(provider.issuer, form, CLIENT)).body.error, 'invalid_grant');
});

test('the public client logs in with a loopback address of any port; a wrong verifier fails', async () => {
  const uri = 'http://localhost:43210/callback';
  const { username, password } = USER;
  const result = await logInByForm(provider.issuer, PUBLIC_CLIENT, username, password, uri);
  assert.ok('code' in result);
  const { body } = await requestToken(provider.issuer, {
    grant_type: 'authorization_code',
    client_id: PUBLIC_CLIENT,
    code: result.code,
    redirect_uri: uri,
    code_verifier: 'x'.repeat(43),
  });
  assert.equal(body.error, 'invalid_grant');
});

test('a wrong password shows the form again with a message, and the name given is not echoed', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const result = await logInByForm(provider.issuer, CLIENT.id, name, 'wrong');
  assert.ok('page' in result);
  assert.match(result.page, /Invalid username or password/);
  assert.match(result.page, /<form id="login-form" method="post"/);
  assert.doesNotMatch(result.page, /<img/);
});

test('a login form without its cookie says that the login has expired', async () => {
  const response = await fetch(`${provider.issuer}/interaction/abc`);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /This login has expired/);
});

test('a refresh token works more than once, and only once with rotation on', async t => {
  const rotating = await start({
    rotateRefreshTokens: true,
    dir: await mkdtemp(join(dir, 'rotating-')),
  });
  t.after(rotating.stop);
  /** @param {string} issuer */
  const refreshTwice = async issuer => {
    const { body } = await requestToken(issuer, PASSWORD_FORM, CLIENT);
    const form = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const first = await requestToken(issuer, form, CLIENT);
    const second = await requestToken(issuer, form, CLIENT);
    return [first, second];
  };
  const [first, second] = await refreshTwice(provider.issuer);
  assert.deepEqual([first?.status, second?.status], [200, 200]);
  assert.equal((await introspect(second?.body.access_token)).body.active, true);
  const [rotated, refused] = await refreshTwice(rotating.issuer);
  assert.deepEqual([rotated?.status, refused?.body.error], [200, 'invalid_grant']);
});

test('introspection knows refresh tokens, and reveals nothing about forged ones or to strangers', async () => {
  const { body } = await requestToken(provider.issuer, PASSWORD_FORM, CLIENT);
  const [head, payload, signature] = body.access_token.split('.');
  const forged = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'root' };
  const forgedPayload = Buffer.from(JSON.stringify(forged)).toString('base64url');
  assert.equal((await introspect(body.refresh_token)).body.active, true);
  for (const token of [`${head}.${forgedPayload}.${signature}`, body.id_token, 'abc', 'a.b.c']) {
    assert.deepEqual((await introspect(token)).body, { active: false });
  }
  assert.equal((await introspect(body.access_token, { ...API, secret: 'no' })).status, 401);
  assert.equal(
    (await introspect(body.access_token, { id: PUBLIC_CLIENT, secret: '' })).status,
    401,
  );
  assert.equal((await introspect('')).body.error, 'invalid_request');
});

test('a token is inactive once its life is over', async t => {
  const shortLived = await start({ tokenTtlSec: 2, dir: await mkdtemp(join(dir, 'short-')) });
  t.after(shortLived.stop);
  const { body } = await requestToken(shortLived.issuer, PASSWORD_FORM, CLIENT);
  const url = `${shortLived.issuer}/token/introspection`;
  const form = { token: body.access_token };
  assert.equal((await postForm(url, form, API)).body.active, true);
  await sleep(3000);
  assert.deepEqual((await postForm(url, form, API)).body, { active: false });
});

test('1,500 logins are all remembered, and nothing was printed but the issuer', async () => {
  const logins = [];
  for (let i = 0; i < 30; i++) {
    const batch = Array.from({ length: 50 }, () =>
      requestToken(provider.issuer, { ...PASSWORD_FORM, scope: '' }, CLIENT),
    );
    logins.push(...(await Promise.all(batch)));
  }
  const first = logins[0]?.body.refresh_token;
  const form = { grant_type: 'refresh_token', refresh_token: first };
  assert.equal((await requestToken(provider.issuer, form, CLIENT)).status, 200);
  assert.equal((await fetch(`${provider.issuer}/health`)).status, 200);
  const log = await readFile(join(dir, 'oidc-provider.log'), 'utf8');
  assert.equal(log, `{"issuer":"${provider.issuer}"}\n`);
});

test('a setting that is malformed ends the provider with its name', async () => {
  await assert.rejects(
    start({ tokenTtlSec: 0, dir: await mkdtemp(join(dir, 'bad-')) }),
    /DEMO_TOKEN_TTL_S=0 is no whole number from 1 to 86400/,
  );
});
