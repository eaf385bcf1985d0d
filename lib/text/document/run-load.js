/** What the load test of a run sent, what came back and what failed, as parts of a document. */
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../format.js';
import { describeDisconnects, describeEngine, listTimes } from '../load.js';
import {
  amount,
  code,
  column,
  drawing,
  item,
  lede,
  list,
  muted,
  only,
  pairs,
  paragraph,
  part,
  section,
  table,
} from './build.js';

/** @import { ErrorSample, LoadReport } from '../../facts/load-report.d.ts' */
/** @import { ErrorBurst, LogLine, LogReport, Traceback } from '../../facts/logs.d.ts' */
/** @import { WordedLoad, WordedReport } from '../worded-report.d.ts' */

const MOST_KINDS = 10;
const LOAD = 'Load test';

/** @param {WordedReport} report */
export function describeLoad({ load, run }) {
  if (!load) return describeMissing(run);
  const { users, http, socketio, websocket } = load;
  const isEmpty = http.requests === 0 && !socketio?.connects && !websocket?.sent;
  const times = listTimes(load);
  return only(
    ['full', 'page'],
    section(
      'load',
      LOAD,
      lede(describeTest(load)),
      isEmpty &&
        paragraph(
          'The test sent no request. Its own output says why: `load/generator.log`.',
          'empty',
        ),
      pairs(listFigures(load)),
      part(
        'Response time',
        only(
          ['full'],
          timeTable(
            times.filter(({ detail }) => !detail),
            ['min', 'p50', 'p95', 'p99', 'max'],
          ),
        ),
        only(['page'], timeTable(times, ['min', 'mean', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'])),
        only(['page'], paragraph(describeConnections(load), 'lede')),
      ),
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
      only(
        ['page'],
        part(
          'Other counters',
          table('Other counters', Object.entries(load.counters), [
            column('Name', ([name]) => code(name)),
            amount('Count', ([, count]) => count, 'count'),
          ]),
        ),
      ),
    ),
  );
}

/** @param {WordedReport['run']} run */
function describeMissing({ kind }) {
  if (kind === 'load' || kind === 'load+profile')
    return section('load', LOAD, paragraph('Nothing was recorded of it.', 'empty'));
  return only(
    ['page'],
    section(
      'load',
      LOAD,
      paragraph(
        `No load test is part of this run: there are no response times, and no cost per request. Record both in one go: \`loadflame test script.yaml --profile\``,
        'empty',
      ),
    ),
  );
}

/** @param {WordedLoad} load */
function describeTest(load) {
  const { window, windows, phases } = load;
  const parts = [
    `${formatDuration(window.endMs - window.startMs)} with ${describeEngine(load)}`,
    windows.length > 1 && `${windows.length} load tests joined`,
    phases.length > 0 &&
      `Phases: ${phases.map(({ name, text }) => `${name} (${text})`).join(', ')}`,
  ];
  return `${parts.filter(Boolean).join('. ')}.`;
}

/** In the words that Artillery's users know. @param {WordedLoad} load @returns {[string, string | false | null][]} */
function listFigures({ users, http, failures, socketio, websocket, tokens }) {
  const count = formatCount;
  return [
    [
      'Scenarios launched',
      `${count(users.created)} (${count(users.completed)} completed, ${count(users.failed)} failed)`,
    ],
    [
      'Arrivals dropped',
      `${count(users.skipped)}${users.skipped > 0 ? ' (maxVusers was reached, or it was too late)' : ''}`,
    ],
    ['Requests', `${count(http.requests)} (${formatNumberOf(http.responses, 'response')})`],
    ['Failed', `${formatPercent(failures.share)} (${failures.text})`],
    [
      'Mean requests/s',
      `${formatRate(http.meanRatePerSec)} (${formatRate(http.throughputPerSec)} successful${http.peakRatePerSec === null ? '' : `, ${formatRate(http.peakRatePerSec)} at most`})`,
    ],
    ['Received', http.bytesReceived !== null && formatBytes(http.bytesReceived)],
    ...(socketio ? listSocketio(socketio) : []),
    ...(websocket ? listWebsocket(websocket) : []),
    ['Tokens', tokens && describeTokens(tokens)],
  ];
}

/** @param {NonNullable<LoadReport['socketio']>} socketio @returns {[string, string | false | null][]} */
function listSocketio(socketio) {
  const { connects, connectErrors, reconnects, emits, received, bytesSent, bytesReceived } =
    socketio;
  const events = received === null ? '' : `, ${formatNumberOf(received, 'event')} received`;
  return [
    [
      'socket.io connections',
      `${formatCount(connects)} (${formatCount(connectErrors)} failed, ${formatNumberOf(emits, 'emit')}${events})`,
    ],
    ['socket.io reconnects', reconnects ? formatCount(reconnects) : null],
    ['socket.io ended', describeDisconnects(socketio)],
    ['socket.io bytes', describeBytes(bytesReceived, bytesSent)],
  ];
}

/** @param {NonNullable<LoadReport['websocket']>} websocket @returns {[string, string | false | null][]} */
function listWebsocket({ connects, connectErrors, sent, received, bytesSent, bytesReceived }) {
  return [
    [
      'WebSocket connections',
      connects !== null && `${formatCount(connects)} (${formatCount(connectErrors)} failed)`,
    ],
    ['WebSocket messages', `${formatCount(sent)} sent, ${formatCount(received)} received`],
    ['WebSocket bytes', describeBytes(bytesReceived, bytesSent)],
  ];
}

/** @param {number | null} received @param {number | null} sent */
const describeBytes = (received, sent) =>
  received !== null && `${formatBytes(received)} received, ${formatBytes(sent)} sent`;

/** @param {NonNullable<LoadReport['tokens']>} tokens */
function describeTokens({ flow, issuer, obtained, refreshed, failed, lifetimeSec, flippedAtMs }) {
  const lifetime = lifetimeSec === null ? '' : `, each for ${formatDuration(lifetimeSec * 1000)}`;
  const flipped =
    flippedAtMs === null
      ? ''
      : ` From ${formatMoment(flippedAtMs)} on, responses to tokens were 401: they expired or were refused.`;
  return `${formatCount(obtained)} obtained${lifetime}, ${formatCount(refreshed)} refreshed, ${formatCount(failed)} failed (${flow}, ${issuer}).${flipped}`;
}

/** @type {Record<string, string>} what a name leaves open */
const EXPLAINED = {
  'time to first byte': 'HTTP, time to first byte',
  total: 'HTTP, total (to the last byte)',
};

/** @param {ReturnType<typeof listTimes>} rows @param {('min' | 'mean' | 'p50' | 'p75' | 'p90' | 'p95' | 'p99' | 'max')[]} figures */
function timeTable(rows, figures) {
  return table('Times', rows, [
    column('', ({ name }) => EXPLAINED[name] ?? name),
    ...(figures.includes('mean')
      ? [amount('n', (/** @type {typeof rows[0]} */ { times }) => times.count, 'count')]
      : []),
    ...figures.map(name =>
      amount(
        name === 'p50' ? 'median' : name,
        (/** @type {typeof rows[0]} */ { times }) => times[`${name}Ms`],
        'ms',
      ),
    ),
  ]);
}

/** What new connections took. @param {LoadReport} load */
function describeConnections({ http: { connections } }) {
  const { dns, tcp, tls } = connections;
  const known = Object.entries({ DNS: dns, TCP: tcp, TLS: tls }).flatMap(([name, times]) =>
    times
      ? `${name} ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)} (n\u00a0=\u00a0${formatCount(times.count)})`
      : [],
  );
  return known.length > 0 ? `New connections, median: ${known.join('; ')}.` : '';
}

/** What went wrong, how often, and what the target and its logs said. @param {WordedReport} report */
export function describeErrors({ load, logs }) {
  if (!load) return null;
  const { errorSamples, errorBursts, failures } = load;
  return only(
    ['full', 'page'],
    section(
      'errors',
      'Errors',
      failures.kinds.length === 0 && only(['page'], paragraph('No request failed.', 'empty')),
      list(
        failures.kinds.map(({ count, text }) => [
          { text: `${formatCount(count)} ×`, as: 'strong' },
          ' ',
          code(text.name),
          ...(text.meaning ? [muted(` ${text.meaning}`)] : []),
        ]),
        MOST_KINDS,
      ),
      only(
        ['page'],
        part(
          'When requests failed, and what the logs said',
          list(errorBursts.map((burst, index) => describeBurst(burst, index === 0, logs !== null))),
        ),
      ),
      only(
        ['page'],
        part(
          'Samples',
          errorSamples.length > 0 &&
            lede('The first responses of each kind (secrets redacted, bodies cut at 2 KB).'),
          list(errorSamples.map(describeSample)),
        ),
      ),
      only(['page'], describeLogs(logs)),
    ),
  );
}

const MATCHES = {
  'request-id': 'lines with the request’s id',
  traceparent: 'lines with the request’s traceparent',
  endpoint: 'lines that name the endpoint, at the same moment',
  pod: 'lines of the same moment from the pods that responded; they may be about something else',
  time: 'lines of the same moment, which may be about something else',
  none: '',
};

/** @param {ErrorBurst} burst @param {boolean} isOpen @param {boolean} hasLogs */
function describeBurst(burst, isOpen, hasLogs) {
  const { startMs, endMs, endpoint, errors, requests, isSteady, answeredBy, log } = burst;
  const of = requests
    ? ` of ${formatNumberOf(requests, 'request')} (${formatPercent(Math.min(1, errors / requests))})`
    : '';
  const when = isSteady
    ? 'throughout the run'
    : `${formatClock(startMs)}–${formatClock(endMs)} UTC, ${formatDuration(endMs - startMs)}`;
  const noLines = hasLogs
    ? 'The logs say nothing about it.'
    : 'The API’s logs were not followed: name them with LOG_FILES.';
  return item(
    [
      { text: burst.code, as: 'tag', level: 'bad' },
      `${formatCount(errors)}${of} `,
      ...(endpoint ? [code(endpoint)] : []),
      muted(` ${when}`),
    ],
    { isOpen },
    !isSteady && drawing('select-time', { startMs, endMs }),
    answeredBy &&
      paragraph(
        `Sent by ${answeredBy.map(({ pod, errors: own }) => `${pod} (${formatCount(own)})`).join(', ')}.`,
        'lede',
      ),
    list(log.tracebacks.map(describeTraceback)),
    paragraph(log.lines.length > 0 ? `${MATCHES[log.basis]}:` : noLines, 'lede'),
    lineTable(log.lines),
    log.more > 0 && paragraph(`${formatNumberOf(log.more, 'more line')}.`, 'lede'),
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
      code(text.split('\n')[0] ?? ''),
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
    lineTable(logs.workers.map(({ atMs, source, text }) => ({ atMs, source, text }))),
    table('Logs that were followed', logs.sources, [
      column('Log', ({ name }) => code(name)),
      column('From', ({ type }) => type),
      amount('Records', ({ records }) => records, 'count'),
      amount(
        'Left out',
        ({ leftOut }) => leftOut,
        'count',
        'lines that are not about errors, and lines that came too fast',
      ),
    ]),
  );
}

/** @param {ErrorSample} sample @param {number} index */
function describeSample(sample, index) {
  const { atMs, endpoint, headers, body, requestId, traceparent, pod } = sample;
  const sent = { URL: sample.url, 'request body': sample.requestBody };
  const facts = Object.entries({ ...sent, pod, 'request id': requestId, traceparent, ...headers });
  return item(
    [
      { text: sample.code, as: 'tag', level: 'bad' },
      code(endpoint),
      muted(` ${formatClock(atMs)} UTC`),
    ],
    { isOpen: index === 0 },
    pairs(facts.map(([name, value]) => [name, value ? code(value) : null])),
    body ? paragraph(code(body), 'verbatim') : lede('The response had no body.'),
  );
}
