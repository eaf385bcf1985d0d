/** What was summed up in a second, as a `second` record (`docs/run-folder.md`). */
import { Sketch } from '../../../math/sketch.js';

/** @import { Answers, Second, ServerSums } from './second.d.ts' */

/**
 * @param {Second} second
 * @returns {Record<string, any>} fields of the record
 */
export function secondToJson(second) {
  const { fromMs, firstMs, lastMs, counters, rates, sketches, workers, backends, failed } = second;
  addHttp(second);
  return {
    fromMs,
    firstMs,
    lastMs,
    rates,
    counters,
    sketches: Object.fromEntries(
      Object.entries(sketches).map(([name, sketch]) => [name, sketch.toJson()]),
    ),
    endpoints: Object.fromEntries(
      [...second.endpoints].map(([name, { requests, errors, statuses, server, routes }]) => [
        name,
        {
          requests,
          errors,
          statuses: statusesToJson(statuses),
          ...(server && { server: roundSums(server) }),
          ...(routes && { routes }),
        },
      ]),
    ),
    ...(Object.keys(workers).length > 0 && { workers }),
    ...(Object.keys(backends).length > 0 && { backends }),
    ...(Object.keys(failed).length > 0 && { failed }),
  };
}

/** Workers tell microseconds. @param {ServerSums} sums */
function roundSums({ count, totalMs, cpuMs, aroundMs, blocked }) {
  const round = (/** @type {number} */ ms) => Math.round(ms * 1000) / 1000;
  return {
    count,
    totalMs: round(totalMs),
    cpuMs: cpuMs === null ? null : round(cpuMs),
    ...(aroundMs !== undefined && { aroundMs: round(aroundMs) }),
    ...(blocked && { blocked: { ...blocked, ms: round(blocked.ms), cpuMs: round(blocked.cpuMs) } }),
  };
}

/** @param {Map<number, Answers>} statuses */
function statusesToJson(statuses) {
  return Object.fromEntries(
    [...statuses].map(([status, { count, timeToFirstByte, total, sums }]) => [
      status,
      {
        count,
        timeToFirstByte: timeToFirstByte.toJson(),
        ...(total.count > 0 && { total: total.toJson() }),
        ...(Object.keys(sums).length > 0 && { sums }),
      },
    ]),
  );
}

/**
 * What Artillery's HTTP engine would have counted, under its names; `http.total_from_intended` is
 * ours.
 * @param {Second} second
 */
function addHttp({ counters, sketches, endpoints, totalFromIntended }) {
  const add = (/** @type {string} */ name, /** @type {number} */ n) => {
    if (n > 0) counters[name] = (counters[name] ?? 0) + n;
  };
  const merge = (/** @type {string} */ name, /** @type {Sketch} */ sketch) => {
    if (sketch.count === 0) return;
    sketches[name] ??= new Sketch();
    sketches[name].merge(sketch);
  };
  let [ended, bytes] = [0, 0];
  for (const { requests, statuses } of endpoints.values()) {
    add('http.requests', requests);
    for (const [status, { count, timeToFirstByte, total, sums }] of statuses) {
      add('http.responses', count);
      add(`http.codes.${status}`, count);
      merge('http.response_time', timeToFirstByte);
      if (status >= 200 && status < 600) {
        merge(`http.response_time.${Math.floor(status / 100)}xx`, timeToFirstByte);
      }
      merge('http.total', total);
      ended += total.count;
      bytes += sums.responseBytes ?? 0;
    }
  }
  // Artillery counts bodies that came to their end, those of no bytes, too.
  if (ended > 0)
    counters['http.downloaded_bytes'] = (counters['http.downloaded_bytes'] ?? 0) + bytes;
  if (totalFromIntended) merge('http.total_from_intended', totalFromIntended);
}
