/** Time limits of all requests of a thread, looked after by one timer. */

/**
 * A request on the wire; times by `performance.now()`, 0 is not yet.
 * @typedef {object} Watched
 * @property {number} watchedAt place among those that are watched; −1: nowhere
 * @property {((error?: Error) => void) | null} abort
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

/** @param {string} message @param {string} code */
const limitError = (message, code) => Object.assign(new Error(message), { code });

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
    for (const exchange of [...watched]) {
      const error = findExceeded(exchange, nowMs);
      if (error) exchange.abort?.(error);
    }
    if (watched.length > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    /** @param {Watched} exchange */
    watch(exchange) {
      exchange.watchedAt = watched.push(exchange) - 1;
      timer ??= setInterval(check, RESOLUTION_MS);
    },
    /** The last one takes its place. @param {Watched} exchange */
    forget(exchange) {
      const at = exchange.watchedAt;
      if (at < 0) return;
      const last = /** @type {Watched} */ (watched.pop());
      exchange.watchedAt = -1;
      if (last === exchange) return;
      watched[at] = last;
      last.watchedAt = at;
    },
  };
}

/**
 * Waiting for a free connection is not limited (nor in Artillery), connecting is by the connector.
 * @param {Omit<Watched, 'watchedAt' | 'abort'>} exchange
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
      return limitError('Socket timeout', 'ERR_SOCKET_TIMEOUT');
    }
    const bodyMs = Math.max(MIN_BODY_MS, timeoutMs);
    if (nowMs - headersMs <= bodyMs) return null;
    return limitError(`Timeout awaiting the end of the body for ${bodyMs}ms`, 'ETIMEDOUT');
  }
  const waitedMs = sentMs > 0 ? nowMs - sentMs : 0;
  if (waitedMs > timeoutMs) {
    return limitError(`Timeout awaiting 'response' for ${timeoutMs}ms`, 'ETIMEDOUT');
  }
  const sendingMs = sentMs === 0 && connectedMs > 0 ? nowMs - connectedMs : 0;
  if (sendingMs <= Math.max(MIN_BODY_MS, timeoutMs)) return null;
  return limitError('Timeout while sending', 'ETIMEDOUT');
}
