import {
  formatClock,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatPercent,
} from '../../format.js';
import { h } from './dom.js';
import { table } from './table.js';

/** @import { ErrorBurst, LogLine, LogReport, Traceback } from '../../analysis/logs.d.ts' */

const MATCHES = {
  'request-id': 'lines with the request’s id',
  traceparent: 'lines with the request’s traceparent',
  time: 'lines of the same moment',
  none: '',
};

/**
 * When requests failed more than before, and what the API's logs said then.
 * @param {ErrorBurst[]} bursts
 * @param {boolean} hasLogs
 * @param {((startMs: number, endMs: number) => void) | null} select picks a stretch of time
 */
export function renderBursts(bursts, hasLogs, select) {
  if (bursts.length === 0) return null;
  return [
    h('h3', {}, 'When they failed, and what the logs said'),
    bursts.map((burst, index) => renderBurst(burst, index === 0, hasLogs, select)),
  ];
}

/** @param {ErrorBurst} burst @param {boolean} open @param {boolean} hasLogs @param {Parameters<typeof renderBursts>[2]} select */
function renderBurst(
  { startMs, endMs, code, endpoint, errors, requests, isSteady, log },
  open,
  hasLogs,
  select,
) {
  const button = h('button', { type: 'button', class: 'quiet' }, 'Select this time');
  button.addEventListener('click', () => select?.(startMs, endMs));
  const of = requests
    ? ` of ${formatNumberOf(requests, 'request')} (${formatPercent(errors / requests)})`
    : '';
  return h(
    'details',
    { class: 'burst', open },
    h(
      'summary',
      {},
      h('span', { class: 'code' }, code),
      `${formatCount(errors)}${of} `,
      endpoint && h('span', { class: 'mono' }, endpoint),
      h(
        'span',
        { class: 'muted' },
        isSteady
          ? ' all of the time'
          : ` ${formatClock(startMs)}–${formatClock(endMs)} UTC, ${formatDuration(endMs - startMs)}`,
      ),
    ),
    select && !isSteady && h('p', {}, button),
    log.tracebacks.map(renderTraceback),
    log.lines.length > 0
      ? [
          h('p', { class: 'muted' }, `${MATCHES[log.basis]}:`),
          h('ol', { class: 'log', 'aria-label': 'Log lines' }, log.lines.map(renderLine)),
          log.more > 0 && h('p', { class: 'muted' }, `${formatNumberOf(log.more, 'more line')}.`),
        ]
      : h(
          'p',
          { class: 'muted' },
          hasLogs
            ? 'No log says anything about it.'
            : 'The API’s logs were not followed: name them with LOG_FILES or LOG_COMMAND.',
        ),
  );
}

/** @param {Traceback} traceback */
function renderTraceback({ exception, place, count, text }) {
  return h(
    'details',
    { class: 'traceback' },
    h(
      'summary',
      {},
      h('strong', { class: 'mono' }, exception),
      place && [' in ', h('span', { class: 'mono' }, place)],
      h('span', { class: 'muted' }, ` ${formatCount(count)} ×`),
    ),
    h('pre', { tabindex: 0, 'aria-label': 'Traceback' }, text),
  );
}

/** @param {LogLine} line */
function renderLine({ atMs, source, level, text, alike }) {
  return h(
    'li',
    { class: level === 'error' || level === 'warn' ? `log-${level}` : null },
    h('span', { class: 'muted', title: source }, formatClock(atMs)),
    h('span', { class: 'log-text' }, text.split('\n')[0] ?? ''),
    alike > 1 && h('span', { class: 'muted' }, ` ${formatCount(alike)} ×`),
  );
}

/** Which logs were read, and the tracebacks in them. @param {LogReport | null} logs */
export function renderLogs(logs) {
  if (!logs) return null;
  return [
    h('h3', {}, 'Logs of the API'),
    logs.tracebacks.map(renderTraceback),
    logs.workers.length > 0 && [
      h('p', { class: 'muted' }, 'Of workers that ended:'),
      h(
        'ol',
        { class: 'log', 'aria-label': 'Log lines about workers' },
        logs.workers.map(({ atMs, source, text }) =>
          h(
            'li',
            { class: 'log-warn' },
            h('span', { class: 'muted', title: source }, formatClock(atMs)),
            h('span', { class: 'log-text' }, text.split('\n')[0] ?? ''),
          ),
        ),
      ),
    ],
    table(
      'Logs that were followed',
      [
        { label: 'Log' },
        { label: 'From' },
        { label: 'Records', number: true },
        {
          label: 'Left out',
          number: true,
          about: 'what says nothing about errors, and what came too fast',
        },
      ],
      logs.sources.map(({ name, type, records, leftOut }) => ({
        cells: [
          h('span', { class: 'mono' }, name),
          type,
          formatCount(records),
          formatCount(leftOut),
        ],
      })),
    ),
  ];
}
