import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { readAuthConfig } from '../../../lib/load/auth/auth-config.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @param {import('node:test').TestContext} t @param {Record<string, string>} env */
const read = (t, env) => readAuthConfig(readConfig({ env, folder: makeTempFolder(t) }));

const BASE = { OIDC_ISSUER: 'https://sso.example.org/realms/a', OIDC_CLIENT_ID: 'web' };

test('without an issuer there is nothing to log in at', t => {
  assert.equal(read(t, { OIDC_CLIENT_ID: 'web' }), null);
});

test('a user name and a password give one token for everybody', t => {
  assert.deepEqual(read(t, { ...BASE, KEYCLOAK_USERNAME: 'anna', KEYCLOAK_PASSWORD: 's3cret' }), {
    issuer: 'https://sso.example.org/realms/a',
    flow: 'password',
    clientId: 'web',
    clientSecret: null,
    scope: 'openid',
    audience: null,
    redirectUri: 'http://127.0.0.1/callback',
    users: [{ username: 'anna', password: 's3cret' }],
    hosts: null,
    mode: 'shared',
  });
});

test('a file of users gives each a token of their own', t => {
  const file = path.join(makeTempFolder(t), 'users.csv');
  writeFileSync(file, 'username,password\nanna,1\nben,2\n');
  const auth = read(t, { ...BASE, OIDC_USERS: file, OIDC_FLOW: 'authorization_code' });
  assert.equal(auth?.mode, 'per-user');
  assert.deepEqual(
    auth?.users.map(({ username }) => username),
    ['anna', 'ben'],
  );
});

test('client_credentials needs a secret and no user', t => {
  const env = { ...BASE, OIDC_FLOW: 'client_credentials' };
  assert.throws(() => read(t, env), { code: 'SETTING_MISSING', message: /OIDC_CLIENT_SECRET/ });
  assert.deepEqual(read(t, { ...env, OIDC_CLIENT_SECRET: 's3cret' })?.users, []);
});

test('a password that is missing is named', t => {
  assert.throws(() => read(t, { ...BASE, OIDC_USERNAME: 'anna' }), {
    code: 'SETTING_MISSING',
    message: /OIDC_PASSWORD/,
  });
});
