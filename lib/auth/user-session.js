/** One user's tokens, from the login to the end of the run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient } from './read-oidc-error.js';

/** @import { LoadflameError } from '../errors.js' */
/** @import { Token } from './read-token.js' */

/** The share of a token's life after which it is renewed. */
const RENEW_AT = 0.8;
/** Sessions of many users that began together are renewed over this share of a life, not at once. */
const SPREAD = 0.1;

const FIRST_RETRY_MS = 1000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 15_000;
/** Longest delay that a timer takes, 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * @typedef {object} SessionOptions
 * @property {number} offset 0 to 1: where in the spread this session is renewed; 0 is latest
 * @property {() => Promise<Token>} logIn
 * @property {((refreshToken: string) => Promise<Token>) | null} refresh null where a new login is the
 *   only way to another token
 * @property {(token: Token, kind: 'obtained' | 'refreshed') => void} onToken
 * @property {(error: LoadflameError) => void} onRetry a renewal failed and will be repeated; reported once
 *   per outage
 * @property {(error: LoadflameError) => void} onFailed the token has run out, or no login will ever
 *   work again; reported once per outage
 * @property {(late: {renewalMs: number, expiredMs: number}) => void} onLate the renewal took longer than the token lived:
 *   reported when it has ended, or the session
 * @property {AbortSignal} signal ends the session
 */

/**
 * @typedef {object} Session
 * @property {() => Token | null} token
 * @property {() => Promise<void>} start logs in; throws what `logIn` throws and does not repeat it
 * @property {() => Promise<void>} ended settles when no request is under way any more
 */

/**
 * @param {SessionOptions} options
 * @returns {Session}
 */
export function createSession({
  offset,
  logIn,
  refresh,
  onToken,
  onRetry,
  onFailed,
  onLate,
  signal,
}) {
  /** @type {Token | null} */
  let token = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** There is one renewal at a time, for only the end of one sets the timer of the next. */
  let renewal = Promise.resolve();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });

  /** @param {Token} next @param {'obtained' | 'refreshed'} kind */
  function accept(next, kind) {
    if (signal.aborted) return;
    token = next;
    onToken(next, kind);
    const lifeMs = next.expiresAtMs - next.obtainedAtMs;
    const dueMs = next.obtainedAtMs + lifeMs * (RENEW_AT - SPREAD * offset) - Date.now();
    timer = setTimeout(
      () => {
        renewal = renew(next);
      },
      Math.min(Math.max(dueMs, 0), MAX_TIMER_MS),
    );
    timer.unref();
  }

  /** Never rejects: a provider that is gone must not end the run. @param {Token} old */
  async function renew(old) {
    const startedMs = Date.now();
    await renewUntilDone(old);
    const nowMs = Date.now();
    const expiredMs = nowMs - old.expiresAtMs;
    if (expiredMs > 0) onLate({ renewalMs: nowMs - startedMs, expiredMs });
  }

  /** @param {Token} old */
  async function renewUntilDone(old) {
    let refreshToken = refresh ? old.refreshToken : null;
    let kind = /** @type {'obtained' | 'refreshed'} */ ('refreshed');
    let isReported = false;
    let failed = false;
    let retryMs = firstRetryMs(old);
    while (!signal.aborted) {
      try {
        const next = refresh && refreshToken ? await refresh(refreshToken) : await logIn();
        return accept(next, kind);
      } catch (cause) {
        if (signal.aborted) return;
        const error = /** @type {LoadflameError} */ (cause);
        const leftMs = old.expiresAtMs - Date.now();
        if (refreshToken && (!isTransient(error) || leftMs <= 0)) {
          // The session is over, or there is no time left to wait for it: a new one.
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

  return {
    token: () => token,
    start: async () => accept(await logIn(), 'obtained'),
    ended: () => renewal,
  };
}

/** Short lives leave little time for repeating. @param {Token} token */
function firstRetryMs({ expiresAtMs }) {
  return Math.min(FIRST_RETRY_MS, Math.max(MIN_RETRY_MS, (expiresAtMs - Date.now()) / 8));
}
