/**
 * The only source of tokens of a run: obtains them before the load starts and renews them in the background, outside
 * all measurements.
 */
import { discoverProvider } from './discover-provider.js';
import { obtainToken, refreshToken } from './flows.js';
import { createSession } from './user-session.js';

/** @import { AuthConfig, User } from './auth-config.js' */
/** @import { Provider } from './discover-provider.js' */
/** @import { Token } from './read-token.js' */
/** @import { Session } from './user-session.js' */

/** Each login costs the provider a password hash, about 1/15 CPU-second in Keycloak. */
const MAX_CONCURRENT_REQUESTS = 4;

/**
 * Events for `load/tokens.ndjson` (docs/run-folder.md), reported as they occur. They never contain tokens, and
 * identify users by index.
 * @typedef {(
 *   | {kind: 'configured', flow: string, issuer: string, mode: string, users: number}
 *   | {kind: 'obtained' | 'refreshed', user: number, lifetimeSec: number}
 *   | {kind: 'failed', user: number, code: string, message: string}
 *   | {kind: 'late', user: number, renewalMs: number, expiredMs: number}
 *   | {kind: 'warning', user?: number, message: string}
 * )} TokenEvent
 */

/**
 * @typedef {object} TokenSource
 * @property {() => Promise<void>} start resolves once every user has a token. Throws OIDC_… errors;
 *   never retries, because wrong passwords lock accounts
 * @property {() => string[]} tokens current access tokens in the order of the users; one in shared
 *   mode, none before the start
 * @property {(listener: () => void) => () => void} onChange called once after the start and after every
 *   renewal; returns a function to unsubscribe
 * @property {() => string[]} secrets everything that must never be shown: passwords, client secret and
 *   current tokens of all kinds
 * @property {() => Promise<void>} stop aborts requests in progress; idempotent
 */

/**
 * @param {AuthConfig} authConfig
 * @param {object} [options]
 * @param {(event: TokenEvent) => void} [options.onEvent]
 * @param {(secret: string) => void} [options.onSecret] called for each token before its first use
 * @returns {TokenSource}
 */
export function createTokenSource(authConfig, { onEvent = () => {}, onSecret = () => {} } = {}) {
  const ending = new AbortController();
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const limit = limitConcurrency(MAX_CONCURRENT_REQUESTS);
  const users = listUsers(authConfig);
  /** @type {Session[]} */
  let sessions = [];
  let started = false;

  const tokens = () => (started ? sessions.map(session => session.token()?.accessToken ?? '') : []);

  const tellChange = () => {
    for (const listener of listeners) listener();
  };

  /** @param {() => Promise<Token>} ask */
  const obtain = ask =>
    limit(async () => {
      // A waiting login could use up the last attempt before an account is locked.
      ending.signal.throwIfAborted();
      try {
        const token = await ask();
        for (const secret of listSecrets(token)) onSecret(secret);
        return token;
      } catch (error) {
        if (!started) ending.abort();
        throw error;
      }
    });

  /** @param {Provider} provider */
  const createSessions = provider =>
    users.map((user, index) =>
      createSession({
        offset: index / users.length,
        signal: ending.signal,
        logIn: () => obtain(() => obtainToken(provider, authConfig, user)),
        // A client has no session to continue (RFC 6749, 4.4.3).
        refresh:
          authConfig.flow === 'client_credentials'
            ? null
            : secret => obtain(() => refreshToken(provider, authConfig, secret)),
        onToken: (token, kind) => {
          onEvent({ kind, user: index, lifetimeSec: token.lifetimeSec });
          if (started) tellChange();
        },
        onLate: late => onEvent({ kind: 'late', user: index, ...late }),
        onRetry: ({ data: { reason } }) => {
          const message = `a refresh failed and is repeated until the token runs out: ${reason}`;
          onEvent({ kind: 'warning', user: index, message });
        },
        onFailed: ({ code, data }) =>
          onEvent({ kind: 'failed', user: index, code, message: String(data.reason) }),
      }),
    );

  return {
    async start() {
      const provider = await discoverProvider(authConfig, { signal: ending.signal });
      const { issuer, flow, mode } = authConfig;
      onEvent({ kind: 'configured', flow, issuer, mode, users: users.length });
      if (provider.transport === 'private') {
        const message = `${issuer} is plain HTTP: passwords and tokens cross the network unencrypted`;
        onEvent({ kind: 'warning', message });
      }
      sessions = createSessions(provider);
      await Promise.all(sessions.map(session => session.start()));
      started = true;
      tellChange();
    },
    tokens,
    onChange: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    secrets: () => [
      ...(authConfig.clientSecret === null ? [] : [authConfig.clientSecret]),
      ...authConfig.users.map(({ password }) => password),
      ...sessions.flatMap(session => listSecrets(session.token())),
    ],
    async stop() {
      ending.abort();
      await Promise.all(sessions.map(session => session.ended()));
    },
  };
}

/**
 * @param {AuthConfig} authConfig
 * @returns {(User | undefined)[]}
 */
function listUsers({ flow, mode, users }) {
  if (flow === 'client_credentials') return [undefined];
  return mode === 'shared' ? users.slice(0, 1) : users;
}

/** @param {Token | null} token */
function listSecrets(token) {
  if (!token) return [];
  return [token.accessToken, token.refreshToken, token.idToken].filter(secret => secret !== null);
}

// -- Runs a limited number of tasks at a time, in the order of arrival.

/**
 * @param {number} most
 * @returns {<T>(task: () => Promise<T>) => Promise<T>}
 */
function limitConcurrency(most) {
  let running = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  return async task => {
    if (running >= most) await new Promise(resolve => waiting.push(() => resolve(undefined)));
    else running++;
    try {
      return await task();
    } finally {
      // Passes the slot directly to the next task, so that no other task can take it in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
