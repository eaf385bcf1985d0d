/** The sums of a second as a `second` record (`docs/run-folder.md`). */
import { mapValues } from '../../base/files/maps.js';
import { Sketch } from '../../base/math/sketch.js';

/** @import { SecondFields } from './periods.js' */
/** @import { Answers, Second } from './second.d.ts' */

/**
 * @param {Second} second
 * @returns {SecondFields}
 */
export function secondToJson(second) {
  const { fromMs, firstMs, lastMs, counters, rates, sketches } = second;
  const { workers, backends, failed, renamed } = second;
  addHttp(second);
  const some = Object.entries({ workers, backends, failed, renamed });
  return {
    ...{ fromMs, firstMs, lastMs, rates, counters },
    sketches: mapValues(sketches, sketch => sketch.toJson()),
    endpoints: mapValues(
      Object.fromEntries(second.endpoints),
      ({ statuses, server, ...counts }) => ({
        ...counts,
        statuses: mapValues(Object.fromEntries(statuses), answersToJson),
        ...(server && { server: roundAll(server) }),
      }),
    ),
    ...Object.fromEntries(some.filter(([, counts]) => Object.keys(counts).length > 0)),
  };
}

/** Workers report microseconds. @param {any} sums all numbers in them are rounded to thousandths @returns {any} */
function roundAll(sums) {
  if (typeof sums === 'number') return Math.round(sums * 1000) / 1000;
  return typeof sums === 'object' && sums ? mapValues(sums, roundAll) : sums;
}

/** @param {Answers} answers */
function answersToJson({ count, timeToFirstByte, total, sums }) {
  return {
    count,
    timeToFirstByte: timeToFirstByte.toJson(),
    ...(total.count > 0 && { total: total.toJson() }),
    ...(Object.keys(sums).length > 0 && { sums }),
  };
}

/**
 * Adds what Artillery's HTTP engine would have counted, under its names; `http.total_from_intended` is ours.
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
  for (const { requests, broken = 0, statuses } of endpoints.values()) {
    add('http.requests', requests);
    add('http.broken', broken);
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
  // Artillery counts complete bodies, including empty ones.
  if (ended > 0)
    counters['http.downloaded_bytes'] = (counters['http.downloaded_bytes'] ?? 0) + bytes;
  if (totalFromIntended) merge('http.total_from_intended', totalFromIntended);
}
