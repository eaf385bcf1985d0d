/** Does the load saturate the target? Then something must be the bottleneck. */
import { least, mean, median, sum } from '../../../base/math/summary.js';
import { findTrend } from '../../../base/math/trend.js';
import { MEASURED_TWICE } from '../../bottleneck/resources.js';
import { totalLengthMs } from '../../read/load/load-totals.js';

/** @import { GatheredFacts, Pressure } from '../../../run/facts/bottleneck.d.ts' */
/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */

/** A shorter load, or one with fewer responses, shows nothing about a queue. */
const LEAST_SECONDS = 4;
const LEAST_RESPONSES = 30;
/** Closed loop: users who spend most of their time waiting for a response send as fast as they are served. */
const WAITING_USERS = 0.7;
/** At least this many sessions must fit into the load one after another for their times to be typical. */
const SESSIONS = 5;
const DROPPED = 0.01;
const TIMED_OUT = 0.01;
/** A queue grows: responses take 1.5 times as long at the end, and neither chance nor machine noise explains it. */
const GROWTH = 1.5;
export const CHANCE = 0.001;
const LEAST_GROWTH_MS = 20;
/** Parts of the load by time, and by how many requests in progress they differ at least. */
const PARTS = 3;
const LEAST_BACKLOG = 2;

/** @type {((load: LoadReport) => Pressure | null)[]} the first that applies wins */
const SIGNS = [
  findMessages,
  findTooShort,
  findWaitingUsers,
  findDropped,
  findTimeouts,
  findSlower,
  findBacklog,
];

/** @param {LoadReport} load @returns {Pressure} */
export function measurePressure(load) {
  return SIGNS.map(find => find(load)).find(sign => sign !== null) ?? { id: 'steady', facts: {} };
}

/** All other signs are about HTTP requests. @type {(load: LoadReport) => Pressure | null} */
function findMessages({ http, websocket, socketio }) {
  if (http.requests > 0 || (!websocket && !socketio)) return null;
  const { acknowledged, responseWait } = socketio ?? {};
  const replies = [websocket?.replies, acknowledged?.count, responseWait?.count];
  return { id: 'messages', facts: { replies: sum(replies.map(count => count ?? 0)) } };
}

/** @type {(load: LoadReport) => Pressure | null} */
function findTooShort({ http: { responses }, seconds, resolutionMs, windows }) {
  const busyMs = seconds.filter(({ requests }) => requests > 0).length * resolutionMs;
  // A file may have no periods.
  const lengthSec = (seconds.length > 0 ? busyMs : totalLengthMs(windows)) / 1000;
  const isEnough = lengthSec >= LEAST_SECONDS && responses >= LEAST_RESPONSES;
  return isEnough ? null : { id: 'short', facts: { responses, seconds: lengthSec } };
}

/** @type {(load: LoadReport) => Pressure | null} */
function findWaitingUsers(load) {
  const { phases, seconds } = load;
  const closed = phases.filter(({ model }) => model === 'closed');
  if (closed.length === 0) return null;
  const inside = seconds.filter(({ startMs, usersActive, inFlight }) => {
    const isIn = closed.some(one => startMs >= one.startMs && startMs < (one.endMs ?? Infinity));
    return isIn && usersActive && inFlight !== null;
  });
  if (inside.length === 0) return null;
  const users = median(inside.map(({ usersActive }) => usersActive ?? 0));
  // A response's whole time counts in the second in which it ends, so earlier seconds miss long responses.
  const atEnd = inside.flatMap(({ usersActive, inFlightAtEnd }) =>
    inFlightAtEnd == null ? [] : inFlightAtEnd / (usersActive ?? 1),
  );
  const waiting =
    atEnd.length > 0
      ? mean(atEnd)
      : median(inside.map(({ usersActive, inFlight }) => (inFlight ?? 0) / (usersActive ?? 1)));
  if (waiting < WAITING_USERS) return null;
  const share = (closed.length === phases.length ? measureWaitingShare(load) : null) ?? waiting;
  return { id: 'waiting', facts: { users, share: Math.min(1, share) } };
}

/**
 * Measured over the time of users who finished: more exact than the seconds.
 * @param {LoadReport} load
 * @returns {number | null} null where users last long, so that many requests belong to users who never finished
 */
