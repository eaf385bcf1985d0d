/**
 * The one source of tokens for a run: obtains them before the load starts and renews them in the
 * background, outside everything that is measured.
 */
import { discoverProvider } from './discover-provider.js';
import { obtainToken, refreshToken } from './flows.js';
import { createSession } from './user-session.js';

/** @import { AuthConfig, User } from './auth-config.js' */
/** @import { Provider } from './discover-provider.js' */
/** @import { Token } from './read-token.js' */
/** @import { Session } from './user-session.js' */

/** A login costs the provider a password hash, about 1/15 CPU-second in Keycloak. */
const MAX_CONCURRENT_REQUESTS = 4;

/**
 * What is reported as it happens, for `load/tokens.ndjson` (docs/run-folder.md); never a token, and
 * users by their index.
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
 * @property {() => Promise<void>} start settles when every user has a token. Throws OIDC_… errors;
 *   nothing is tried twice, for wrong passwords lock accounts
 * @property {() => string[]} tokens current access tokens in the order of the users; one in shared
 *   mode, none before the start
 * @property {(listener: () => void) => () => void} onChange once after the start and after every
 *   renewal; gives back how to unsubscribe
 * @property {() => string[]} secrets everything that must not be shown: passwords, client secret and
 *   current tokens of all kinds
 * @property {() => Promise<void>} stop ends requests that are under way; idempotent
 */

/**
 * @param {AuthConfig} authConfig
 * @param {object} [options]
 * @param {(event: TokenEvent) => void} [options.onEvent]
 * @param {(secret: string) => void} [options.onSecret] for each token, before it is used
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
      // Of others that wait, the next might be the last that an account allows.
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
        onRetry: error =>
          onEvent({
            kind: 'warning',
            user: index,
            message: `a refresh failed and is repeated until the token runs out: ${error.data.reason}`,
          }),
        onFailed: error =>
          onEvent({
            kind: 'failed',
            user: index,
            code: error.code,
            message: String(error.data.reason),
          }),
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
      ...[authConfig.clientSecret, ...authConfig.users.map(({ password }) => password)].filter(
        secret => secret !== null,
      ),
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

// -- Runs at most a given number of tasks at a time, in the order in which they come.

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
      // The place goes on to the next in line without ever being free in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
