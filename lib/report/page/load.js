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
import { renderChart } from './chart.js';
import { bar, emptyState, h, section } from './dom.js';
import { table } from './table.js';

/** @import { LatencySummary, LoadReport, Report } from '../../analysis/report.d.ts' */

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
  const { http, users } = load;
  const nothing = http.requests === 0 && !load.socketio?.connects;
  return section(
    'load',
    'Load',
    h('p', { class: 'lede' }, describeLoad(load)),
    nothing &&
      emptyState(
        'The test sent no request at all. Its own output says why: look into load/artillery.log.',
      ),
    load.seconds.length > 0 && renderChart(load),
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
    renderLatencies([
      ['HTTP, time to first byte', http.timeToFirstByte],
      ['HTTP, total (to the last byte)', http.totalTime],
      ['socket.io, emit to acknowledgement', load.socketio?.acknowledged ?? null],
      ['whole session of a user', users.sessionMs],
    ]),
    load.endpoints.length > 0 && [
      h('h3', {}, 'Endpoints'),
      h('p', { class: 'lede' }, 'Times are times to first byte. A click on a column’s name sorts.'),
      renderEndpoints(load),
    ],
    renderCounters(load.counters),
  );
}

/** @param {LoadReport} load */
function describeLoad({ engine, window, windows, http, socketio, phases }) {
  const parts = [
    `${formatNumberOf(http.requests, 'request')} sent by ${engine} in ${formatDuration(window.endMs - window.startMs)}` +
      `: ${formatRate(http.meanRatePerSec)} answered on average${http.peakRatePerSec === null ? '' : `, ${formatRate(http.peakRatePerSec)} in the busiest second`}`,
    http.bytesReceived !== null && `${formatBytes(http.bytesReceived)} received`,
    socketio &&
      `${formatNumberOf(socketio.connects, 'socket.io connection')} (${formatCount(socketio.connectErrors)} failed), ${formatNumberOf(socketio.emits, 'emit')}`,
    windows.length > 1 && `${windows.length} load tests joined`,
    phases.length > 0 &&
      `Phases: ${phases.map(({ name, planned }) => (planned ? `${name} (${planned})` : name)).join(', ')}`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** @param {LoadReport} load */
function renderUsers({ users }) {
  const facts = [
    ['launched', users.created],
    ['completed', users.completed],
    ['failed', users.failed],
    ['skipped: all users were busy', users.skipped],
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

const LATENCY_COLUMNS = ['n', 'min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'].map(
  label => ({ label, number: true }),
);

/** @param {LatencySummary | null} times */
function latencyCells(times) {
  if (!times) return LATENCY_COLUMNS.map(() => '–');
  const { count, minMs, meanMs, p50Ms, p75Ms, p90Ms, p95Ms, p99Ms, maxMs } = times;
  return [
    formatCount(count),
    ...[minMs, meanMs, p50Ms, p75Ms, p90Ms, p95Ms, p99Ms, maxMs].map(formatMs),
  ];
}

/** @param {[string, LatencySummary | null][]} kinds */
function renderLatencies(kinds) {
  const known = kinds.filter(([, times]) => times);
  if (known.length === 0) return h('p', { class: 'muted' }, 'No times were recorded.');
  return table(
    'Times',
    [{ label: '' }, ...LATENCY_COLUMNS],
    known.map(([label, times]) => ({ cells: [label, ...latencyCells(times)] })),
  );
}

/** @param {LoadReport} load */
function renderEndpoints({ endpoints }) {
  return table(
    'Endpoints',
    [
      { label: 'Endpoint' },
      { label: 'Requests', number: true },
      { label: 'Failed', number: true },
      { label: 'Codes' },
      ...['p50', 'p95', 'p99', 'max'].map(label => ({ label, number: true })),
    ],
    endpoints.map(({ name, requests, errors, codes, timeToFirstByte: times }) => {
      const columns = times
        ? [times.p50Ms, times.p95Ms, times.p99Ms, times.maxMs]
        : [null, null, null, null];
      return {
        cells: [
          h('span', { class: 'mono' }, name),
          formatCount(requests),
          errors > 0 ? h('strong', { class: 'bad' }, formatCount(errors)) : '0',
          codes.map(({ code, count }) => `${code} × ${formatCount(count)}`).join(', '),
          ...columns.map(formatMs),
        ],
        keys: [name, requests, errors, codes[0]?.code ?? '', ...columns.map(ms => ms ?? -1)],
      };
    }),
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
