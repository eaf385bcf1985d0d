/** What was sent and answered over HTTP, socket.io and WebSocket in some seconds of a load. */
import { totalCount } from '../../analysis/load/counters.js';
import { buildLoadReport } from '../../analysis/load/load-report.js';
import { LoadTotals } from '../../analysis/load/load-totals.js';
import { Sketch } from '../../math/sketch.js';

/** @import { CellFigures } from '../../facts/study-records.d.ts' */

/** Sketches that have an entry for each response over a socket. */
const SOCKET_TIMES = [
  'socketio.acknowledge_time',
  'socketio.response_wait',
  'websocket.reply_time',
];

/** @import { LoadTest } from '../../analysis/load/load-totals.js' */
/** @import { SecondRecord } from '../../analysis/load/seconds.js' */
/** @typedef {Pick<CellFigures, 'requests' | 'good' | 'errors' | 'errorNames' | 'users'> & {answers: number, times: Sketch}} Responses `times`: ms, of all responses */

/**
 * Failures are counted as in the report of a run.
 * @param {LoadTest['start']} start
 * @param {SecondRecord[]} seconds
 * @returns {Responses}
 */
export function countResponses(start, seconds) {
  const load = LoadTotals.of([start, ...seconds]);
  const report = buildLoadReport({ load, errors: [], tokens: [], artillery: null });
  if (!report) throw new TypeError('these are no records of a load');
  const { http, failures, users } = report;
  const total = load.sums.sketch('http.total');
  const ofHttp = total.count > 0 ? total : load.sums.sketch('http.response_time');
  const sockets = SOCKET_TIMES.map(name => load.sums.sketch(name));
  const times = new Sketch();
  for (const sketch of [ofHttp, ...sockets]) times.merge(sketch);
  const replies = totalCount(sockets);
  return {
    requests: failures.tried + failures.unknown,
    answers: totalCount(http.codes) + replies,
    good: totalCount(http.codes.filter(({ code }) => Number(code) < 400)) + replies,
    errors: failures.failed,
    errorNames: failures.kinds.map(({ code, isStatus, count }) => ({
      name: isStatus ? `HTTP ${code}` : code,
      count,
    })),
    users: { created: users.created, skipped: users.skipped },
    times,
  };
}
