import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { holdTime } from '../../helpers/hold-time.js';
import { test } from '../../helpers/quiet.js';
import { sendJson, startFakeProvider, startTestProvider } from './helpers.js';

/** @typedef {import('../../../lib/load/auth/token-source.js').TokenEvent} TokenEvent */
/** @typedef {import('../../../lib/load/auth/auth-config.js').AuthConfig} AuthConfig */

/**
 * @param {import('node:test').TestContext} t
 * @param {AuthConfig} authConfig
 * @param {(secret: string) => void} [onSecret]
 */
async function startSource(t, authConfig, onSecret) {
  /** @type {(TokenEvent & {t: number})[]} */
  const events = [];
  const source = new TokenSource(authConfig, {
    onEvent: event => events.push({ ...event, t: Date.now() }),
    onSecret,
  });
  t.after(() => source.stop());
  await source.start();
  const count = (/** @type {string} */ kind, /** @type {number} */ user = 0) =>
    events.filter(event => event.kind === kind && 'user' in event && event.user === user).length;
  return { source, events, count };
}

/** @param {string | undefined} token @returns {{exp: number, iat: number, sub: string}} */
const claimsOf = token =>
  JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());

// They wait for tokens to expire.
describe('the source of tokens', { concurrency: 4 }, () => {
  for (const flow of /** @type {const} */ (['password', 'authorization_code'])) {
    test(`${flow}: tokens of 3 users are renewed twice and rotated before they run out`, async t => {
      const provider = await startTestProvider({ tokenTtlSec: 3, rotate: true });
      t.after(() => provider.stop());
      /** @type {string[]} */
      const secrets = [];
      const { source, events, count } = await startSource(
        t,
        provider.authConfig({ flow }),
        secret => secrets.push(secret),
      );
      const users = [0, 1, 2];
      let changes = 0;
      const unsubscribe = source.onChange(() => {
        changes++;
      });
      /** Users whose token was seen after its end. @type {Set<number>} */
      const expired = new Set();
      const isOver = () => {
        const nowSec = Date.now() / 1000;
        source.tokens().forEach((token, user) => {
          if (claimsOf(token).exp <= nowSec - 0.001) expired.add(user);
          assert.equal(claimsOf(token).sub, `user-${user}`);
        });
        return users.every(user => count('refreshed', user) >= 2);
      };
      await waitUntil(isOver);
      unsubscribe();
      for (const user of users) {
        assert.equal(count('obtained', user), 1);
        // Only a machine that gives this process no CPU for that long is late, which is reported.
        assert.equal(expired.has(user) && count('late', user) === 0, false, 'a token had run out');
      }
      assert.equal(
        changes,
        users.reduce((sum, user) => sum + count('refreshed', user), 0),
      );
      assert.ok(source.tokens().every(token => secrets.includes(token)));
      const text = JSON.stringify(events);
      assert.ok(secrets.length >= 3 * 2 * 2 && secrets.every(secret => !text.includes(secret)));
    });
  }

  test('client_credentials: without a refresh token a new one is obtained in time', async t => {
    const provider = await startTestProvider({ tokenTtlSec: 1 });
    t.after(() => provider.stop());
    const { source, count } = await startSource(
      t,
      provider.authConfig({ flow: 'client_credentials', users: [] }),
    );
    const [first] = source.tokens();
    await waitUntil(() => count('refreshed') === 2);
    assert.notEqual(source.tokens()[0], first);
    assert.equal(count('obtained'), 1);
  });

  test('a provider that restarts without its sessions is reported once, then a new login follows', async t => {
    const provider = await startTestProvider({ tokenTtlSec: 2 });
    t.after(() => provider.stop());
    const { source, events, count } = await startSource(t, provider.authConfig({ mode: 'shared' }));
    const [first] = source.tokens();
    await provider.pause();
    await waitUntil(() => count('failed') === 1);
    assert.deepEqual(source.tokens(), [first], 'the old token stays, for there is none better');
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['configured', 'obtained', 'warning', 'failed'],
    );
    assert.match(JSON.stringify(events.at(-1)), /OIDC_TOKEN_FAILED.*ECONNREFUSED/);
    await sleep(700);
    assert.equal(count('failed'), 1);
    await provider.resume();
    await waitUntil(() => count('obtained') === 2);
    assert.notDeepEqual(source.tokens(), [first]);
    await waitUntil(() => count('refreshed') === 1);
  });

  test('a session that is over is a new login; one that is refused then is tried once more, not for ever', async t => {
    const logins = /** @type {string[]} */ ([]);
    const fake = await startFakeProvider((_request, response, _origin, body) => {
      const grant = new URLSearchParams(body).get('grant_type') ?? '';
      logins.push(grant);
      if (grant === 'refresh_token' || logins.length > 3) {
        return sendJson(response, 400, {
          error: 'invalid_grant',
          error_description: 'Token is not active',
        });
      }
      sendJson(response, 200, {
        access_token: `token-${logins.length}`,
        refresh_token: `refresh-${logins.length}`,
        token_type: 'Bearer',
        expires_in: 1,
      });
    });
    t.after(() => fake.stop());
    const { source, events, count } = await startSource(t, fake.authConfig());
    await waitUntil(() => count('failed') === 1);
    await sleep(1200);
    const renewal = ['refresh_token', 'password'];
    assert.deepEqual(logins, ['password', ...renewal, ...renewal, 'password']);
    assert.deepEqual(source.tokens(), ['token-3']);
    // On a busy machine a renewal may outlast its second.
    const kinds = events.map(({ kind }) => kind).filter(kind => kind !== 'late');
    assert.deepEqual(kinds, ['configured', 'obtained', 'obtained', 'failed']);
  });

  test('at most four requests at a time, one per user, for any number of users', async t => {
    let running = 0;
    let most = 0;
    const perUser = /** @type {Map<string, number>} */ (new Map());
    const fake = await startFakeProvider(async (_request, response, _origin, body) => {
      const form = new URLSearchParams(body);
      const user = form.get('username') ?? form.get('refresh_token') ?? '';
      perUser.set(user, (perUser.get(user) ?? 0) + 1);
      assert.equal(perUser.get(user), 1, 'two requests at once for one user');
      most = Math.max(most, ++running);
      await sleep(20);
      running--;
      perUser.delete(user);
      sendJson(response, 200, {
        access_token: `token-of-${user}`,
        refresh_token: user,
        token_type: 'Bearer',
        expires_in: 1,
      });
    });
    t.after(() => fake.stop());
    const users = Array.from({ length: 30 }, (_, n) => ({ username: `u${n}`, password: 'secret' }));
    const { source, count } = await startSource(t, fake.authConfig({ users, mode: 'per-user' }));
    assert.deepEqual(
      source.tokens(),
      users.map(({ username }) => `token-of-${username}`),
    );
    await waitUntil(() => users.every((_, user) => count('refreshed', user) >= 2));
    assert.equal(most, 4);
  });

  test('one wrong password among many users ends the start, and is tried once', async t => {
    const tries = /** @type {string[]} */ ([]);
    const fake = await startFakeProvider((_request, response, _origin, body) => {
      const user = new URLSearchParams(body).get('username') ?? '';
      tries.push(user);
      if (user === 'u1') return sendJson(response, 401, { error: 'invalid_grant' });
      setTimeout(sendJson, 50, response, 200, { access_token: user, token_type: 'Bearer' });
    });
    t.after(() => fake.stop());
    const users = Array.from({ length: 30 }, (_, n) => ({ username: `u${n}`, password: 'secret' }));
    await assert.rejects(startSource(t, fake.authConfig({ users, mode: 'per-user' })), {
      code: 'OIDC_LOGIN_REFUSED',
      message: /user u1/,
      hint: /the file of OIDC_USERS/,
    });
    assert.equal(tries.filter(user => user === 'u1').length, 1);
    assert.ok(tries.length <= 4, `${tries.length} logins were tried`);
  });

  test('reads a missing lifetime from the JWT, or assumes 300 s', async t => {
    const jwt = (/** @type {object} */ claims) =>
      `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
    let token = jwt({ iat: 1000, exp: 1090 });
    const fake = await startFakeProvider((_, response) =>
      sendJson(response, 200, { access_token: token, token_type: 'Bearer' }),
    );
    t.after(() => fake.stop());
    const first = await startSource(t, fake.authConfig());
    assert.partialDeepStrictEqual(first.events[1], { lifetimeSec: 90 });
    token = 'opaque';
    const second = await startSource(t, fake.authConfig());
    assert.partialDeepStrictEqual(second.events[1], { lifetimeSec: 300 });
  });

  test('stop ends a request that is under way, and no timer keeps the process running', async t => {
    let asked = false;
    const fake = await startFakeProvider(() => {
      asked = true;
    });
    t.after(() => fake.stop());
    const source = new TokenSource(fake.authConfig());
    const starting = assert.rejects(source.start(), { code: 'OIDC_TOKEN_FAILED' });
    await waitUntil(() => asked);
    const beforeMs = Date.now();
    await source.stop();
    await source.stop();
    await starting;
    assert.ok(Date.now() - beforeMs < 1000);
  });

  test('does not report a wrong password if the same credentials worked just before', async t => {
    let tries = 0;
    const fake = await startFakeProvider((_, response) => {
      tries++;
      if (tries === 2) return sendJson(response, 401, { error: 'invalid_grant' });
      sendJson(response, 200, { access_token: `token-${tries}`, token_type: 'Bearer' });
    });
    t.after(() => fake.stop());
    await startSource(t, fake.authConfig());
    const { source } = await startSource(t, fake.authConfig());
    assert.deepEqual(source.tokens(), ['token-3']);
  });
});

test('3 s tokens of 3 users stay good for 7 s: renewed at 70 to 80 % of their rounded lifetime', async t => {
  const origin = 'http://127.0.0.1:9';
  const metadata = { issuer: origin, token_endpoint: `${origin}/token` };
  /** When each token was issued, by user, epoch ms. @type {Record<string, number[]>} */
  const issued = {};
  t.mock.method(globalThis, 'fetch', async (/** @type {URL} */ url, /** @type {any} */ init) => {
    if (new URL(url).pathname !== '/token') return Response.json(metadata);
    const form = new URLSearchParams(init.body);
    const user = form.get('username') ?? form.get('refresh_token') ?? '';
    const nowMs = Date.now();
    issued[user] = [...(issued[user] ?? []), nowMs];
    const iat = Math.floor(nowMs / 1000);
    const claims = Buffer.from(JSON.stringify({ iat, exp: iat + 3 })).toString('base64url');
    return Response.json({
      access_token: `eyJhbGciOiJub25lIn0.${claims}.${user}`,
      refresh_token: user,
      token_type: 'Bearer',
      expires_in: 3,
    });
  });
  const fake = { issuer: origin, clientId: 'client', clientSecret: null, scope: null };
  const users = ['u0', 'u1', 'u2'].map(username => ({ username, password: 'secret' }));
  // Just before a second ends: a lifetime that is rounded down is nearly a second shorter.
  const { pass } = holdTime(t, 1_700_000_000_990);
  const { source, count } = await startSource(t, {
    ...{ ...fake, flow: 'password', audience: null, redirectUri: null },
    ...{ users, mode: 'per-user' },
  });
  await pass(7000, () => {
    for (const token of source.tokens())
      assert.ok(claimsOf(token).exp > Date.now() / 1000 - 0.001, 'a token had run out');
  });
  for (const [user, { username }] of users.entries()) {
    const times = issued[username] ?? [];
    const shares = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 2000);
    for (const share of shares) assert.ok(share >= 0.7 && share <= 0.81, `renewed at ${shares}`);
    assert.equal(count('obtained', user), 1);
    assert.ok(count('refreshed', user) >= 4);
  }
  assert.equal(new Set(Object.values(issued).map(([, second]) => second)).size, 3, 'spread');
});
