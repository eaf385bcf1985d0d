/** The tokens of one user, from login to the end of the run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './read-oidc-error.js';

/** @import { LoadflameError } from '../../base/errors.js' */
/** @import { Token } from './read-token.js' */

/** The share of a token's lifetime after which it is renewed. */
const RENEW_AT = 0.8;
/** Renewals of sessions that started together are spread over this share of the lifetime. */
const SPREAD = 0.1;

const FIRST_RETRY_MS = 1000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 15_000;
/** Maximum delay of a timer, 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * @typedef {object} SessionOptions
 * @property {number} offset 0 to 1: position of this session's renewal in the spread; 0 is the latest
 * @property {() => Promise<Token>} logIn
 * @property {((refreshToken: string) => Promise<Token>) | null} refresh null if a new login is the
 *   only way to get another token
 * @property {(token: Token, kind: 'obtained' | 'refreshed') => void} onToken
 * @property {(error: LoadflameError) => void} onRetry a renewal failed and will be retried; reported once
 *   per outage
 * @property {(error: LoadflameError) => void} onFailed the token has expired, or no login can
 *   succeed any more; reported once per outage
 * @property {(late: {renewalMs: number, expiredMs: number}) => void} onLate the renewal took longer than the
 *   token's lifetime; reported when it or the session has ended
 * @property {AbortSignal} signal ends the session
 */

export class Session {
  #options;
  /** @type {Token | null} */
  token = null;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Resolves once no request is in progress. Only one runs at a time: the next timer is set when it ends. */
  renewal = Promise.resolve();

  /** @param {SessionOptions} options */
  constructor(options) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
  }

  /** Logs in; throws what `logIn` throws, without a retry. */
  async start() {
    this.#accept(await this.#options.logIn(), 'obtained');
  }

  /** @param {Token} next @param {'obtained' | 'refreshed'} kind */
  #accept(next, kind) {
    const { offset, signal, onToken } = this.#options;
    if (signal.aborted) return;
    this.token = next;
    onToken(next, kind);
    const lifeMs = next.expiresAtMs - next.obtainedAtMs;
    const dueMs = next.obtainedAtMs + lifeMs * (RENEW_AT - SPREAD * offset) - Date.now();
    const waitMs = Math.min(Math.max(dueMs, 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.renewal = this.#renew(next);
    }, waitMs);
    this.#timer.unref();
  }

  /** Never rejects: an unavailable provider must not end the run. @param {Token} old */
  async #renew(old) {
    const startedMs = Date.now();
    await this.#renewUntilDone(old);
    const nowMs = Date.now();
    const expiredMs = nowMs - old.expiresAtMs;
    if (expiredMs > 0) this.#options.onLate({ renewalMs: nowMs - startedMs, expiredMs });
  }

  /** @param {Token} old */
  async #renewUntilDone(old) {
    const { logIn, refresh, signal, onRetry, onFailed } = this.#options;
    let refreshToken = refresh ? old.refreshToken : null;
    let kind = /** @type {'obtained' | 'refreshed'} */ ('refreshed');
    let isReported = false;
    let failed = false;
    // Tokens with a short lifetime leave little time for retries.
    const soonMs = Math.max(MIN_RETRY_MS, (old.expiresAtMs - Date.now()) / 8);
    let retryMs = Math.min(FIRST_RETRY_MS, soonMs);
    while (!signal.aborted) {
      try {
        const next = refresh && refreshToken ? await refresh(refreshToken) : await logIn();
        return this.#accept(next, kind);
      } catch (cause) {
        if (signal.aborted) return;
        const error = /** @type {LoadflameError} */ (cause);
        const leftMs = old.expiresAtMs - Date.now();
        if (refreshToken && (!isTransient(error) || leftMs <= 0)) {
          // The session has ended, or there is no time left to retry the refresh: log in again.
          refreshToken = null;
          kind = 'obtained';
          continue;
        }
        if (!isTransient(error)) return onFailed(error);
        if (leftMs > 0) {
          if (!isReported) onRetry(error);
          isReported = true;
        } else {
          if (!failed) onFailed(error);
          failed = true;
          kind = 'obtained';
        }
        const delayMs = leftMs > 0 ? Math.min(retryMs, leftMs) : retryMs;
        // Rejects when the session ends, which the loop checks next.
        await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }
}
