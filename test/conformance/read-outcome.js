/** What of a run can be compared: nothing that a clock, a port or a version's taste decides. */
import path from 'node:path';
import { countEqual } from './server/request-log.js';

/** Measured by ours always, by Artillery with `extendedMetrics`, or by ours alone. */
const TIMES_OF_PARTS = /^http\.(dns|tcp|tls|total)$/;
/** Counted and measured by ours alone. */
const OURS_ALONE =
  /^socketio\.(connect|connect_error|reconnect|received|bytes_\w+|disconnect\..*|push\w*|\w+_time|response_wait)$|^http\.total_from_intended$/;
const ARTILLERYS = 'socketio.response_time';
const ENDPOINTS = 'plugins.metrics-by-endpoint.';
/** A line that a `log` step wrote for us. */
const SAID = /^(?:.*?\s)?say: (.*)$/;

/**
 * @param {object} run
 * @param {import('./list-scripts.js').ConformanceScript} run.script
 * @param {string} run.ended
 * @param {any} run.output Artillery's JSON
 * @param {string} run.vars lines of JSON
 * @param {string} run.text what was printed
 * @param {import('./server/request-log.js').RequestLog} run.log
 * @returns {import('./run-script.js').Outcome}
 */
export function readOutcome({ script, ended, output, vars, text, log }) {
  const { counters = {}, summaries = {} } = output?.aggregate ?? {};
  const isShared = (/** @type {string} */ name) =>
    (!OURS_ALONE.test(name) || name === ARTILLERYS) &&
    (!name.startsWith(ENDPOINTS) || script.text.includes('metrics-by-endpoint:')) &&
    (!TIMES_OF_PARTS.test(name) || script.text.includes('extendedMetrics: true'));
  const clean = (/** @type {string} */ line) =>
    log.normalize(line).replaceAll(path.dirname(script.file), '<scripts>');
  return {
    ended,
    counters: pick(counters, isShared, log.normalize, value => value),
    summaries: pick(summaries, isShared, log.normalize, value => value.count),
    vars: countEqual(lines(vars).map(clean)),
    said: countEqual(
      lines(text)
        .flatMap(line => SAID.exec(line)?.[1] ?? [])
        .map(clean),
    ),
    seen: log.lines().map(clean),
  };
}

/** @param {string} text */
function lines(text) {
  return text.split('\n').filter(line => line !== '');
}

/**
 * @param {Record<string, any>} values
 * @param {(name: string) => boolean} wanted
 * @param {(name: string) => string} rename
 * @param {(value: any) => number} read
 * @returns {Record<string, number>}
 */
function pick(values, wanted, rename, read) {
  const entries = Object.entries(values).filter(([name]) => wanted(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [rename(name), read(value)]).sort(byName),
  );
}

/** @param {any[]} one @param {any[]} other */
function byName([one], [other]) {
  return one < other ? -1 : 1;
}
