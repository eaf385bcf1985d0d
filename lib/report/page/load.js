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
import { bar, emptyState, fold, h, lede, mono, pairList, prose, remark, section } from './dom.js';
import { amount, table } from './table.js';

/** @import { WordedLoad as LoadReport, WordedReport as Report } from '../../text/worded-report.d.ts' */

const NO_LOAD =
  'No load test is part of this run: there are no response times, and no cost per request.';

/** What the load test sent and what came back. @param {Report} report */
export function renderLoad({ load, run }) {
  if (!load) {
    const next =
      run.kind === 'import'
        ? 'Give Artillery’s JSON report as well: `loadflame report profile.raw artillery.json`'
        : 'Record load and profile in one go: `loadflame test script.yaml --profile`';
    return section('load', 'Load', emptyState(NO_LOAD, next));
  }
  const { http, socketio, websocket } = load;
  const isEmpty = http.requests === 0 && !socketio?.connects && !websocket?.sent;
  return section(
    'load',
    'Load',
    lede(prose(describeLoad(load))),
    isEmpty &&
      emptyState('The test sent no request. Its own output says why: `load/generator.log`.'),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, h('h3', {}, 'Virtual users'), renderUsers(load)),
      h('div', {}, h('h3', {}, 'Status codes'), renderCodes(http), renderTokens(load)),
    ),
    h('h3', {}, 'Times'),
    renderTimes(load),
    renderConnections(load),
    renderCounters(load.counters),
  );
}

/** @param {LoadReport} load */
function describeLoad(load) {
  const { window, windows, http, socketio, websocket, phases } = load;
  const peak =
    http.peakRatePerSec === null
      ? ''
      : `, ${formatRate(http.peakRatePerSec)} in the busiest second`;
  const parts = [
    `${formatNumberOf(http.requests, 'request')} sent by ${describeEngine(load)} in ${formatDuration(window.endMs - window.startMs)}: ${formatRate(http.meanRatePerSec)} on average${peak}`,
    http.bytesReceived !== null && `${formatBytes(http.bytesReceived)} received`,
    socketio && describeSocketio(socketio),
    websocket && describeWebsocket(websocket),
    windows.length > 1 && `${windows.length} load tests joined`,
    phases.length > 0 &&
      `Phases: ${phases.map(({ name, text }) => `${name} (${text})`).join(', ')}`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** @param {NonNullable<LoadReport['socketio']>} socketio */
function describeSocketio(socketio) {
  const { connects, connectErrors, reconnects, emits, bytesSent, bytesReceived } = socketio;
  const parts = [
    `${formatNumberOf(connects, 'socket.io connection')} (${formatCount(connectErrors)} failed)`,
    reconnects && formatNumberOf(reconnects, 'reconnect'),
    formatNumberOf(emits, 'emit'),
    socketio.received !== null && `${formatNumberOf(socketio.received, 'event')} received`,
    bytesSent !== null && `${formatBytes(bytesSent)} sent`,
    bytesReceived !== null && `${formatBytes(bytesReceived)} received`,
    socketio.disconnects.length > 0 && `disconnects: ${describeDisconnects(socketio)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {NonNullable<LoadReport['websocket']>} websocket */
function describeWebsocket({ connects, connectErrors, sent, received, bytesSent, bytesReceived }) {
  const size = (/** @type {number | null} */ bytes) =>
    bytes === null ? '' : ` (${formatBytes(bytes)})`;
  const parts = [
    connects !== null &&
      `${formatNumberOf(connects, 'WebSocket connection')} (${formatCount(connectErrors)} failed)`,
    `${formatNumberOf(sent, 'WebSocket message')} sent${size(bytesSent)}`,
    `${formatCount(received)} received${size(bytesReceived)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {LoadReport} load */
function renderUsers({ users: { created, completed, failed, skipped, byScenario } }) {
  return h(
    'div',
    {},
    pairList(
      [
        ['started', formatCount(created)],
        ['completed', formatCount(completed)],
        ['failed', formatCount(failed)],
        ['dropped arrivals: maxVusers reached, or too late', formatCount(skipped)],
      ],
      'facts-list',
    ),
    byScenario.length > 0 &&
      table('Users by scenario', byScenario, [
        { label: 'Scenario', cell: ({ name }) => name },
        amount('Users', ({ count }) => count, formatCount),
        amount('Failed', ({ failed }) => failed, formatCount),
      ]),
  );
}

/** @param {LoadReport['http']} http */
function renderCodes({ codes, responses }) {
  if (codes.length === 0) return remark('There was no response.');
  const shareOf = (/** @type {number} */ count) => (responses > 0 ? count / responses : 0);
  return table('Responses by status code', codes, [
    { label: 'Code', cell: ({ code }) => mono(code) },
    amount('Responses', ({ count }) => count, formatCount),
    amount('Share', ({ count }) => shareOf(count), formatPercent),
    {
      label: '',
      cell: ({ code, count }) =>
        bar(shareOf(count), /^[23]/.test(code) ? 'var(--good)' : 'var(--bad)'),
    },
  ]);
}

/** @param {LoadReport} load */
function renderTokens({ tokens }) {
  if (!tokens) return null;
  const { flow, issuer, obtained, refreshed, failed, lifetimeSec, flippedAtMs } = tokens;
  const lifetime = lifetimeSec === null ? '' : `, each for ${formatDuration(lifetimeSec * 1000)}`;
  return remark(
    `Tokens (${flow}, ${issuer}): ${formatCount(obtained)} obtained${lifetime}, ${formatCount(refreshed)} refreshed, ${formatCount(failed)} failed.`,
    flippedAtMs !== null &&
      h('strong', {}, ` From ${formatMoment(flippedAtMs)} on, requests with them got 401.`),
  );
}

/** @type {Record<string, string>} what a name leaves open */
const EXPLAINED = {
  'time to first byte': 'HTTP, time to first byte',
  total: 'HTTP, total (to the last byte)',
  'total from the intended start': 'HTTP, total from the intended start',
  'socket.io push': 'socket.io, push (between two clocks)',
  'socket.io wait for a push': 'socket.io, wait for a push (not a latency of the server)',
  'session of a user': 'whole session of a virtual user',
};

const TIMES = /** @type {const} */ (['min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'max']);

/** All times of a load test. @param {LoadReport} load */
function renderTimes(load) {
  const measured = listTimes(load);
  if (measured.length === 0) return remark('No times were recorded.');
  return table('Times', measured, [
    { label: '', cell: ({ name }) => EXPLAINED[name] ?? name },
    amount('n', ({ times }) => times.count, formatCount),
    ...TIMES.map(name => amount(name, ({ times }) => times[`${name}Ms`], formatMs)),
  ]);
}

/** What new connections took. @param {LoadReport} load */
function renderConnections({ http: { connections } }) {
  const { dns, tcp, tls } = connections;
  const known = Object.entries({ DNS: dns, TCP: tcp, TLS: tls }).flatMap(([name, times]) =>
    times
      ? `${name} ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)} (n\u00a0=\u00a0${formatCount(times.count)})`
      : [],
  );
  if (known.length === 0) return null;
  return remark(`New connections, median: ${known.join('; ')}.`);
}

/** @param {Record<string, number>} counters */
function renderCounters(counters) {
  const entries = Object.entries(counters);
  if (entries.length === 0) return null;
  return fold(
    formatNumberOf(entries.length, 'other counter'),
    {},
    table('Other counters', entries, [
      { label: 'Name', cell: ([name]) => mono(name) },
      amount('Count', ([, count]) => count, formatCount),
    ]),
  );
}
