/** The load over time, one entry a second. */
import { entryOf } from '../../../base/files/maps.js';
import { countErrors, countersBelow, totalCount } from '../../../base/math/counters.js';
import { Sketch } from '../../../base/math/sketch.js';
import { sum } from '../../../base/math/summary.js';
import { SECOND_MS } from './build-grid.js';

/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */

/** @typedef {import('../../../run/facts/records.d.ts').RecordOf<'metrics', 'second'>} SecondRecord of one worker */

/** Longer gaps (between two load tests of one recording) are not filled with zeros. */
const MAX_FILLED_GAP = 3600;

/**
 * @typedef {object} Second of all workers
 * @property {number} requests
 * @property {number} errors
 * @property {number} responses
 * @property {number} refused responses of 401
 * @property {number | null} usersActive
 * @property {Sketch} timeToFirstByte ms
 * @property {number} totalMs of all responses, where the engine measures it
 * @property {number} begun requests that were sent, minus those that ended, by the counts of endpoints
 * @property {boolean} hasEndpoints
 */

/** Adds up the `second` records of several workers. */
export class Seconds {
  /** @type {Map<number, Second>} */
  #byStart = new Map();

  /** @param {SecondRecord} record */
  add({ fromMs, usersActive, counters = {}, sketches = {}, endpoints }) {
    // Already whole, unless the load's times were moved to another clock.
    const startMs = Math.round(fromMs / SECOND_MS) * SECOND_MS;
    const second = entryOf(this.#byStart, startMs, createSecond);
    second.requests += Number(counters['http.requests'] ?? 0);
    second.errors += countErrors(counters);
    second.responses += totalCount(countersBelow(counters, 'http.codes.'));
    second.refused += Number(counters['http.codes.401'] ?? 0);
    if (typeof usersActive === 'number')
      second.usersActive = (second.usersActive ?? 0) + usersActive;
    const { 'http.response_time': toFirstByte, 'http.total': total } = sketches;
    if (toFirstByte) second.timeToFirstByte.addJson(toFirstByte);
    second.totalMs += total?.sum ?? 0;
    second.begun += sum(Object.values(endpoints ?? {}).map(countBegun));
    second.hasEndpoints ||= endpoints !== undefined;
  }

  /** @returns {[startMs: number, second: Second][]} oldest first */
  entries() {
    return [...this.#byStart].sort(([a], [b]) => a - b);
  }

  /** @returns {LoadReport['seconds']} oldest first, without holes */
  list() {
    const entries = this.entries();
    const isCounted = entries.some(([, { hasEndpoints }]) => hasEndpoints);
    let underWay = 0;
    return entries.flatMap(([startMs, second], index) => {
      const previousMs = entries[index - 1]?.[0] ?? startMs - SECOND_MS;
      const missing = (startMs - previousMs) / SECOND_MS - 1;
      const hole = Array.from({ length: missing <= MAX_FILLED_GAP ? missing : 0 }, (_, n) =>
        toReport(previousMs + (n + 1) * SECOND_MS, createSecond(), isCounted ? underWay : null),
      );
      underWay += second.begun;
      return [...hole, toReport(startMs, second, isCounted ? underWay : null)];
    });
  }
}

/** @returns {Second} */
function createSecond() {
  return {
    ...{ requests: 0, errors: 0, responses: 0, refused: 0, usersActive: null, totalMs: 0 },
    ...{ begun: 0, hasEndpoints: false },
    timeToFirstByte: new Sketch(),
  };
}

/** @param {NonNullable<SecondRecord['endpoints']>[string]} endpoint */
function countBegun({ requests = 0, errors = 0, statuses = {} }) {
  const answers = Object.entries(statuses);
  const refused = sum(answers.map(([status, { count }]) => (Number(status) >= 400 ? count : 0)));
  return requests - sum(answers.map(([, { count }]) => count)) - (errors - refused);
}

/** @param {number} startMs @param {Second} second @param {number | null} atEnd requests under way then @returns {LoadReport['seconds'][number]} */
function toReport(startMs, { requests, errors, usersActive, timeToFirstByte, totalMs }, atEnd) {
  return {
    startMs,
    requests,
    errors,
    p50Ms: timeToFirstByte.quantile(0.5),
    p95Ms: timeToFirstByte.quantile(0.95),
    p99Ms: timeToFirstByte.quantile(0.99),
    usersActive,
    inFlight: (totalMs || timeToFirstByte.sum) / SECOND_MS,
    inFlightAtEnd: atEnd,
  };
}
