/**
 * The only source of tokens of a run: obtains them before the load starts and renews them in the background, outside
 * all measurements.
 */
import { discoverProvider } from './discover-provider.js';
import { obtainToken, refreshToken } from './flows.js';
import { Session } from './user-session.js';

/** @import { AuthConfig, User } from './auth-config.js' */
/** @import { Provider } from './discover-provider.js' */
/** @import { Token } from './read-token.js' */

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

/** Logs users in before the load, and renews their tokens until it stops. */
export class TokenSource {
  #auth;
  #users;
  #onEvent;
  #onSecret;
  #ending = new AbortController();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #limit = limitConcurrency(MAX_CONCURRENT_REQUESTS);
  /** @type {Session[]} */
  #sessions = [];
  #isStarted = false;

  /**
   * @param {AuthConfig} auth
   * @param {object} [options]
   * @param {(event: TokenEvent) => void} [options.onEvent]
   * @param {(secret: string) => void} [options.onSecret] called for each token before its first use
   */
  constructor(auth, { onEvent = () => {}, onSecret = () => {} } = {}) {
    this.#auth = auth;
    this.#users = listUsers(auth);
    this.#onEvent = onEvent;
    this.#onSecret = onSecret;
  }

  /**
   * Resolves once every user has a token; never retries, because wrong passwords lock accounts.
   * @throws {import('../../base/errors.js').LoadflameError} OIDC_…
   */
  async start() {
    const provider = await discoverProvider(this.#auth, { signal: this.#ending.signal });
    const { issuer, flow, mode } = this.#auth;
    this.#onEvent({ kind: 'configured', flow, issuer, mode, users: this.#users.length });
    if (provider.transport === 'private') {
      const message = `${issuer} is plain HTTP: passwords and tokens cross the network unencrypted`;
      this.#onEvent({ kind: 'warning', message });
    }
    this.#sessions = this.#users.map((user, index) => this.#createSession(provider, user, index));
    await Promise.all(this.#sessions.map(session => session.start()));
    this.#isStarted = true;
    for (const listener of this.#listeners) listener();
  }

  /** Current access tokens in the order of the users; one in shared mode, none before the start. */
  tokens() {
    if (!this.#isStarted) return [];
    return this.#sessions.map(session => session.token?.accessToken ?? '');
  }

  /**
   * @param {() => void} listener called once after the start and after every renewal
   * @returns {() => void} unsubscribes
   */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Everything that must never be shown: passwords, client secret and current tokens of all kinds. */
  secrets() {
    const { clientSecret, users } = this.#auth;
    return [
      ...(clientSecret === null ? [] : [clientSecret]),
      ...users.map(({ password }) => password),
      ...this.#sessions.flatMap(session => listSecrets(session.token)),
    ];
  }

  /** Aborts requests in progress; idempotent. */
  async stop() {
    this.#ending.abort();
    await Promise.all(this.#sessions.map(session => session.renewal));
  }

  /** @param {() => Promise<Token>} ask */
  #obtain(ask) {
    return this.#limit(async () => {
      // A waiting login could use up the last attempt before an account is locked.
      this.#ending.signal.throwIfAborted();
      try {
        const token = await ask();
        for (const secret of listSecrets(token)) this.#onSecret(secret);
        return token;
      } catch (error) {
        if (!this.#isStarted) this.#ending.abort();
        throw error;
      }
    });
  }

  /**
   * @param {Provider} provider
   * @param {User | undefined} user
   * @param {number} index
   */
  #createSession(provider, user, index) {
    const auth = this.#auth;
    const onEvent = this.#onEvent;
    return new Session({
      offset: index / this.#users.length,
      signal: this.#ending.signal,
      logIn: () => this.#obtain(() => obtainToken(provider, auth, user)),
      // A client has no session to continue (RFC 6749, 4.4.3).
      refresh:
        auth.flow === 'client_credentials'
          ? null
          : secret => this.#obtain(() => refreshToken(provider, auth, secret)),
      onToken: (token, kind) => {
        onEvent({ kind, user: index, lifetimeSec: token.lifetimeSec });
        if (this.#isStarted) for (const listener of this.#listeners) listener();
      },
      onLate: late => onEvent({ kind: 'late', user: index, ...late }),
      onRetry: ({ data: { reason } }) => {
        const message = `a refresh failed and is repeated until the token runs out: ${reason}`;
        onEvent({ kind: 'warning', user: index, message });
      },
      onFailed: ({ code, data }) =>
        onEvent({ kind: 'failed', user: index, code, message: String(data.reason) }),
    });
  }
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
