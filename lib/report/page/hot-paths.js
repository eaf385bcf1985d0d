import { formatEstimateMs, formatPercent, formatPlace, formatShare } from '../../format.js';
import {
  bar,
  evidenceList,
  fold,
  h,
  makeButton,
  mono,
  prose,
  remark,
  severityTag,
  shareBar,
  swatch,
} from './dom.js';
import { amount, figure, table } from './table.js';

/** @import { WordedCause, WordedProfile as ProfileReport } from '../../text/worded-report.d.ts' */
/** @import { ShownPath } from './cpu.js' */

/**
 * One hot path: its sentence, where it is entered, what causes it, what is heavy in it.
 * @param {ShownPath} path
 * @param {ProfileReport} profile
 * @param {object} options
 * @param {(text: string) => void} options.find shows a function in the flamegraph
 * @param {Set<string>} options.told causes explained so far; those of this path are added
 */
export function renderHotPath(path, profile, { find, told }) {
  const color = profile.categories.find(({ id }) => id === path.category)?.color;
  const isNew = (/** @type {string} */ id) => path.causes.includes(id) && !told.has(id);
  const fresh = profile.causes.filter(({ id }) => isNew(id));
  const first = told.size === 0;
  for (const { id } of fresh) told.add(id);
  return h(
    'article',
    { class: `hot-path${path.flagged ? ' flagged' : ''}` },
    h(
      'h4',
      {},
      swatch(color),
      path.label,
      h('span', { class: 'hot-share' }, `this path ${formatShare(path.share)}`),
      path.cpuMsPerRequest &&
        h('span', { class: 'hot-share' }, `${formatEstimateMs(path.cpuMsPerRequest)} per request`),
    ),
    path.text && h('p', { class: 'sentence' }, prose(path.text)),
    h(
      'p',
      { class: 'entry' },
      'Entered at ',
      mono(path.entry.function),
      ' ',
      h('span', { class: 'mono muted' }, formatPlace(path.entry)),
      ' ',
      makeButton('Find in flamegraph', () => find(path.entry.function), { class: 'quiet' }),
    ),
    (fresh.length > 0 || path.heaviest.length > 0) &&
      h(
        'div',
        { class: 'hot-body' },
        fresh.map(cause => renderCause(cause, profile)),
        path.heaviest.length > 0 &&
          fold(
            'Heaviest functions in it',
            { open: path.flagged && first },
            renderHeaviest(path, color),
          ),
      ),
  );
}

/** One bar of all categories. @param {ProfileReport['categories']} categories */
export function renderShares(categories) {
  return shareBar(
    categories.map(({ label, color, share }) => ({ label, color, share: share.value })),
    'stack',
    ({ label, share }) => share > 0.07 && h('span', { class: share <= 0.25 && 'small' }, label),
  );
}

/** The paths that are only listed. @param {ShownPath[]} paths @param {Pick<ProfileReport, 'categories'>} profile @param {boolean} costs */
export function renderSmallPaths(paths, { categories }, costs) {
  const colorOf = (/** @type {string} */ category) =>
    categories.find(({ id }) => id === category)?.color;
  return [
    h('h3', {}, 'Smaller paths'),
    table('Smaller paths', paths, [
      {
        label: 'Category',
        cell: ({ category, label }) =>
          h('span', { class: 'nowrap' }, swatch(colorOf(category)), label),
      },
      { label: 'Entered at', cell: ({ entry }) => mono(entry.function) },
      {
        label: 'Where',
        cell: ({ entry }) => h('span', { class: 'mono muted' }, formatPlace(entry)),
      },
      figure('Share', ({ share }) => formatShare(share)),
      costs &&
        figure('CPU per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
    ]),
  ];
}

/** A known cause, its evidence and advice. @param {WordedCause} cause @param {Pick<ProfileReport, 'categories' | 'causes'>} profile @param {string} [of] */
export function renderCause(cause, { categories, causes }, of = 'all CPU') {
  const whole = causes.find(({ id }) => id === cause.partOf);
  const { title, severity, share, cpuMsPerRequest, shareOfCategory, category } = cause;
  const { evidence, explanation, advice, text } = cause;
  const label = categories.find(({ id }) => id === category)?.label ?? category;
  const cost = cpuMsPerRequest ? `, ${formatEstimateMs(cpuMsPerRequest)} per request` : '';
  return h(
    'div',
    { class: `cause cause-${severity}` },
    h('h5', {}, severityTag(severity), title),
    remark(
      `${formatShare(share)} of ${of}${cost}; ${formatPercent(shareOfCategory)} of ${label}`,
      whole && `; part of “${whole.title}”`,
    ),
    h('p', {}, prose(explanation)),
    evidence.length > 0 &&
      h(
        'ol',
        { class: 'chain', 'aria-label': 'Evidence, outermost frame first' },
        evidence.map(frame => h('li', { class: 'mono' }, frame)),
      ),
    evidenceList(text, 'evidence'),
    h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), prose(advice)),
  );
}

/** @param {ShownPath} path @param {string | undefined} color */
function renderHeaviest({ heaviest }, color) {
  return table('Shares are of all active samples', heaviest, [
    {
      label: 'Function',
      cell: frame => [
        mono(frame.function),
        h('span', { class: 'mono muted place' }, formatPlace(frame)),
      ],
    },
    amount('Self', frame => frame.self, formatPercent, 'samples in the function itself'),
    figure('Total', frame => formatShare(frame.total), 'with what it calls'),
    { label: '', cell: frame => bar(frame.total.value, color) },
  ]);
}
