/** Parts of a document about the load of a run: requests, responses, failures. */
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../base/format.js';
import { describeBasis } from '../findings-errors.js';
import { describeTail, pair, tellingLine } from '../words.js';
import {
  amount,
  code,
  column,
  folded,
  inFull,
  item,
  lede,
  list,
  muted,
  only,
  onPage,
  pairs,
  paragraph,
  part,
  section,
  table,
  tag,
} from './build.js';

/** @import { LatencySummary } from '../../base/math/estimate.d.ts' */
/** @import { ErrorSample, LoadReport } from '../../run/facts/load-report.d.ts' */
/** @import { ErrorBurst, LogLine, LogReport, Traceback } from '../../run/facts/logs.d.ts' */
/** @import { WordedLoad, WordedReport } from '../worded-report.d.ts' */

const MOST_KINDS = 10;
const SAMPLES = 'Samples: the first responses of each kind (secrets redacted, bodies cut at 2 KB)';
const LOAD = 'Load test';
const NOTHING_SENT = 'The test sent no request. Its own output says why: `load/generator.log`.';

/** @param {WordedReport} report */
export function describeLoad({ load, run }) {
  if (!load) return describeMissing(run);
  const { users, http, socketio, websocket } = load;
  const isEmpty = http.requests === 0 && !socketio?.connects && !websocket?.sent;
  const counters = [
    ...Object.entries(load.counters).map(([name, n]) => pair(name, formatCount(n))),
    ...Object.entries(load.histograms ?? {}).map(([name, own]) =>
      pair(name, `${formatCount(own?.count ?? 0)} ×, p95 ${formatCount(own?.p95Ms ?? null)}`),
    ),
  ];
  const own = section(
    'load',
    LOAD,
    lede(describeTest(load)),
    isEmpty && paragraph(NOTHING_SENT, 'empty'),
    pairs(listFigures(load)),
    part('Response time', timeTable(load)),
    part(
      'Scenarios',
      table('Users by scenario', users.byScenario, [
        column('', ({ name }) => name),
        amount('users', ({ count }) => count, 'count'),
        amount('failed', ({ failed }) => failed, 'count'),
      ]),
    ),
    part(
      'Codes',
      table('Responses by status code', http.codes, [
        column('', one => code(one.code)),
        amount('responses', ({ count }) => count, 'count'),
        amount('share', ({ count }) => count / http.responses, 'share'),
      ]),
    ),
    part('Other counters', pairs(counters)),
  );
  return inFull(folded(own, 'Times, scenarios and status codes'));
}

/** @param {WordedReport['run']} run */
function describeMissing({ kind }) {
  const isLost = kind === 'load' || kind === 'load+profile';
  const text = isLost
    ? 'Nothing was recorded.'
    : 'No load test is part of this run: there are no response times, and no cost per request. Record both in one go: `loadflame test script.yaml --profile`';
  return only(isLost ? undefined : ['page'], section('load', LOAD, paragraph(text, 'empty')));
}

/** @param {WordedLoad} load */
function describeTest({ window, windows, phases, engine }) {
  const joined = windows.length > 1 ? `. ${windows.length} load tests joined` : '';
  const planned = phases.map(({ name, text }) => `${name} (${text})`).join(', ');
  return `${formatDuration(window.endMs - window.startMs)} with ${engine === 'artillery' ? 'Artillery' : engine}'s engine${joined}.${planned && ` Phases: ${planned}.`}`;
}

/** In Artillery's terms. @param {WordedLoad} load @returns {[string, string | false | null | undefined][]} */
function listFigures({ users, http, failures, socketio, websocket, tokens }) {
  const [created, completed, failed, skipped, requests] = [
    ...[users.created, users.completed, users.failed, users.skipped, http.requests],
  ].map(formatCount);
  const peak = http.peakRatePerSec === null ? '' : `, ${formatRate(http.peakRatePerSec)} at most`;
  const successful = formatRate(http.throughputPerSec);
  const ended = socketio?.disconnects.map(({ reason, count }) => `${count} × ${reason}`);
  return [
    ['Scenarios launched', `${created} (${completed} completed, ${failed} failed)`],
    ['Arrivals dropped', skipped],
    ['Requests', `${requests} (${formatNumberOf(http.responses, 'response')})`],
    ['Failed', `${formatPercent(failures.share)} (${failures.text})`],
    ['Mean requests/s', `${formatRate(http.meanRatePerSec)} (${successful} successful${peak})`],
    ['Received', http.bytesReceived !== null && formatBytes(http.bytesReceived)],
    ['socket.io', socketio && describeSocketio(socketio)],
    ['socket.io ended', ended?.join(', ')],
    ['WebSocket', websocket && describeWebsocket(websocket)],
    ['Tokens', tokens && describeTokens(tokens)],
  ];
}

