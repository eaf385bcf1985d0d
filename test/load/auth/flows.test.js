import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { startTestProvider } from './helpers.js';

describe('tokens from the demo provider', () => {
  /** @type {Awaited<ReturnType<typeof startTestProvider>>} */
  let provider;
  before(async () => {
    provider = await startTestProvider();
  });
  after(() => provider.stop());

  /** @param {Partial<import('../../../lib/load/auth/auth-config.js').AuthConfig>} [changes] */
  async function obtain(changes) {
    /** @type {import('../../../lib/load/auth/token-source.js').TokenEvent[]} */
    const events = [];
    const source = new TokenSource(provider.authConfig(changes), {
      onEvent: event => events.push(event),
    });
    try {
      await source.start();
      return { tokens: source.tokens(), secrets: source.secrets(), events };
    } finally {
      await source.stop();
    }
  }

  /** @param {string | undefined} token */
  const claimsOf = token =>
    JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());

  for (const flow of /** @type {const} */ (['password', 'authorization_code'])) {
    test(`${flow}: every user gets a token of their own, in the order of the users`, async () => {
      const { tokens, events } = await obtain({ flow });
      assert.deepEqual(
        tokens.map(token => claimsOf(token).sub),
        ['user-0', 'user-1', 'user-2'],
      );
      assert.equal(new Set(tokens).size, 3);
      assert.deepEqual(events[0], {
        kind: 'configured',
        flow,
        issuer: provider.issuer,
        mode: 'per-user',
        users: 3,
      });
      assert.deepEqual(
        events
          .slice(1)
          .map(event => [event.kind, 'user' in event && event.user])
          .sort(),
        [0, 1, 2].map(user => ['obtained', user]),
      );
    });

    test(`${flow}: a public client needs no secret`, async () => {
      const { tokens } = await obtain({
        flow,
        clientId: 'queue-management-public',
        clientSecret: null,
        mode: 'shared',
      });
      assert.equal(claimsOf(tokens[0]).client_id, 'queue-management-public');
    });
  }

  test('client_credentials: one token of the client itself, despite the scope openid', async () => {
    const { tokens, events } = await obtain({ flow: 'client_credentials', users: [] });
    assert.equal(tokens.length, 1);
    assert.equal(claimsOf(tokens[0]).sub, 'queue-management');
    assert.deepEqual(events[1], {
      kind: 'obtained',
      user: 0,
      lifetimeSec: 300,
    });
  });

  test('a shared token is that of the first user', async () => {
    const { tokens } = await obtain({ mode: 'shared' });
    assert.deepEqual(
      tokens.map(token => claimsOf(token).sub),
      ['user-0'],
    );
  });

  test('the audience reaches the provider, and one that it does not know is refused', async () => {
    const { tokens } = await obtain({ audience: 'urn:demo:queue-management-api', mode: 'shared' });
    assert.equal(claimsOf(tokens[0]).aud, 'urn:demo:queue-management-api');
    await assert.rejects(obtain({ audience: 'urn:other', mode: 'shared' }), {
      code: 'OIDC_TOKEN_FAILED',
      hint: /OIDC_AUDIENCE .* now it is "urn:other"/,
    });
  });

  test('no event holds a token, a password or the client secret', async () => {
    const { tokens, secrets, events } = await obtain({ flow: 'authorization_code' });
    const text = JSON.stringify(events);
    assert.ok(secrets.length >= 3 + 1 + 3 * 3, 'passwords, client secret, three tokens a user');
    for (const token of tokens) assert.ok(secrets.includes(token));
    for (const secret of secrets) assert.ok(!text.includes(secret));
    assert.doesNotMatch(text, /eyJ|user-\d/);
  });

  for (const flow of /** @type {const} */ (['password', 'authorization_code'])) {
    test(`${flow}: a wrong password is refused once, naming the user`, async () => {
      const users = [{ username: 'user-1', password: 'wrong' }];
      await assert.rejects(obtain({ flow, users, mode: 'shared' }), {
        code: 'OIDC_LOGIN_REFUSED',
        exitCode: 4,
        message:
          /refused the login of user user-1: .*(grant request is invalid|Invalid username or password)/,
        hint: /OIDC_USERNAME and OIDC_PASSWORD/,
      });
    });
  }

  for (const flow of /** @type {const} */ ([
    'password',
    'client_credentials',
    'authorization_code',
  ])) {
    test(`${flow}: distinguishes a wrong client secret from a wrong password`, async () => {
      await assert.rejects(obtain({ flow, clientSecret: 'wrong', mode: 'shared' }), {
        code: 'OIDC_CLIENT_REFUSED',
        exitCode: 4,
        message: /refused the client queue-management: invalid_client/,
        hint: /OIDC_CLIENT_SECRET/,
      });
    });
  }

  test('an address that is not registered for the client is named with what to do', async () => {
    await assert.rejects(
      obtain({ flow: 'authorization_code', redirectUri: 'http://127.0.0.1/other' }),
      {
        code: 'OIDC_FORM_NOT_UNDERSTOOD',
        hint: /register http:\/\/127\.0\.0\.1\/other .* OIDC_REDIRECT_URI/,
      },
    );
  });

  test('a flow that the client may not use is a refusal of the client', async () => {
    await assert.rejects(
      obtain({
        flow: 'client_credentials',
        clientId: 'queue-management-public',
        clientSecret: null,
      }),
      { code: 'OIDC_CLIENT_REFUSED' },
    );
  });
});
