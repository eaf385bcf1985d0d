import {
  formatClock,
  formatCount,
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
} from '../../format.js';
import {
  emptyState,
  fold,
  h,
  lede,
  makeButton,
  mono,
  muted,
  pairList,
  remark,
  section,
} from './dom.js';
import { amount, table } from './table.js';

/** @import { ErrorSample } from '../../facts/load-report.d.ts' */
/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { ErrorBurst, LogLine, LogReport, Traceback } from '../../facts/logs.d.ts' */

/** @typedef {((startMs: number, endMs: number) => void) | null} SelectTime picks a stretch of time */

/**
 * What went wrong, how often, and what the target and its logs said.
 * @param {Report} report
 * @param {SelectTime} select
 */
export function renderErrors({ load, logs }, select) {
  if (!load) return null;
  const { errorSamples, errorBursts } = load;
  const { kinds } = load.failures;
  if (kinds.length === 0 && errorSamples.length === 0 && errorBursts.length === 0)
    return section('errors', 'Errors', emptyState('No request failed.'), renderLogs(logs));
  return section(
    'errors',
    'Errors',
    kinds.length > 0 &&
      table('What failed', kinds, [
        { label: 'Failure', cell: ({ text }) => mono(text.name) },
        amount('Count', ({ count }) => count, formatCount),
        { label: 'What it means', cell: ({ text }) => text.meaning ?? '–' },
      ]),
    errorBursts.length > 0 && [
      h('h3', {}, 'When requests failed, and what the logs said'),
      errorBursts.map((burst, index) => renderBurst(burst, index === 0, logs !== null, select)),
    ],
    errorSamples.length > 0 && [
      h('h3', {}, 'Samples'),
      lede('The first responses of each kind (secrets redacted, bodies cut at 2 KB).'),
      errorSamples.map(renderSample),
    ],
    renderLogs(logs),
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

/** @param {ErrorBurst} burst @param {boolean} open @param {boolean} hasLogs @param {SelectTime} select */
function renderBurst(burst, open, hasLogs, select) {
  const { startMs, endMs, code, endpoint, errors, requests, isSteady, answeredBy, log } = burst;
  const of = requests
    ? ` of ${formatNumberOf(requests, 'request')} (${formatPercent(Math.min(1, errors / requests))})`
    : '';
  const when = isSteady
    ? 'throughout the run'
    : `${formatClock(startMs)}–${formatClock(endMs)} UTC, ${formatDuration(endMs - startMs)}`;
  const noLines = hasLogs
    ? 'The logs say nothing about it.'
    : 'The API’s logs were not followed: name them with LOG_FILES or LOG_COMMAND.';
  return fold(
    [
      h('span', { class: 'code' }, code),
      `${formatCount(errors)}${of} `,
      endpoint && mono(endpoint),
      muted(` ${when}`),
    ],
    { class: 'burst', open },
    select &&
      !isSteady &&
      h(
        'p',
        {},
        makeButton('Select this time', () => select(startMs, endMs), { class: 'quiet' }),
      ),
    answeredBy &&
      remark(
        `Sent by ${answeredBy.map(({ pod, errors: own }) => `${pod} (${formatCount(own)})`).join(', ')}.`,
      ),
    log.tracebacks.map(renderTraceback),
    log.lines.length > 0
      ? [
          remark(`${MATCHES[log.basis]}:`),
          renderLines(log.lines, 'Log lines'),
          log.more > 0 && remark(`${formatNumberOf(log.more, 'more line')}.`),
        ]
      : remark(noLines),
  );
}

/** @param {Traceback} traceback */
function renderTraceback({ exception, place, count, text }) {
  return fold(
    [
      h('strong', { class: 'mono' }, exception),
      place && [' in ', mono(place)],
      muted(` ${formatCount(count)} ×`),
    ],
    { class: 'traceback' },
    h('pre', { tabindex: 0, 'aria-label': 'Traceback' }, text),
  );
}

/** @param {Pick<LogLine, 'atMs' | 'source' | 'text'> & Partial<LogLine>} line */
function renderLine({ atMs, source, level = 'warn', text, alike = 1 }) {
  return h(
    'li',
    { class: (level === 'error' || level === 'warn') && `log-${level}` },
    h('span', { class: 'muted', title: source }, formatClock(atMs)),
    h('span', { class: 'log-text' }, text.split('\n')[0] ?? ''),
    alike > 1 && muted(` ${formatCount(alike)} ×`),
  );
}

/** @param {Parameters<typeof renderLine>[0][]} lines @param {string} label */
function renderLines(lines, label) {
  return h('ol', { class: 'log', 'aria-label': label }, lines.map(renderLine));
}

const CLOCKS = { date: 'the Date of responses', companion: 'the companion’s clock' };

/** Which logs were read, and the tracebacks in them. @param {LogReport | null} logs */
function renderLogs(logs) {
  if (!logs) return null;
  return [
    h('h3', {}, 'Logs of the API'),
    logs.clock &&
      remark(
        `The pods’ clock is ${formatMs(Math.abs(logs.clock.aheadMs))} ${logs.clock.aheadMs < 0 ? 'behind' : 'ahead of'} ours ± ${formatMs(logs.clock.uncertaintyMs)}, by ${CLOCKS[logs.clock.from]}; times in their logs are moved by that.`,
      ),
    logs.tracebacks.map(renderTraceback),
    logs.workers.length > 0 && [
      remark('About workers that ended:'),
      renderLines(logs.workers, 'Log lines about workers'),
    ],
    table('Logs that were followed', logs.sources, [
      { label: 'Log', cell: ({ name }) => mono(name) },
      { label: 'From', cell: ({ type }) => type },
      amount('Records', ({ records }) => records, formatCount),
      amount(
        'Left out',
        ({ leftOut }) => leftOut,
        formatCount,
        'lines that are not about errors, and lines that came too fast',
      ),
    ]),
  ];
}

/** @param {ErrorSample} sample @param {number} index */
function renderSample(sample, index) {
  const { atMs, endpoint, code, headers, body, requestId, traceparent, pod } = sample;
  const sent = { URL: sample.url, 'request body': sample.requestBody };
  const facts = Object.entries({ ...sent, pod, 'request id': requestId, traceparent });
  return fold(
    [
      h('span', { class: 'code' }, code),
      h('span', { class: 'mono endpoint' }, endpoint),
      h('time', { class: 'muted' }, `${formatClock(atMs)} UTC`),
    ],
    { class: 'sample', open: index === 0 },
    pairList(
      facts.flatMap(([name, value]) => (value ? [[name, mono(value)]] : [])),
      'sample-facts',
    ),
    pairList(
      Object.entries(headers).map(([name, value]) => [mono(name), mono(value)]),
      'sample-facts',
    ),
    body
      ? h('pre', { tabindex: 0, 'aria-label': 'Body of the response' }, body)
      : remark('The response had no body.'),
  );
}
