import { plainLine } from '../../files/plain-text.js';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../format.js';
import { describeDisconnects, describeEngine, listTimes } from '../../text/load.js';
import { alignColumns, wrapText } from './text.js';

/** @import { WordedLoad } from '../../text/worded-report.d.ts' */
/** @import { Paint } from './text.js' */

const MOST_KINDS = 10;

/**
 * The closing summary of a load test, in the words that Artillery's users know.
 * @param {WordedLoad} load
 * @param {number} width
 * @param {Paint} paint
 * @returns {string[]}
 */
export function loadLines(load, width, paint) {
  const { users, http, socketio, websocket, failures } = load;
  const lengthMs = load.window.endMs - load.window.startMs;
  const title = `Load test: ${formatDuration(lengthMs)} with ${describeEngine(load)}`;
  const lines = wrapText(title, width).map(line => paint('bold', line));
  /** @param {string} label @param {string} value @param {string} [note] */
  const fact = (label, value, note = '') => {
    const text = `${value}${note && ` (${note})`}`;
    lines.push(...wrapText(text, width, `  ${label.padEnd(22)}`));
  };
  fact(
    'Scenarios launched',
    formatCount(users.created),
    `${formatCount(users.completed)} completed, ${formatCount(users.failed)} failed`,
  );
  fact(
    'Arrivals dropped',
    formatCount(users.skipped),
    users.skipped > 0 ? 'maxVusers was reached, or it was too late' : '',
  );
  fact('Requests', formatCount(http.requests), formatNumberOf(http.responses, 'response'));
  fact('Failed', formatPercent(failures.share), failures.text);
  fact(
    'Mean requests/s',
    formatRate(http.meanRatePerSec),
    `${formatRate(http.throughputPerSec)} successful${http.peakRatePerSec === null ? '' : `, ${formatRate(http.peakRatePerSec)} at most`}`,
  );
  if (http.bytesReceived !== null) fact('Received', formatBytes(http.bytesReceived));
  if (socketio) {
    fact(
      'socket.io connections',
      formatCount(socketio.connects),
      `${formatCount(socketio.connectErrors)} failed, ${formatNumberOf(socketio.emits, 'emit')}${socketio.received === null ? '' : `, ${formatNumberOf(socketio.received, 'event')} received`}`,
    );
    if (socketio.reconnects) fact('socket.io reconnects', formatCount(socketio.reconnects));
    if (socketio.disconnects.length > 0) fact('socket.io ended', describeDisconnects(socketio));
    if (socketio.bytesReceived !== null) {
      fact(
        'socket.io bytes',
        `${formatBytes(socketio.bytesReceived)} received, ${formatBytes(socketio.bytesSent)} sent`,
      );
    }
  }
  if (websocket) {
    const { connects, connectErrors, sent, received, bytesReceived, bytesSent } = websocket;
    if (connects !== null)
      fact('WebSocket connections', formatCount(connects), `${formatCount(connectErrors)} failed`);
    fact('WebSocket messages', `${formatCount(sent)} sent, ${formatCount(received)} received`);
    if (bytesReceived !== null)
      fact(
        'WebSocket bytes',
        `${formatBytes(bytesReceived)} received, ${formatBytes(bytesSent)} sent`,
      );
  }
  lines.push(...latencyLines(load, width, paint));
  lines.push(...countLines('Scenarios', users.byScenario, width, paint));
  lines.push(
    ...countLines(
      'Codes',
      http.codes.map(({ code, count }) => ({ name: code, count })),
      width,
      paint,
    ),
  );
  lines.push(...errorLines(load, width, paint));
  return lines;
}

/** @param {WordedLoad} load @param {number} width @param {Paint} paint */
function latencyLines(load, width, paint) {
  const shown = listTimes(load).filter(({ detail }) => !detail);
  const rows = shown.map(({ name, times }) => [
    name,
    ...[times.minMs, times.p50Ms, times.p95Ms, times.p99Ms, times.maxMs].map(formatMs),
  ]);
  if (rows.length === 0) return [];
  return [
    '',
    paint('bold', 'Response time'),
    ...alignColumns([['', 'min', 'median', 'p95', 'p99', 'max'], ...rows], width),
  ];
}

/** @param {string} title @param {{name: string, count: number, failed?: number | null}[]} counts @param {number} width @param {Paint} paint */
function countLines(title, counts, width, paint) {
  if (counts.length === 0) return [];
  const rows = counts.map(({ name, count, failed }) => [
    plainLine(name),
    formatCount(count),
    ...(failed ? [`${formatCount(failed)} failed`] : []),
  ]);
  return ['', paint('bold', title), ...alignColumns(rows, width)];
}

/** @param {WordedLoad} load @param {number} width @param {Paint} paint */
function errorLines({ failures, tokens }, width, paint) {
  const lines = failures.kinds
    .slice(0, MOST_KINDS)
    .flatMap(({ count, text }) => [
      ...wrapText(text.name, width, `  ${paint('red', formatCount(count).padStart(6))}  `),
      ...(text.meaning ? wrapText(text.meaning, width, ' '.repeat(10)) : []),
    ]);
  const more = failures.kinds.length - MOST_KINDS;
  if (more > 0) lines.push(`          and ${more} more kinds in report.html`);
  if (tokens?.flippedAtMs) {
    const text = `From ${formatMoment(tokens.flippedAtMs)} on, responses to tokens were 401: they expired or were refused.`;
    lines.push(...wrapText(text, width, '  '));
  }
  return lines.length > 0 ? ['', paint('bold', 'Errors'), ...lines] : [];
}
