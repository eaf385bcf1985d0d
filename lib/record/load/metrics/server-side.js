/** What answers say about the server behind them, summed up for a second. */
import { parseServerTiming } from './server-timing.js';
import { createStickyCookies } from './sticky-cookies.js';

/** Worker ids come from outside, and each restart of a worker makes a new one. */
const MAX_WORKERS = 500;
const MAX_ROUTES = 20;

/**
 * @typedef {object} ServerSums of an endpoint
 * @property {number} count answers that told their times
 * @property {number} totalMs
 * @property {number | null} cpuMs null where workers can't tell
 */

/**
 * @typedef {object} AnswerSigns what an answer brought along; most bring nothing
 * @property {string | null} timing its Server-Timing
 * @property {readonly string[] | null} setCookies
 * @property {() => string} readCookie Cookie of its request
 * @property {(() => string) | null} readRoute name of the endpoint by method and path, where the script
 *   gave it another
 */

/** @param {{stickyCookie?: string | null}} [options] */
export function createServerSide({ stickyCookie = null } = {}) {
  const sticky = createStickyCookies(stickyCookie);
  return {
    /**
     * @param {import('./second-recorder.js').Second} second
     * @param {import('./second-recorder.js').EndpointSecond} entry
     * @param {AnswerSigns} signs
     */
    note(second, entry, { timing, setCookies, readCookie, readRoute }) {
      const told = timing === null ? null : parseServerTiming(timing);
      if (told) {
        const sums = entry.server ?? { count: 0, totalMs: 0, cpuMs: 0 };
        entry.server = sums;
        sums.count += 1;
        sums.totalMs += told.totalMs;
        sums.cpuMs = sums.cpuMs === null || told.cpuMs === null ? null : sums.cpuMs + told.cpuMs;
        add(second.workers, told.worker, MAX_WORKERS);
        if (readRoute) {
          entry.routes ??= {};
          add(entry.routes, readRoute(), MAX_ROUTES);
        }
      }
      if (setCookies === null && !sticky.isKnown) return;
      const backend = sticky.backendOf(setCookies, readCookie);
      if (backend !== null) add(second.backends, backend, Number.POSITIVE_INFINITY);
    },
    knowsBackends: () => sticky.isKnown,
  };
}

/** @param {Record<string, number>} counts @param {string} name @param {number} most */
function add(counts, name, most) {
  const known = counts[name];
  if (known !== undefined) counts[name] = known + 1;
  else if (Object.keys(counts).length < most) counts[name] = 1;
  else counts['(others)'] = (counts['(others)'] ?? 0) + 1;
}
