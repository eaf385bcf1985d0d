/**
 * Checks against a real Keycloak whose access tokens live 60 s. Not part of `npm test`: it needs Java,
 * Maven and five minutes. Run it with `npm run test:slow keycloak`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startApi } from '../../demo/start-api.js';
import { TokenSource } from '../../lib/load/auth/token-source.js';
import { checkRun } from './check-run.js';
import { startKeycloak } from './start-keycloak.js';

/** @typedef {import('../../lib/load/auth/auth-config.js').AuthConfig} AuthConfig */

const PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));
/** Two and a half lives of a token. */
const RUN_SEC = 150;
const REQUESTS_PER_SEC = 3;
const USERS = {
  source: {
    password: ['anna', 'ben', 'carla'],
    authorization_code: ['gina', 'hugo', 'ida'],
  },
  command: {
    password: ['jana', 'karl', 'lena'],
    authorization_code: ['mona', 'nils', 'olga'],
  },
};

describe('Keycloak', () => {
  /** @type {Awaited<ReturnType<typeof startKeycloak>>} */
  let keycloak;
  /** @type {Awaited<ReturnType<typeof startApi>>} */
  let api;
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-check-'));

  before(async () => {
    keycloak = await startKeycloak();
    console.log(`Keycloak is up after ${(keycloak.bootMs / 1000).toFixed(1)} s`);
    api = await startApi({
      auth: 'cached',
      python: PYTHON,
      dir: folder,
      issuer: keycloak.issuer,
      secret: 'not used: tokens are verified locally',
    });
  });
  after(async () => {
    await api?.stop();
    await keycloak?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {Partial<AuthConfig>} [changes] @returns {AuthConfig} */
  const authConfig = (changes = {}) => ({
    issuer: keycloak.issuer,
    flow: 'password',
    clientId: 'web',
    clientSecret: null,
    scope: 'openid',
    audience: null,
    redirectUri: 'http://127.0.0.1/callback',
    users: ['anna', 'ben', 'carla'].map(keycloak.user),
    mode: 'per-user',
    ...changes,
  });

  /**
   * One for each flow. No user logs in for two of them: with brute-force detection Keycloak refuses
   * the second of two logins at the same moment as if its password were wrong.
   * @param {'source' | 'command'} use @returns {Record<string, AuthConfig>}
   */
  const allFlows = use => ({
    password: authConfig({ users: USERS[use].password.map(keycloak.user) }),
    authorization_code: authConfig({
      flow: 'authorization_code',
      users: USERS[use].authorization_code.map(keycloak.user),
    }),
    client_credentials: authConfig({
      flow: 'client_credentials',
      clientId: 'service',
      clientSecret: keycloak.clientSecret,
      users: [],
      mode: 'shared',
    }),
  });

  /** @param {string | undefined} token */
  async function callApi(token) {
    const response = await fetch(`${api.url}/api/v1/categories/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** @param {Partial<AuthConfig>} changes */
  async function logIn(changes) {
    const source = new TokenSource(authConfig({ mode: 'shared', ...changes }));
    await source.start().finally(() => source.stop());
  }

  test('all three flows give tokens that the API accepts', async () => {
    assert.equal(await callApi('nonsense'), 401);
    for (const [flow, config] of Object.entries(allFlows('source'))) {
      const source = new TokenSource(config);
      await source.start();
      for (const token of source.tokens()) assert.equal(await callApi(token), 200, flow);
      assert.equal(source.tokens().length, flow === 'client_credentials' ? 1 : 3);
      await source.stop();
    }
  });

  test('every refusal of Keycloak is understood', async t => {
    const wrong = () => [{ username: 'fred-mistaken', password: 'wrong' }];
    const form = /** @type {const} */ ({ flow: 'authorization_code' });
    const service = /** @type {const} */ ({ clientId: 'service', flow: 'client_credentials' });
    /** @type {[string, Partial<AuthConfig>, string, RegExp][]} */
    const truth = [
      ['password: wrong password', { users: wrong() }, 'OIDC_LOGIN_REFUSED', /OIDC_PASSWORD/],
      ['form: wrong password', { ...form, users: wrong() }, 'OIDC_LOGIN_REFUSED', /OIDC_PASSWORD/],
      [
        'password: disabled',
        { users: [keycloak.user('dora-disabled')] },
        'OIDC_LOGIN_REFUSED',
        /enable the account/,
      ],
      [
        'form: disabled',
        { ...form, users: [keycloak.user('dora-disabled')] },
        'OIDC_LOGIN_REFUSED',
        /OIDC_PASSWORD/,
      ],
      [
        'password: not set up',
        { users: [keycloak.user('emil-unfinished')] },
        'OIDC_LOGIN_REFUSED',
        /once in a browser/,
      ],
      [
        'form: not set up',
        { ...form, users: [keycloak.user('emil-unfinished')] },
        'OIDC_FORM_NOT_UNDERSTOOD',
        /in a browser/,
      ],
      ['form: consent', { ...form, clientId: 'consent' }, 'OIDC_FORM_NOT_UNDERSTOOD', /consent/],
      [
        'direct access grants off',
        { clientId: 'consent' },
        'OIDC_CLIENT_REFUSED',
        /"Direct access grants"/,
      ],
      ['public client', { flow: 'client_credentials' }, 'OIDC_CLIENT_REFUSED', /"Service accounts/],
      ['wrong secret', { ...service, clientSecret: 'wrong' }, 'OIDC_CLIENT_REFUSED', /_SECRET/],
      ['no such client', { clientId: 'nobody' }, 'OIDC_CLIENT_REFUSED', /OIDC_CLIENT_ID/],
      [
        'form: no such client',
        { ...form, clientId: 'nobody' },
        'OIDC_FORM_NOT_UNDERSTOOD',
        /OIDC_CLIENT_ID/,
      ],
      [
        'redirect address',
        { ...form, redirectUri: 'http://127.0.0.1/other' },
        'OIDC_FORM_NOT_UNDERSTOOD',
        /OIDC_REDIRECT_URI/,
      ],
      ['scope', { scope: 'openid fly' }, 'OIDC_TOKEN_FAILED', /OIDC_SCOPE/],
      [
        'no such realm',
        { issuer: keycloak.issuer.replace('loadflame', 'nosuch') },
        'OIDC_DISCOVERY_FAILED',
        /realms\/<realm>/,
      ],
    ];
    for (const [what, changes, code, hint] of truth) {
      await t.test(`${what} is ${code}`, async () => {
        await assert.rejects(logIn(changes), error => {
          assert.ok(error instanceof Error && 'hint' in error && 'code' in error);
          console.log(`${what}: ${error.message}`);
          assert.equal(error.code, code);
          assert.match(String(error.hint), hint);
          return true;
        });
      });
    }
  });

  describe(`${RUN_SEC} s with tokens of 60 s`, { concurrency: true }, () => {
    for (const flow of /** @type {const} */ ([
      'password',
      'authorization_code',
      'client_credentials',
    ])) {
      test(`${flow}: the API accepts all tokens of the token source`, async () => {
        const config = /** @type {AuthConfig} */ (allFlows('source')[flow]);
        /** @type {Record<string, number>} */
        const statuses = {};
        /** @type {Record<string, number>} */
        const events = {};
        const source = new TokenSource(config, {
          onEvent: ({ kind }) => {
            events[kind] = (events[kind] ?? 0) + 1;
          },
        });
        await source.start();
        const endMs = Date.now() + RUN_SEC * 1000;
        for (let n = 0; Date.now() < endMs; n++) {
          const tokens = source.tokens();
          const status = await callApi(tokens[n % tokens.length]);
          statuses[status] = (statuses[status] ?? 0) + 1;
          await sleep(1000 / REQUESTS_PER_SEC);
        }
        await source.stop();
        console.log(`${flow}: ${JSON.stringify({ statuses, events })}`);
        assert.deepEqual(Object.keys(statuses), ['200']);
        assert.ok((statuses[200] ?? 0) > RUN_SEC);
        const users = source.tokens().length;
        assert.equal(events.obtained, users);
        assert.ok((events.refreshed ?? 0) >= 2 * users);
        assert.deepEqual(Object.keys(events).sort(), ['configured', 'obtained', 'refreshed']);
      });

      test(`${flow}: a load test through the command line gets no 401`, async () => {
        const config = /** @type {AuthConfig} */ (allFlows('command')[flow]);
        const summary = await checkRun({
          authConfig: config,
          apiUrl: api.url,
          folder,
          durationSec: RUN_SEC,
        });
        const { output, ...figures } = summary;
        console.log(`${flow}, load test: ${JSON.stringify(figures)}`);
        assert.equal(summary.exitCode, 0, output);
        assert.equal(summary.codes[401] ?? 0, 0);
        assert.ok((summary.codes[200] ?? 0) > RUN_SEC, 'the load was sent');
        assert.ok((summary.tokens.refreshed ?? 0) >= 2);
        assert.equal(summary.tokens.failed ?? 0, 0);
        assert.deepEqual(summary.leaks, []);
      });
    }
  });
});
