/**
 * Little's law N = X·R (Little, Operations Research 9, 1961) as a test of the data: what is at work at
 * a time is what comes per second times how long each takes.
 */
import { mean, standardError } from '../../math/summary.js';

/** @import { LoadReport } from '../../facts/load-report.d.ts' */
/** @import { QualityTable } from '../../facts/quality.d.ts' */

/** Users are counted at the end of a second: what comes and goes inside it is not seen. */
const TOLERANCE = 0.2;
/** Of the mean of these counts: a short stall piles users up between two of them. */
const STANDARD_ERRORS = 3;
const SHORTEST_WINDOW = 10;
/**
 * An answer's time is counted in the window in which it ends, also the part before. Over windows of
 * five answers that part is within the tolerance.
 */
const ANSWERS_PER_WINDOW = 5;
const LEAST_SECONDS = 5;

/**
 * Requests under way can't be more than active users, for a user waits for its answer (those of
 * `parallel` steps apart). Checked window by window, because a whole run hides a burst.
 * @param {LoadReport} load
 * @returns {QualityTable['littles-law'] | null} `inFlight`, `users`: of the window with the most requests
 *   for its users; null where it can't be checked
 */
export function checkRequests({ seconds, resolutionMs, http, users: { sessionMs } }) {
  const latency = http.totalTime ?? http.timeToFirstByte;
  if (!latency || resolutionMs !== 1000) return null;
  // Users who come and go between two counts are not seen: how many were at work is not known then.
  if (sessionMs && sessionMs.p99Ms < resolutionMs) return null;
  const wanted = Math.max(SHORTEST_WINDOW, Math.ceil((latency.p99Ms / 1000) * ANSWERS_PER_WINDOW));
  const windowSec = Math.min(wanted, seconds.length);
  if (windowSec < LEAST_SECONDS) return null;
  /** @type {{inFlight: number, users: number, errorOfUsers: number}[]} */
  const windows = [];
  for (let start = 0; start + windowSec <= seconds.length; start += windowSec) {
    const part = seconds.slice(start, start + windowSec);
    const counts = part.map(({ usersActive }) => usersActive ?? 0);
    const users = mean(counts);
    if (users < 1) continue;
    const inFlight = mean(part.map(({ inFlight: n }) => n ?? 0));
    windows.push({ users, inFlight, errorOfUsers: standardError(counts) });
  }
  const excess = (/** @type {typeof windows[number]} */ { inFlight, users, errorOfUsers }) =>
    inFlight / ((users + STANDARD_ERRORS * errorOfUsers) * (1 + TOLERANCE) + 1);
  const [most] = windows.toSorted((a, b) => excess(b) - excess(a));
  if (!most) return null;
  const { inFlight, users } = most;
  return { windowSec, windows: windows.length, inFlight, users, holds: excess(most) <= 1 };
}

/**
 * N = X·R from the client's side, over the whole load.
 * @param {LoadReport | null} load
 * @returns {number | null} null where its seconds do not say it
 */
export function measureInFlight(load) {
  const counts = load?.seconds.flatMap(({ inFlight }) => inFlight ?? []) ?? [];
  return counts.length > 0 ? mean(counts) : null;
}
