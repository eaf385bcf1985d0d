/** Does the load press the target, so that something has to limit it? */
import { formatMs, formatNumberOf, formatPercent } from '../../format.js';
import { median } from '../median.js';
import { findTrend } from '../trend.js';

/** @typedef {import('../report.d.ts').LoadReport} LoadReport */

/**
 * @typedef {object} Pressure
 * @property {boolean | null} isPressed null: not enough data to say
 * @property {string} why a clause
 */

/** What is shorter, or answers fewer, tells nothing of a queue. */
const LEAST_SECONDS = 4;
const LEAST_ANSWERS = 30;
/** In a closed loop: users that wait for an answer most of the time send as fast as they are served. */
const WAITING_USERS = 0.7;
const SKIPPED = 0.01;
const TIMED_OUT = 0.01;
/** A queue grows: answers take twice as long at the end as at the start, and not by chance. */
const GROWTH = 2;
const CHANCE = 0.01;
/** Twice a few milliseconds is noise of the machine. */
const LEAST_GROWTH_MS = 30;

/** @type {((load: LoadReport) => string | null)[]} the first that has something to say */
const SIGNS = [tellWaitingUsers, tellSkipped, tellTimeouts, tellGrowth];

/** @param {LoadReport} load @returns {Pressure} */
export function measurePressure(load) {
  const answers = load.http.responses;
  const seconds = load.seconds.filter(({ requests }) => requests > 0);
  const lengthSec = (seconds.length * load.resolutionMs) / 1000;
  if (lengthSec < LEAST_SECONDS || answers < LEAST_ANSWERS) {
    const why = `${formatNumberOf(answers, 'answer')} in ${formatNumberOf(lengthSec, 'second')} are too few`;
    return { isPressed: null, why };
  }
  for (const tell of SIGNS) {
    const why = tell(load);
    if (why) return { isPressed: true, why };
  }
  return {
    isPressed: false,
    why: 'answers did not get slower, and nobody had to wait to be served',
  };
}

/** @param {LoadReport} load */
function tellWaitingUsers({ phases, seconds }) {
  const closed = phases.filter(({ model }) => model === 'closed');
  if (closed.length === 0) return null;
  const inside = seconds.filter(({ startMs, usersActive, inFlight }) => {
    const isIn = closed.some(
      phase => startMs >= phase.startMs && startMs < (phase.endMs ?? Number.POSITIVE_INFINITY),
    );
    return isIn && usersActive && inFlight !== null;
  });
  if (inside.length === 0) return null;
  const users = median(inside.map(({ usersActive }) => usersActive ?? 0));
  const waiting = median(
    inside.map(({ usersActive, inFlight }) => (inFlight ?? 0) / (usersActive ?? 1)),
  );
  if (waiting < WAITING_USERS) return null;
  return `${formatNumberOf(users, 'user')} of a closed loop waited for an answer ${formatPercent(Math.min(1, waiting))} of the time`;
}

/** @param {LoadReport} load */
function tellSkipped({ users }) {
  const { created, skipped } = users;
  const share = skipped / Math.max(1, created + skipped);
  if (share <= SKIPPED) return null;
  return `${formatPercent(share)} of the arrivals found all users still at work`;
}

/** @param {LoadReport} load */
function tellTimeouts({ errors, http }) {
  const late = errors.filter(({ name }) => /TIMEDOUT|timeout/i.test(name));
  const count = late.reduce((sum, error) => sum + error.count, 0);
  if (count <= http.requests * TIMED_OUT) return null;
  return `${formatNumberOf(count, 'request')} of ${http.requests} got no answer in time`;
}

/** @param {LoadReport} load */
function tellGrowth({ seconds }) {
  const points = seconds.flatMap(({ startMs, p50Ms }) =>
    p50Ms === null ? [] : [{ x: startMs, y: p50Ms }],
  );
  const trend = findTrend(points);
  if (!trend || trend.p > CHANCE) return null;
  const start = Math.max(trend.start, Math.min(...points.map(({ y }) => y)));
  if (trend.end < start * GROWTH || trend.end - start < LEAST_GROWTH_MS) return null;
  return `half of the answers took ${formatMs(start)} at the start and ${formatMs(trend.end)} at the end`;
}