/** @param {NonNullable<LoadReport['socketio']>} socketio */
function describeSocketio({ connects, connectErrors, reconnects, emits, received }) {
  const events = received === null ? '' : `, ${formatNumberOf(received, 'event')} received`;
  const again = reconnects ? `, ${formatNumberOf(reconnects, 'reconnect')}` : '';
  return `${formatNumberOf(connects, 'connection')} (${formatCount(connectErrors)} failed${again}), ${formatNumberOf(emits, 'emit')}${events}`;
}

/** @param {NonNullable<LoadReport['websocket']>} websocket */
function describeWebsocket({ connects, connectErrors, sent, received }) {
  // Artillery's engine counts no connections.
  const made = `${formatNumberOf(connects ?? 0, 'connection')} (${formatCount(connectErrors)} failed), `;
  return `${connects === null ? '' : made}${formatNumberOf(sent, 'message')} sent, ${formatCount(received)} received`;
}

/** Streams of server-sent events: a small section if a step opened one. @param {WordedReport} report */
export function describeStreams({ load }) {
  const sse = load?.sse;
  if (!sse) return null;
  const { streams, events, eventsPerSec, reconnects, bytesReceived, firstEvent, gap } = sse;
  const times = (/** @type {LatencySummary | null} */ own) =>
    own && `median ${formatMs(own.p50Ms)}, ${describeTail(own)}`;
  return section(
    'streams',
    'Server-sent events',
    pairs([
      ['Streams', `${formatCount(streams)} (${formatNumberOf(reconnects, 'reconnect')})`],
      ['Events', `${formatCount(events)}, ${formatRate(eventsPerSec)}`],
      ['Received', formatBytes(bytesReceived)],
      ['Time to the first event', times(firstEvent)],
      ['Gap between events', times(gap)],
      ['CPU per event', 'not known'],
    ]),
  );
}

/** @param {NonNullable<LoadReport['tokens']>} tokens */
function describeTokens({ flow, issuer, obtained, refreshed, failed, lifetimeSec }) {
  const lifetime = lifetimeSec === null ? '' : `, each for ${formatDuration(lifetimeSec * 1000)}`;
  return `${formatCount(obtained)} obtained${lifetime}, ${formatCount(refreshed)} refreshed, ${formatCount(failed)} failed (${flow}, ${issuer}).`;
}

/** Response times by kind, the most informative first. @param {LoadReport} load */
function timeTable({ http, socketio, websocket, users }) {
  /** @type {Record<string, LatencySummary | null | undefined>} */
  const times = {
    'HTTP, time to first byte': http.timeToFirstByte,
    'HTTP, total (to the last byte)': http.totalTime,
    'total from the scheduled start': http.totalFromIntended,
    'socket.io connect': socketio?.connectTime,
    'socket.io upgrade': socketio?.upgradeTime,
    'socket.io acknowledgement': socketio?.acknowledged,
    'socket.io response': socketio?.responseWait,
    'socket.io wait for a push': socketio?.pushWait,
    'WebSocket connect': websocket?.connectTime,
    'WebSocket reply': websocket?.replyTime,
    'session of a user': users.sessionMs,
    'new connection: DNS': http.connections.dns,
    'new connection: TCP': http.connections.tcp,
    'new connection: TLS': http.connections.tls,
  };
  const rows = Object.entries(times).flatMap(([name, own]) => (own ? [{ name, ...own }] : []));
  return table('Response times', rows, [
    column('', ({ name }) => name),
    amount('n', ({ count }) => count, 'count'),
    amount('median', ({ p50Ms }) => p50Ms, 'ms'),
    amount('p95', ({ p95Ms }) => p95Ms, 'ms'),
    amount('p99', ({ p99Ms }) => p99Ms, 'ms'),
    amount('max', ({ maxMs }) => maxMs, 'ms'),
  ]);
}

