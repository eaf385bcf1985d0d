/** JSON reports of Artillery before 2.0 in the form of Artillery 2. */
import { sum } from '../../math/summary.js';

/** Of version 2's development: `engine.http.requests`, `core.vusers.created.total`. */
const DEVELOPMENT = /^(?:engine|core)\.|\.total$/g;

/**
 * @param {any} json that any version of Artillery wrote, not yet checked
 * @returns {any} the same where it is not of an earlier version
 */
export function toArtillery2(json) {
  const aggregate = toPeriod(json?.aggregate);
  if (!aggregate) return json;
  const { intermediate } = json;
  return {
    ...json,
    aggregate,
    ...(Array.isArray(intermediate) && {
      intermediate: intermediate.map(period => toPeriod(period) ?? period),
    }),
  };
}

/** @param {any} period @returns {any} null if it is of no earlier version */
function toPeriod(period) {
  const { counters = {}, summaries = {} } = period ?? {};
  if (typeof period?.scenariosCreated === 'number') return toFirst(period);
  if (!Object.keys(counters).some(name => /^(?:engine|core)\./.test(name))) return null;
  return { ...period, counters: rename(counters), summaries: rename(summaries) };
}

/** @param {object} values */
const rename = values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name.replace(DEVELOPMENT, ''), value]),
  );

/** Its summaries have neither means nor all percentiles. @param {any} period of version 1 */
function toFirst({ timestamp, codes = {}, errors = {}, latency, scenarioDuration, ...counts }) {
  const { scenariosCreated: created, scenariosCompleted: completed, phases = [] } = counts;
  const at = Date.parse(timestamp) || 0;
  const durations = phases.map((/** @type {any} */ { duration }) => Number(duration) || 0);
  const { count = 0, mean = 0 } = counts.rps ?? {};
  const lengthSec = sum(durations) || (mean > 0 ? count / mean : 0);
  const prefixed = (/** @type {string} */ prefix, /** @type {object} */ values) =>
    Object.entries(values).map(([name, count]) => [`${prefix}.${name}`, count]);
  const responses = sum(Object.values(codes));
  const counters = {
    'vusers.created': created,
    'vusers.completed': completed,
    'vusers.failed': Math.max(0, created - completed),
    // `rps` counts what was sent, and includes requests without a response
    'http.requests': counts.rps?.count ?? counts.requestsCompleted,
    'http.responses': responses,
    ...Object.fromEntries([...prefixed('http.codes', codes), ...prefixed('errors', errors)]),
  };
  const summary = (/** @type {any} */ times, /** @type {number} */ count) => ({
    ...times,
    count,
    p50: times?.median,
  });
  return {
    period: at,
    firstCounterAt: at - 1000 * lengthSec,
    lastCounterAt: at,
    counters,
    summaries: {
      'http.response_time': summary(latency, responses),
      'vusers.session_length': summary(scenarioDuration, completed),
    },
  };
}
