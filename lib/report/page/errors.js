import { formatClock, formatCount } from '../../format.js';
import { emptyState, h, section } from './dom.js';
import { renderBursts, renderLogs } from './error-bursts.js';
import { table } from './table.js';

/** @import { ErrorSample, Report } from '../../analysis/report.d.ts' */

/**
 * What went wrong, how often, and what the target and its logs said.
 * @param {Report} report
 * @param {((startMs: number, endMs: number) => void) | null} select picks a stretch of time
 */
export function renderErrors({ load, logs }, select) {
  if (!load) return null;
  const bursts = load.errorBursts;
  if (load.errors.length === 0 && load.errorSamples.length === 0 && bursts.length === 0) {
    return section('errors', 'Errors', emptyState('No request failed.'), renderLogs(logs));
  }
  return section(
    'errors',
    'Errors',
    load.errors.length > 0 &&
      table(
        'Errors by name',
        [{ label: 'Error' }, { label: 'Count', number: true }, { label: 'What it means' }],
        load.errors.map(({ name, count, explanation }) => ({
          cells: [h('span', { class: 'mono' }, name), formatCount(count), explanation ?? '–'],
        })),
      ),
    renderBursts(bursts, logs !== null, select),
    load.errorSamples.length > 0 && [
      h('h3', {}, 'Samples'),
      h(
        'p',
        { class: 'lede' },
        'The first few answers of each kind, as they came (secrets taken out, bodies cut at 2 KB).',
      ),
      load.errorSamples.map(renderSample),
    ],
    renderLogs(logs),
  );
}

/** @param {ErrorSample} sample @param {number} index */
function renderSample({ atMs, endpoint, code, url, headers, body, requestId, traceparent }, index) {
  const facts = [
    ['URL', url],
    ['request id', requestId],
    ['traceparent', traceparent],
  ].filter(([, value]) => value);
  const headerLines = Object.entries(headers);
  return h(
    'details',
    { class: 'sample', open: index === 0 },
    h(
      'summary',
      {},
      h('span', { class: 'code' }, code),
      h('span', { class: 'mono endpoint' }, endpoint),
      h('time', { class: 'muted' }, `${formatClock(atMs)} UTC`),
    ),
    h(
      'dl',
      { class: 'sample-facts' },
      facts.map(([label, value]) =>
        h('div', {}, h('dt', {}, label), h('dd', { class: 'mono' }, value)),
      ),
    ),
    headerLines.length > 0 &&
      h(
        'dl',
        { class: 'sample-facts' },
        headerLines.map(([name, value]) =>
          h('div', {}, h('dt', { class: 'mono' }, name), h('dd', { class: 'mono' }, value)),
        ),
      ),
    body
      ? h('pre', { tabindex: 0, 'aria-label': 'Body of the answer' }, body)
      : h('p', { class: 'muted' }, 'The answer had no body.'),
  );
}
