import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMoment,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../format.js';
import { describeDisconnects, describeEngine } from '../load-words.js';
import { bar, emptyState, h, prose, section } from './dom.js';
import { renderTimes } from './load-times.js';
import { table } from './table.js';

/** @import { LoadReport, Report } from '../../analysis/report.d.ts' */

/** What the load test sent and what came back. @param {Report} report */
export function renderLoad({ load, run }) {
  if (!load) {
    const next =
      run.kind === 'import'
        ? [
            'Give the JSON that Artillery wrote as well: ',
            h('code', {}, 'npm run report -- profile.raw artillery.json'),
          ]
        : ['Record load and profile in one go: ', h('code', {}, 'npm run tests:profile')];
    return section(
      'load',
      'Load',
      emptyState(
        'No load test is part of this run, so there are no response times, and nothing can be counted per request.',
        ...next,
      ),
    );
  }
  const { http } = load;
  const nothing = http.requests === 0 && !load.socketio?.connects && !load.websocket?.sent;
  return section(
    'load',
    'Load',
    h('p', { class: 'lede' }, prose(describeLoad(load))),
    nothing &&
      emptyState(
        'The test sent no request at all. Its own output says why: look into load/generator.log.',
      ),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, h('h3', {}, 'Virtual users'), renderUsers(load)),
      h(
        'div',
        {},
        h('h3', {}, 'Status codes'),
        renderCodes(http.codes, http.responses),
        renderTokens(load),
      ),
    ),
    h('h3', {}, 'Times'),
    renderTimes(load),
    renderCounters(load.counters),
  );
}

/** @param {LoadReport} load */
function describeLoad(load) {
  const { window, windows, http, socketio, websocket, phases } = load;
  const parts = [
    `${formatNumberOf(http.requests, 'request')} sent by ${describeEngine(load)}, in ${formatDuration(window.endMs - window.startMs)}` +
      `: ${formatRate(http.meanRatePerSec)} answered on average${http.peakRatePerSec === null ? '' : `, ${formatRate(http.peakRatePerSec)} in the busiest second`}`,
    http.bytesReceived !== null && `${formatBytes(http.bytesReceived)} received`,
    socketio && describeSocketio(socketio),
    websocket && describeWebsocket(websocket),
    windows.length > 1 && `${windows.length} load tests joined`,
    phases.length > 0 &&
      `Phases: ${phases.map(({ name, planned }) => (planned ? `${name} (${planned})` : name)).join(', ')}`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** @param {NonNullable<LoadReport['socketio']>} socketio */
function describeSocketio(socketio) {
  const { connects, connectErrors, reconnects, emits, bytesSent, bytesReceived } = socketio;
  const parts = [
    `${formatNumberOf(connects, 'socket.io connection')} (${formatCount(connectErrors)} failed)`,
    reconnects && `${formatCount(reconnects)} made again`,
    formatNumberOf(emits, 'emit'),
    socketio.received !== null && `${formatNumberOf(socketio.received, 'event')} received`,
    bytesSent !== null && `${formatBytes(bytesSent)} out`,
    bytesReceived !== null && `${formatBytes(bytesReceived)} in`,
    socketio.disconnects.length > 0 && `connections ended: ${describeDisconnects(socketio)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {NonNullable<LoadReport['websocket']>} websocket */
function describeWebsocket(websocket) {
  const { connects, connectErrors, sent, received, bytesSent, bytesReceived } = websocket;
  return [
    `${formatNumberOf(connects, 'WebSocket connection')} (${formatCount(connectErrors)} failed)`,
    `${formatNumberOf(sent, 'message')} sent (${formatBytes(bytesSent)})`,
    `${formatCount(received)} received (${formatBytes(bytesReceived)})`,
  ].join(', ');
}

/** @param {LoadReport} load */
function renderUsers({ users }) {
  const facts = [
    ['launched', users.created],
    ['completed', users.completed],
    ['failed', users.failed],
    ['skipped: all users were busy, or too late', users.skipped],
  ];
  return h(
    'div',
    {},
    h(
      'dl',
      { class: 'facts-list' },
      facts.map(([label, value]) =>
        h('div', {}, h('dt', {}, label), h('dd', {}, formatCount(Number(value)))),
      ),
    ),
    users.byScenario.length > 0 &&
      table(
        'Users by scenario',
        [{ label: 'Scenario' }, { label: 'Users', number: true }],
        users.byScenario.map(({ name, count }) => ({ cells: [name, formatCount(count)] })),
      ),
  );
}

/** @param {{code: string, count: number}[]} codes @param {number} responses */
function renderCodes(codes, responses) {
  if (codes.length === 0) return h('p', { class: 'muted' }, 'No answer came back.');
  return table(
    'Answers by status code',
    [
      { label: 'Code' },
      { label: 'Answers', number: true },
      { label: 'Share', number: true },
      { label: '' },
    ],
    codes.map(({ code, count }) => {
      const share = responses > 0 ? count / responses : 0;
      const mark = bar(share);
      mark.classList.add(/^[23]/.test(code) ? 'bar-good' : 'bar-bad');
      return {
        cells: [h('span', { class: 'mono' }, code), formatCount(count), formatPercent(share), mark],
      };
    }),
  );
}

/** @param {LoadReport} load */
function renderTokens({ tokens }) {
  if (!tokens) return null;
  const lifetime =
    tokens.lifetimeSec === null ? '' : `, each for ${formatDuration(tokens.lifetimeSec * 1000)}`;
  return h(
    'p',
    { class: 'muted' },
    `Tokens (${tokens.flow}, ${tokens.issuer}): ${formatCount(tokens.obtained)} obtained${lifetime}, ${formatCount(tokens.refreshed)} refreshed, ${formatCount(tokens.failed)} failed.`,
    tokens.flippedAtMs !== null &&
      h('strong', {}, ` From ${formatMoment(tokens.flippedAtMs)} on they were answered with 401.`),
  );
}

/** @param {Record<string, number>} counters */
function renderCounters(counters) {
  const entries = Object.entries(counters);
  if (entries.length === 0) return null;
  return h(
    'details',
    {},
    h('summary', {}, formatNumberOf(entries.length, 'other counter')),
    table(
      'Other counters',
      [{ label: 'Name' }, { label: 'Count', number: true }],
      entries.map(([name, count]) => ({
        cells: [h('span', { class: 'mono' }, name), formatCount(count)],
      })),
    ),
  );
}
