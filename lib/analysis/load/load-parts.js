/** Parts of a load's Report that come from its counters and times, recorded by us or imported. */
import { countersBelow, totalCount } from '../../base/math/counters.js';
import { mergeSketches } from '../../base/math/sketch.js';
import { sum } from '../../base/math/summary.js';
import { summarizeLatency } from '../read/load/counters.js';
import { totalLengthMs } from '../read/load/load-totals.js';

/** @import { LatencySummary, TimeRange } from '../../base/math/estimate.d.ts' */
/** @import { LoadReport } from '../../run/facts/load-report.d.ts' */

/** @typedef {Record<string, number>} Counters by name */
/** @typedef {(name: string) => LatencySummary | null} TimesOf ms; null where nothing was measured */

/**
 * @param {Counters} counters @param {TimesOf} times
 * @param {string[]} known scenarios of the script
 * @returns {LoadReport['users']}
 */
export function buildUsers(counters, times, known = []) {
  const byScenario = listScenarios(counters);
  const names = new Set(byScenario.map(({ name }) => name));
  return {
    created: counters['vusers.created'] ?? 0,
    completed: counters['vusers.completed'] ?? 0,
    failed: counters['vusers.failed'] ?? 0,
    skipped: counters['vusers.skipped'] ?? 0,
    byScenario,
    neverRun: names.size > 0 ? [...new Set(known)].filter(name => !names.has(name)) : [],
    firstFailures: countersBelow(counters, 'vusers.first_failure.').map(({ name, count }) => {
      const [end, code = '', endpoint = ''] = name.split('\t');
      return { failed: end === 'failed', code, endpoint, count };
    }),
    sessionMs: times('vusers.session_length'),
  };
}

/**
 * Parts of a body that are many, and small: a packet of the network has more bytes. With a pause after each, they are an
 * event stream.
 */
const [MANY_PARTS, SMALL_BYTES, PAUSE_MS] = [50, 1024, 1];

/** Do bodies arrive in small parts? @param {Counters} sums of that many responses @param {number} responses */
export const areSmallParts = ({ parts = 0, responseBytes = 0, bodyMs = 0 }, responses = 1) =>
  parts >= MANY_PARTS * responses &&
  responseBytes <= parts * SMALL_BYTES &&
  bodyMs <= parts * PAUSE_MS;

/** Responses below 400, without those that failed nevertheless. @param {Counters} counters */
function countGood(counters) {
  const codes = countersBelow(counters, 'http.codes.').filter(({ name }) => Number(name) < 400);
  return totalCount(codes) - (counters['http.broken'] ?? 0);
}

/** Sketches that have an entry for each response over a socket. */
const SOCKET_TIMES = [
  'socketio.acknowledge_time',
  'socketio.response_wait',
  'websocket.reply_time',
];

/** @param {import('../read/load/counters.js').Sums} sums @returns {NonNullable<LoadReport['responses']>} */
export function sumUpResponses(sums) {
  const total = sums.sketch('http.total');
  const ofHttp = total.count > 0 ? total : sums.sketch('http.response_time');
  const sockets = SOCKET_TIMES.map(name => sums.sketch(name));
  const replies = totalCount(sockets);
  return {
    count: totalCount(countersBelow(sums.counters, 'http.codes.')) + replies,
    good: countGood(sums.counters) + replies,
    latency: summarizeLatency(mergeSketches([ofHttp, ...sockets])),
  };
}

/**
 * @param {Counters} counters @param {TimesOf} times
 * @param {{windows: TimeRange[], endpoints: LoadReport['endpoints']}} load
 * @returns {LoadReport['http']}
 */