function measureWaitingShare({ windows, users: { sessionMs }, http: { totalTime } }) {
  if (!sessionMs || !totalTime) return null;
  if ((sessionMs.p99Ms ?? sessionMs.maxMs) * SESSIONS > totalLengthMs(windows)) return null;
  return (totalTime.meanMs * totalTime.count) / (sessionMs.meanMs * sessionMs.count);
}

/** @type {(load: LoadReport) => Pressure | null} */
function findDropped({ users }) {
  const { created, skipped } = users;
  const share = skipped / Math.max(1, created + skipped);
  return share <= DROPPED ? null : { id: 'dropped', facts: { share } };
}

/** @type {(load: LoadReport) => Pressure | null} */
function findTimeouts(load) {
  const late = load.errors.filter(({ name }) => /TIMEDOUT|timeout/i.test(name));
  const count = sum(late.map(error => error.count));
  const { tried } = load.failures;
  return count <= tried * TIMED_OUT ? null : { id: 'timeouts', facts: { count, tried } };
}

/** Compares the medians at the start and the end, where they rise. @type {(load: LoadReport) => Pressure | null} */
function findSlower({ seconds }) {
  const points = seconds.flatMap(({ startMs, p50Ms }) =>
    p50Ms === null ? [] : [{ x: startMs, y: p50Ms }],
  );
  const trend = findTrend(points);
  if (!trend || trend.p > CHANCE) return null;
  // A line through a curve can start below every measured value.
  const startMs = Math.max(trend.start, least(points.map(({ y }) => y)));
  const endMs = trend.end;
  const isSteady = endMs < startMs * GROWTH || endMs - startMs < LEAST_GROWTH_MS;
  return isSteady ? null : { id: 'slower', facts: { startMs, endMs } };
}

/**
 * More requests in progress later, by more than the load rose: each took longer (Little's law). It proves no queue, as
 * more expensive requests may have come, but refutes a steady run. @type {(load: LoadReport) => Pressure | null}
 */
function findBacklog({ phases, seconds, resolutionMs }) {
  const found = comparePairs({ phases, seconds, resolutionMs }, (start, end) => {
    const isLonger = end.inFlight / end.ratePerSec >= (GROWTH * start.inFlight) / start.ratePerSec;
    return end.inFlight - start.inFlight >= LEAST_BACKLOG && isLonger;
  });
  return found && { id: 'backlog', facts: found };
}

/**
 * Two parts of the load, the later one with more users who get no more responses.
 * @param {LoadReport} load @returns {GatheredFacts['flat']} null: there is none, or the number of users does not change
 */
export function findFlat(load) {
  return comparePairs(load, (start, end) => {
    const isMore = start.users > 0 && end.users >= start.users * GROWTH;
    return isMore && end.ratePerSec <= start.ratePerSec * MEASURED_TWICE;
  });
}

/**
 * @typedef {{inFlight: number, ratePerSec: number, users: number}} LoadPart
 * @param {Pick<LoadReport, 'phases' | 'seconds' | 'resolutionMs'>} load
 * @param {(start: LoadPart, end: LoadPart) => boolean} holds for a part and a later one
 */
function comparePairs({ phases, seconds, resolutionMs }, holds) {
  // After the last arrival the backlog drains.
  const endMs = phases.at(-1)?.endMs ?? Number.POSITIVE_INFINITY;
  const sending = seconds.filter(({ startMs }) => startMs < endMs);
  const length = Math.max(1, Math.ceil(sending.length / PARTS));
  const parts = Array.from({ length: PARTS }, (_, at) => {
    const part = sending.slice(at * length, (at + 1) * length);
    const counts = part.flatMap(one => one.inFlightAtEnd ?? one.inFlight ?? []);
    const ratePerSec = mean(part.map(one => one.requests)) / (resolutionMs / 1000);
    const users = mean(part.map(({ usersActive }) => usersActive ?? 0));
    return { inFlight: counts.length > 0 ? median(counts) : 0, ratePerSec, users };
  });
  for (const [at, start] of parts.entries())
    for (const end of parts.slice(at + 1)) if (holds(start, end)) return { start, end };
  return null;
}
