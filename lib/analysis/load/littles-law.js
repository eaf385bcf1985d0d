/**
 * Little's law N = X·R (Little, Operations Research 9, 1961) as a test of the data: the number in progress is the
 * rate per second times the duration of each.
 */
import { mean, standardError } from '../../base/math/summary.js';

/** @import { LoadReport } from '../../run/facts/load-report.d.ts' */
/** @import { QualityTable } from '../../run/facts/quality.d.ts' */

/** Users are counted at the end of a second, which misses those that come and go inside it. */
const TOLERANCE = 0.2;
/** Of the mean of these counts: a short stall piles up users between two counts. */
const STANDARD_ERRORS = 3;
const SHORTEST_WINDOW = 10;
/**
 * A response's time counts in the window in which it ends, including the part before. Over windows of five
 * responses, that part is within the tolerance.
 */
const ANSWERS_PER_WINDOW = 5;
const LEAST_SECONDS = 5;

/**
 * Requests in progress can't outnumber active users, because a user waits for its response (except in `parallel`
 * steps). Checked window by window, because a whole run hides a burst.
 * @param {LoadReport} load
 * @returns {QualityTable['littles-law'] | null} `inFlight`, `users`: of the window with the most requests
 *   for its users; null where it can't be checked,
 *   such as for imported records without these counts
 */
export function checkRequests({ seconds, resolutionMs, http, users: { sessionMs } }) {
  const latency = http.totalTime ?? http.timeToFirstByte;
  if (!latency || resolutionMs !== 1000) return null;
  // Users who come and go between two counts are missed: how many were active is then unknown.
  if (sessionMs && (sessionMs.p99Ms ?? sessionMs.maxMs) < resolutionMs) return null;
  const longestMs = latency.p99Ms ?? latency.maxMs;
  const wanted = Math.max(SHORTEST_WINDOW, Math.ceil((longestMs / 1000) * ANSWERS_PER_WINDOW));
  const windowSec = Math.min(wanted, seconds.length);
  if (windowSec < LEAST_SECONDS) return null;
  /** @type {{inFlight: number, users: number, errorOfUsers: number}[]} */
  const windows = [];
  for (let start = 0; start + windowSec <= seconds.length; start += windowSec) {
    const part = seconds.slice(start, start + windowSec);
    const counts = part.flatMap(({ usersActive }) => usersActive ?? []);
    const [users, inFlight] = [mean(counts), countInFlight(part)];
    if (counts.length < windowSec || users < 1 || inFlight === null) continue;
    windows.push({ users, inFlight, errorOfUsers: standardError(counts) });
  }
  const excess = (/** @type {typeof windows[number]} */ { inFlight, users, errorOfUsers }) =>
    inFlight / ((users + STANDARD_ERRORS * errorOfUsers) * (1 + TOLERANCE) + 1);
  const [most] = windows.toSorted((a, b) => excess(b) - excess(a));
  const holds = most !== undefined && excess(most) <= 1;
  // Requests that got no response are in progress, too: without them, a few are no proof.
  const isLeast = seconds.some(({ errors, inFlightAtEnd }) => errors > 0 && inFlightAtEnd == null);
  if (!most || (holds && isLeast)) return null;
  const { inFlight, users } = most;
  return { windowSec, windows: windows.length, inFlight, users, holds };
}

/**
 * N = X·R from the client's side. That lacks requests that got no response, which the counts at the ends of seconds have.
 * @param {LoadReport['seconds']} seconds
 * @returns {number | null} null where the seconds lack the data
 */
export function countInFlight(seconds) {
  const counts = seconds.flatMap(({ inFlight }) => inFlight ?? []);
  const atEnd = seconds.flatMap(({ inFlightAtEnd }) => inFlightAtEnd ?? []);
  if (counts.length === 0) return null;
  const hasFailed = atEnd.length > 0 && seconds.some(({ errors }) => errors > 0);
  return Math.max(mean(counts), hasFailed ? mean(atEnd) : 0);
}