export function buildHttp(counters, times, { windows, endpoints }) {
  const requests = counters['http.requests'] ?? 0;
  const responses = counters['http.responses'] ?? 0;
  const codes = countersBelow(counters, 'http.codes.');
  const good = countGood(counters);
  // Each endpoint counts its refused responses and its failures without a response.
  const failed =
    endpoints.length > 0 ? sum(endpoints.map(one => one.errors)) : Math.max(0, requests - good);
  const unknown = Math.max(0, requests - good - failed);
  const windowSec = totalLengthMs(windows) / 1000;
  const perSec = (/** @type {number} */ n) => (windowSec > 0 ? n / windowSec : 0);
  return {
    requests,
    responses,
    meanRatePerSec: perSec(responses),
    throughputPerSec: perSec(good),
    peakRatePerSec: null,
    errorRate: Math.min(1, failed / Math.max(1, requests - unknown)),
    unknown,
    codes: codes.map(({ name: code, count }) => ({ code, count })),
    timeToFirstByte: times('http.response_time'),
    totalTime: times('http.total'),
    totalFromIntended: times('http.total_from_intended'),
    connections: { dns: times('http.dns'), tcp: times('http.tcp'), tls: times('http.tls') },
    bytesReceived: counters['http.downloaded_bytes'] ?? null,
  };
}

/**
 * @param {Counters} counters @param {TimesOf} timesOf
 * @returns {LoadReport['socketio']} null where it was not used
 */
export function buildSocketio(counters, timesOf) {
  const times = (/** @type {string} */ name) => timesOf(`socketio.${name}`);
  const emits = counters['socketio.emit'] ?? 0;
  const connected = (counters['socketio.connect'] ?? 0) + (counters['socketio.connect_error'] ?? 0);
  if (connected + emits === 0) return null;
  // Artillery's engine counts neither connections nor received events.
  const count = (/** @type {string} */ name) =>
    counters[`socketio.${name}`] ?? (connected > 0 ? 0 : null);
  // Artillery's times include emits without a response, at the cost of a local call, about 0 ms. Such times are
  // no latency.
  const mixed = connected > 0 ? null : times('response_time');
  const reasons = countersBelow(counters, 'socketio.disconnect.');
  return {
    connects: count('connect'),
    connectErrors: count('connect_error'),
    reconnects: count('reconnect'),
    disconnects: reasons.map(({ name: reason, count: n }) => ({ reason, count: n })),
    emits,
    received: count('received'),
    bytesSent: counters['socketio.bytes_sent'] ?? null,
    bytesReceived: counters['socketio.bytes_received'] ?? null,
    connectTime: times('connect_time'),
    upgradeTime: times('upgrade_time'),
    acknowledged: times('acknowledge_time') ?? (mixed && mixed.minMs >= 1 ? mixed : null),
    responseWait: times('response_wait'),
    pushWait: times('push_wait'),
  };
}

/**
 * @param {Counters} counters
 * @param {TimesOf} timesOf
 * @returns {LoadReport['websocket']} null where it was not used
 */
export function buildWebsocket(counters, timesOf) {
  const count = (/** @type {string} */ name) => counters[`websocket.${name}`] ?? 0;
  const connected = count('connect') + count('connect_error');
  if (connected + count('messages_sent') === 0) return null;
  // Artillery's engine counts messages, but neither connections nor replies
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
 * @param {Counters} counters
 * @param {TimesOf} timesOf
 * @param {TimeRange[]} windows
 * @returns {LoadReport['sse']} null where it was not used
 */
export function buildSse(counters, timesOf, windows) {
  const count = (/** @type {string} */ name) => counters[`sse.${name}`] ?? 0;
  if (count('streams') === 0) return null;
  return {
    streams: count('streams'),
    events: count('events'),
    eventsPerSec: (1000 * count('events')) / totalLengthMs(windows),
    reconnects: count('reconnects'),
    bytesReceived: count('bytes_received'),
    firstEvent: timesOf('sse.first_event'),
    gap: timesOf('sse.gap'),
  };
}

/**
 * How the users of each scenario ended.
 * @param {Counters} counters
 * @returns {LoadReport['users']['byScenario']}
 */
function listScenarios(counters) {
  const isKnown = Object.keys(counters).some(name =>
    /^vusers\.(completed|failed)_by_name/.test(name),
  );
  return countersBelow(counters, 'vusers.created_by_name.').map(({ name, count }) => {
    const failed = counters[`vusers.failed_by_name.${name}`] ?? 0;
    const ended = failed + (counters[`vusers.completed_by_name.${name}`] ?? 0);
    return { name, count, ...(isKnown ? { ended, failed } : { ended: null, failed: null }) };
  });
}
