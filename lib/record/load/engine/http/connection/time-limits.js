/** Time limits of all connections and requests of a thread, looked after by one timer. */

import { refuse } from './failures.js';

/**
 * @typedef {object} Watched
 * @property {number} watchedAt place among those that are watched; −1: nowhere
 * @property {((error?: Error) => void) | null} abort
 * @property {(nowMs: number) => Error | null} exceeds by the clock of `performance.now()`
 */

/**
 * A request on the wire; times by `performance.now()`, 0 is not yet.
 * @typedef {object} Sent
 * @property {number} timeoutMs
 * @property {number} connectedMs
 * @property {number} sentMs
 * @property {number} headersMs
 * @property {boolean} gotData since the last look
 * @property {number} lastDataMs
 */

/** How exact they are. */
const RESOLUTION_MS = 100;
/** Artillery's agent waits at least so long for the rest of a body. */
const MIN_PAUSE_MS = 8000;
/** A body that never ends, however steadily it comes. */
const MIN_BODY_MS = 60_000;

export function createTimeLimits() {
  /**
   * Not a Set: its outgrown tables lead from one to the next, and one that is old keeps all of them, with
   * what they held, from the collector of the young generation: a quarter of a request's cost.
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
    /** The last one takes its place. @param {Watched} one */
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
 * Waiting for a free connection is not limited (nor in Artillery), connecting is by the connection.
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
