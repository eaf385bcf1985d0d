/** What of a run can be compared: nothing that a clock, a port or a version's taste decides. */
import path from 'node:path';
import { countEqual } from './server/request-log.js';

/** Measured by ours always, by Artillery with `extendedMetrics`, or by ours alone. */
const TIMES_OF_PARTS = /^http\.(dns|tcp|tls|total)$/;
/** Counted and measured by ours alone. */
const OURS_ALONE =
  /^socketio\.(connect|connect_error|reconnect|received|bytes_\w+|disconnect\..*|push\w*|\w+_time|response_wait)$|^http\.total_from_intended$|^empty_variables\./;
const ARTILLERYS = 'socketio.response_time';
const ENDPOINTS = 'plugins.metrics-by-endpoint.';
/** A refusal, a warning or a note; not the code, the stack and the fields of an error, nor names of counters. */
const WARNS =
  /^(?:note|hint|error): |^WARNING|^worker error|^(?: {2}\[cause\]: )?\w*Error: |validation error|is not supported/;
const COUNTS = /^say: |^\w+\.\S|\.{3}/;
const ROOT = path.resolve(import.meta.dirname, '../..');
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
    log
      .normalize(line)
      .replaceAll(path.dirname(script.file), '<scripts>')
      .replaceAll(ROOT, '<root>')
      .replace(/\S*loadflame-conformance-\S*/, '<run>');
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
    printed: [
      ...new Set(
        lines(text)
          .filter(line => WARNS.test(line) && !COUNTS.test(line))
          .map(clean),
      ),
    ].sort(),
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
