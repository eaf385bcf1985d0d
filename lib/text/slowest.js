/** The slowest requests in words: of each what it waited for, and where its time went. */
import { formatClock, formatMs } from '../base/format.js';
import { nameCall, nameCaller } from './calls.js';
import {
  amount,
  code,
  column,
  drawing,
  list,
  only,
  pairs,
  paragraph,
  section,
  table,
} from './document/build.js';

/** @import { RequestPartId, SlowRequest } from '../run/facts/slow-requests.d.ts' */
/** @import { WordedReport } from './worded-report.d.ts' */

const MOST_ROWS = 20;

/** @type {Record<RequestPartId, string>} */
const PARTS = {
  opening: 'opening its connection',
  queue: 'waiting for a free connection of the load generator',
  front: 'waiting in front of the worker',
  loop: 'waiting while other requests kept the event loop',
  lock: 'waiting for a lock',
  gc: 'garbage collection',
  pool: 'waiting for a connection of a pool',
  statements: 'database statements',
  calls: 'calls of other services',
  connect: 'new connections of the app',
  cpu: 'its own CPU',
  body: 'body of the response',
  other: 'not known',
};

/** "waiting for a lock, 1.2 s of 1.3 s" @param {SlowRequest} request */
export function describeCause({ cause, parts, phases, blockers, worker, isBound, samples }) {
  const most = parts.find(({ id }) => id === cause);
  if (!most)
    return `not known: ${worker === null ? 'no report of the companion' : isBound ? 'its calls may have waited for the CPU of their worker' : `no part has half of it${samples ? '' : ', and no sample fell into it (--profile shows locks)'}`}`;
  const who = cause === 'loop' && blockers[0] ? ` (${blockers[0].route})` : '';
  return `${PARTS[most.id]}${who}, ${formatMs(most.ms)} of ${formatMs(phases.totalMs)}`;
}

/** @param {SlowRequest} request */
const describeEnd = ({ status, error, code: kind }) =>
  `${status ?? 'no response'}${error || (kind && kind !== String(status)) ? `, ${error || kind}` : ''}`;

/** "GET /report took 1.3 s at 12:00:01: waiting for a lock, 1.2 s of 1.3 s" @param {SlowRequest} request */
export const describeSlow = request =>
  `${request.endpoint} took ${formatMs(request.phases.totalMs)} at ${formatClock(request.startedAtMs)} (${describeEnd(request)}): ${describeCause(request)}`;

/**
 * @param {Pick<WordedReport, 'slowest'>} report
 * @param {string[] | null} [endpoints] null: all
 * @returns {SlowRequest[]} the slowest first
 */
export const sortSlowest = ({ slowest = [] }, endpoints = null) =>
  slowest
    .filter(own => endpoints === null || endpoints.includes(own.endpoint))
    .sort((a, b) => b.phases.totalMs - a.phases.totalMs);

/** @param {WordedReport} report */
export function describeSlowest(report) {
  const rows = sortSlowest(report).slice(0, MOST_ROWS);
  return only(
    ['full'],
    rows.length > 0 &&
      section(
        'slowest',
        'Slowest requests',
        list(rows.map(describeSlow)),
        paragraph("Calls: `loadflame explain last slowest --json`, or `'slowest GET /orders'`."),
      ),
  );
}

/** A request whole, with a waterfall of its parts. @param {SlowRequest} request */
export function describeRequest(request) {
  const { parts, phases, headers, body, calls, worker, user, cpuMs, samples } = request;
  const workerMs = phases.waitMs + (parts.find(({ id }) => id === 'front')?.ms ?? 0);
  const rows = parts.map(own => {
    const from = (own.startMs ?? workerMs) / phases.totalMs;
    return { ...own, from, share: own.ms / phases.totalMs };
  });
  return section(
    '',
    'Where its time went',
    table('Parts of its time', rows, [
      column('part', ({ id }) => PARTS[id]),
      column('when', own => drawing('part', own)),
      amount('took', ({ ms }) => ms, 'ms'),
    ]),
    table('What it executed', calls, [
      column('call', call => [code(nameCall(call))]),
      amount('times', ({ count }) => count, 'count'),
      amount('took', ({ ms }) => ms, 'ms'),
      column('line', call => nameCaller(call) ?? 'not known'),
    ]),
    pairs([
      ['request', [code(`${request.method} ${request.url}`)]],
      ['user', user],
      ['worker', worker ?? 'not known'],
      ['CPU', cpuMs === null ? 'not known' : formatMs(cpuMs)],
      ['samples', samples && `${samples.count} in its half-seconds, ${samples.locks} at a lock`],
      ...Object.entries(headers),
      ['body', body && [code(body)]],
    ]),
  );
}
