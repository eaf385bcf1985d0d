/** Time limits of all connections and requests of a thread, checked by one timer. */

import { refuse } from './failures.js';

/**
 * @typedef {object} Watched
 * @property {number} watchedAt index among the watched; −1: none
 * @property {((error?: Error) => void) | null} abort
 * @property {(nowMs: number) => Error | null} exceeds by the clock of `performance.now()`
 */

/**
 * A request on the wire; times by `performance.now()`, 0 means not yet.
 * @typedef {object} Sent
 * @property {number} timeoutMs
 * @property {number} connectedMs
 * @property {number} sentMs
 * @property {number} headersMs
 * @property {boolean} gotData since the last check
 * @property {number} lastDataMs
 */

/** Precision of the limits. */
const RESOLUTION_MS = 100;
/** Artillery's agent waits at least this long for the rest of a body. */
const MIN_PAUSE_MS = 8000;
/** Limit of a body that never ends, however steadily it arrives. */
const MIN_BODY_MS = 60_000;

export function createTimeLimits() {
  /**
   * Not a Set: outgrown hash tables of a Set refer to the next one. A table in the old generation keeps all later ones,
   * with their content, from being collected with the young generation: a quarter of a request's cost.
   * @type {Watched[]}
   */
  const watched = [];
  /** @type {NodeJS.Timeout | null} */
  let timer = null;

  const check = () => {
    const nowMs = performance.now();
    for (const one of [...watched]) {
      const error = one.watchedAt < 0 ? null : one.exceeds(nowMs);
      if (error) one.abort?.(error);
    }
    if (watched.length > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    /** @param {Watched} one */
    watch(one) {
      one.watchedAt = watched.push(one) - 1;
      timer ??= setInterval(check, RESOLUTION_MS);
    },
    /** Moves the last one to its place. @param {Watched} one */
    forget(one) {
      const at = one.watchedAt;
      if (at < 0) return;
      const last = /** @type {Watched} */ (watched.pop());
      one.watchedAt = -1;
      if (last === one) return;
      watched[at] = last;
      last.watchedAt = at;
    },
  };
}

/** @typedef {ReturnType<typeof createTimeLimits>} TimeLimits */

/**
 * Waiting for a free connection is not limited (as in Artillery); the connection limits connecting.
 * @param {Sent} exchange
 * @param {number} nowMs on the clock of `performance.now()`
 */
export function findExceeded(exchange, nowMs) {
  const { timeoutMs, connectedMs, sentMs, headersMs } = exchange;
  if (headersMs > 0) {
    if (exchange.gotData) {
      exchange.gotData = false;
      exchange.lastDataMs = nowMs;
    }
    if (nowMs - Math.max(headersMs, exchange.lastDataMs) > Math.max(MIN_PAUSE_MS, timeoutMs)) {
      return refuse('Socket timeout', 'ERR_SOCKET_TIMEOUT');
    }
    const bodyMs = Math.max(MIN_BODY_MS, timeoutMs);
    if (nowMs - headersMs <= bodyMs) return null;
    return refuse(`Timeout awaiting the end of the body for ${bodyMs}ms`, 'ETIMEDOUT');
  }
  const waitedMs = sentMs > 0 ? nowMs - sentMs : 0;
  if (waitedMs > timeoutMs) {
    return refuse(`Timeout awaiting 'response' for ${timeoutMs}ms`, 'ETIMEDOUT');
  }
  const sendingMs = sentMs === 0 && connectedMs > 0 ? nowMs - connectedMs : 0;
  if (sendingMs <= Math.max(MIN_BODY_MS, timeoutMs)) return null;
  return refuse('Timeout while sending', 'ETIMEDOUT');
}
