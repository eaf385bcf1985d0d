/** Sums over the records of a load test: counters and sketches. */
import { Sketch } from '../../math/sketch.js';
import { summarizeLatency } from './latency.js';

/** @import { SketchJson } from '../../math/sketch.js' */
/** @import { LatencySummary } from '../../facts/estimate.d.ts' */
/** @import { LoadReport } from '../../facts/load-report.d.ts' */

/**
 * What a record counted, and its sketches: several parts of one name are merged where they are used.
 * @typedef {{counters: Record<string, number>, sketches: Record<string, SketchJson[]>}} Figures
 */

/**
 * Figures of a `second` record. What it says of HTTP as a whole is what its endpoints say together;
 * where it leaves that out, it is made from them.
 * @param {Record<string, any>} record
 * @returns {Figures}
 */
export function readFigures({ counters = {}, sketches = {}, endpoints = {} }) {
  const lists = Object.fromEntries(
    Object.entries(sketches).map(([name, sketch]) => [name, [sketch]]),
  );
  if ('http.requests' in counters || 'http.responses' in counters)
    return { counters, sketches: lists };
  /** @type {Figures} */
  const figures = { counters: { ...counters }, sketches: lists };
  const add = (/** @type {string} */ name, /** @type {number} */ n) => {
    figures.counters[name] = (figures.counters[name] ?? 0) + n;
  };
  const file = (/** @type {string} */ name, /** @type {SketchJson | undefined} */ sketch) => {
    if (!sketch) return;
    figures.sketches[name] ??= [];
    figures.sketches[name].push(sketch);
  };
  for (const { requests = 0, statuses = {} } of Object.values(endpoints)) {
    add('http.requests', requests);
    for (const [status, { count = 0, timeToFirstByte, total }] of Object.entries(statuses)) {
      add('http.responses', count);
      add(`http.codes.${status}`, count);
      file('http.response_time', timeToFirstByte);
      file('http.total', total);
    }
  }
  return figures;
}

/** Counters and sketches of many records. */
export class Sums {
  /** @type {Record<string, number>} */
  counters = {};
  /** @type {Record<string, Sketch>} */
  #sketches = {};

  /** @param {Iterable<Record<string, any>>} records `second` records */
  static of(records) {
    const sums = new Sums();
    for (const record of records) sums.add(readFigures(record));
    return sums;
  }

  /** @param {Figures} figures */
  add({ counters, sketches }) {
    for (const [name, count] of Object.entries(counters))
      this.counters[name] = (this.counters[name] ?? 0) + Number(count);
    for (const [name, parts] of Object.entries(sketches)) {
      this.#sketches[name] ??= new Sketch();
      for (const part of parts) this.#sketches[name].addJson(part);
    }
  }

  /** @param {string} name @returns {Sketch} an empty one where nothing was measured */
  sketch(name) {
    return this.#sketches[name] ?? new Sketch();
  }

  /** What sketches below a prefix hold, the prefix taken off. @param {string} prefix @returns {[string, Sketch][]} */
  below(prefix) {
    return Object.entries(this.#sketches).flatMap(([name, sketch]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), sketch]] : [],
    );
  }

  /** @param {string} name of a sketch of milliseconds */
  times(name) {
    return summarizeLatency(this.sketch(name));
  }
}

/**
 * Counters with a common prefix, the prefix taken off, the most frequent first.
 * @param {Record<string, number>} counters
 * @param {string} prefix
 * @returns {{name: string, count: number}[]}
 */
export function countersBelow(counters, prefix) {
  return Object.entries(counters)
    .filter(([name, count]) => name.startsWith(prefix) && count > 0)
    .map(([name, count]) => ({ name: name.slice(prefix.length), count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

/** @param {{count: number}[]} list */
export function totalCount(list) {
  return list.reduce((sum, { count }) => sum + count, 0);
}

/**
 * @param {Record<string, number>} counters
 * @param {(name: string) => LatencySummary | null} timesOf
 * @returns {LoadReport['websocket']} null where it was not used
 */
export function buildWebsocket(counters, timesOf) {
  const count = (/** @type {string} */ name) => counters[`websocket.${name}`] ?? 0;
  const connected = count('connect') + count('connect_error');
  if (connected + count('messages_sent') === 0) return null;
  // Artillery's engine counts messages, and neither connections nor replies
  const known = (/** @type {string} */ name) => (connected > 0 ? count(name) : null);
  return {
    connects: known('connect'),
    connectErrors: known('connect_error'),
    sent: count('messages_sent'),
    received: count('messages_received'),
    replies: known('replies'),
    bytesSent: known('bytes_sent'),
    bytesReceived: known('bytes_received'),
    connectTime: timesOf('websocket.connect_time'),
    replyTime: timesOf('websocket.reply_time'),
  };
}

/**
 * Errors by name. One of a response whose status is a failure already is no other failure.
 * @param {Record<string, number>} counters
 */
export function listErrors(counters) {
  return countersBelow(counters, 'errors.').flatMap(({ name, count }) => {
    const own = count - (counters[`http.refused.${name}`] ?? 0);
    return own > 0 ? [{ name, count: own }] : [];
  });
}

/**
 * What became of the users of each scenario.
 * @param {Record<string, number>} counters
 * @returns {LoadReport['users']['byScenario']}
 */
export function listScenarios(counters) {
  const isKnown = Object.keys(counters).some(name =>
    /^vusers\.(completed|failed)_by_name/.test(name),
  );
  return countersBelow(counters, 'vusers.created_by_name.').map(({ name, count }) => {
    const failed = counters[`vusers.failed_by_name.${name}`] ?? 0;
    const ended = failed + (counters[`vusers.completed_by_name.${name}`] ?? 0);
    return { name, count, ...(isKnown ? { ended, failed } : { ended: null, failed: null }) };
  });
}