/** Errors, their number, and the messages of the target and its logs. @param {WordedReport} report */
export function describeErrors({ load, logs }) {
  if (!load) return null;
  const { errorSamples, errorBursts, failures } = load;
  return inFull(
    section(
      'errors',
      'Errors',
      failures.failed === 0 && onPage(paragraph('No request failed.', 'empty')),
      list(
        failures.kinds.map(({ count, text }) => [
          { text: `${formatCount(count)} ×`, as: 'strong' },
          ' ',
          code(text.name),
          ...(text.meaning ? [muted(` ${text.meaning}`)] : []),
        ]),
        MOST_KINDS,
      ),
      onPage(
        part('When requests failed, and what the logs said', list(errorBursts.map(describeBurst))),
      ),
      onPage(part(SAMPLES, list(errorSamples.map(describeSample)))),
      onPage(failures.failed === 0 ? folded(describeLogs(logs)) : describeLogs(logs)),
    ),
  );
}

/** @param {ErrorBurst} burst @param {number} index */
function describeBurst(burst, index) {
  const { startMs, endMs, endpoint, errors, requests, isSteady, answeredBy, log } = burst;
  const of = requests
    ? ` of ${formatNumberOf(requests, 'request')} (${formatPercent(Math.min(1, errors / requests))})`
    : '';
  const when = isSteady
    ? 'throughout the run'
    : `${formatClock(startMs)}–${formatClock(endMs)} UTC, ${formatDuration(endMs - startMs)}`;
  const pods = answeredBy?.map(({ pod, errors: own }) => `${pod} (${formatCount(own)})`).join(', ');
  return item(
    [
      tag('bad', burst.code),
      `${formatCount(errors)}${of} `,
      ...(endpoint ? [code(endpoint)] : []),
      muted(` ${when}`),
    ],
    { isOpen: index === 0 },
    lede(pods ? `Sent by ${pods}.` : ''),
    list(log.tracebacks.map(describeTraceback)),
    lede(describeBasis(burst)),
    lineTable(log.lines),
    lede(log.more > 0 ? `${formatNumberOf(log.more, 'more line')}.` : ''),
  );
}

/** @param {Traceback} traceback */
function describeTraceback({ exception, place, count, text }) {
  return item(
    [code(exception), ...(place ? [' in ', code(place)] : []), muted(` ${formatCount(count)} ×`)],
    {},
    paragraph(code(text), 'verbatim'),
  );
}

/** @param {(Pick<LogLine, 'atMs' | 'source' | 'text'> & Partial<LogLine>)[]} lines */
function lineTable(lines) {
  return table('Log lines', lines, [
    column('', ({ atMs }) => formatClock(atMs)),
    column('', ({ text, source, alike = 1 }) => [
      code(tellingLine(text)),
      muted(` ${alike > 1 ? `${formatCount(alike)} ×, ` : ''}${source}`),
    ]),
  ]);
}

/** Which logs were read, and the tracebacks in them. @param {LogReport | null} logs */
function describeLogs(logs) {
  if (!logs) return null;
  return part(
    'Logs of the API',
    list(logs.tracebacks.map(describeTraceback)),
    logs.workers.length > 0 && lede('About workers that ended:'),
    lineTable(logs.workers),
    lede(`Followed: ${logs.sources.map(({ name }) => name).join(', ') || 'none'}.`),
  );
}

/** @param {ErrorSample} sample @param {number} index */
function describeSample(sample, index) {
  const { atMs, endpoint, headers, body, requestId, traceparent, pod } = sample;
  const sent = { URL: sample.url, 'request body': sample.requestBody };
  const facts = Object.entries({ ...sent, pod, 'request id': requestId, traceparent, ...headers });
  return item(
    [tag('bad', sample.code), code(endpoint), muted(` ${formatClock(atMs)} UTC`)],
    { isOpen: index === 0 },
    pairs(facts.map(([name, value]) => [name, value ? code(value) : null])),
    body ? paragraph(code(body), 'verbatim') : lede('The response had no body.'),
  );
}
