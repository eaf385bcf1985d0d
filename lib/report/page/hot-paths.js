import { formatEstimateMs, formatPercent, formatPlace, formatShare } from '../../format.js';
import { bar, h, prose, severityTag, swatch } from './dom.js';
import { table } from './table.js';

/** @import { CauseShare, HotPath, ProfileReport } from '../../analysis/report.d.ts' */

/**
 * One hot path: its sentence, where it is entered, what causes it, what is heavy in it.
 * @param {HotPath} path
 * @param {ProfileReport} profile
 * @param {object} options
 * @param {(text: string) => void} options.find shows a function in the flamegraph
 * @param {Set<string>} options.told causes that stood in an earlier path: there they were explained;
 *   those of this one are added
 */
export function renderHotPath(path, profile, { find, told }) {
  const color = profile.categories.find(({ id }) => id === path.category)?.color;
  const causes = path.causes.flatMap(id => profile.causes.find(cause => cause.id === id) ?? []);
  const known = causes.filter(({ id }) => told.has(id));
  const fresh = causes.filter(({ id }) => !told.has(id));
  const first = told.size === 0;
  for (const { id } of fresh) told.add(id);
  const button = h('button', { type: 'button', class: 'quiet' }, 'Find in flamegraph');
  button.addEventListener('click', () => find(path.entry.function));
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
    path.sentence && h('p', { class: 'sentence' }, prose(path.sentence)),
    h(
      'p',
      { class: 'entry' },
      'Entered at ',
      h('span', { class: 'mono' }, path.entry.function),
      ' ',
      h('span', { class: 'mono muted' }, formatPlace(path.entry)),
      ' ',
      button,
    ),
    (causes.length > 0 || path.heaviest.length > 0) &&
      h(
        'div',
        { class: 'hot-body' },
        causes.length > 0 &&
          h(
            'div',
            {},
            fresh.map(cause => renderCause(cause, profile)),
            known.length > 0 &&
              h(
                'p',
                { class: 'muted' },
                `Here, too: ${known.map(({ title }) => title).join(', ')} (explained above).`,
              ),
          ),
        path.heaviest.length > 0 &&
          h(
            'details',
            { open: path.flagged && first },
            h('summary', {}, 'Heaviest functions within'),
            renderHeaviest(path, color),
          ),
      ),
  );
}

/** The paths that are only listed. @param {HotPath[]} paths @param {ProfileReport} profile @param {boolean} costs */
export function renderSmallPaths(paths, { categories }, costs) {
  return [
    h('h3', {}, 'Smaller paths'),
    table(
      'Smaller paths',
      [
        { label: 'Category' },
        { label: 'Entered at' },
        { label: 'Where' },
        { label: 'Share', number: true },
        ...(costs ? [{ label: 'CPU per request', number: true }] : []),
      ],
      paths.map(({ category, label, entry, share, cpuMsPerRequest }) => ({
        cells: [
          h(
            'span',
            { class: 'nowrap' },
            swatch(categories.find(({ id }) => id === category)?.color),
            label,
          ),
          h('span', { class: 'mono' }, entry.function),
          h('span', { class: 'mono muted' }, formatPlace(entry)),
          formatShare(share),
          ...(costs ? [formatEstimateMs(cpuMsPerRequest)] : []),
        ],
      })),
    ),
  ];
}

/** A known cause with its evidence and what to do. @param {CauseShare} cause @param {ProfileReport} profile */
export function renderCause(cause, { categories, causes }) {
  const whole = causes.find(({ id }) => id === cause.partOf);
  const { title, severity, share, cpuMsPerRequest, shareOfCategory, category } = cause;
  const { evidence, explanation, advice } = cause;
  const label = categories.find(({ id }) => id === category)?.label ?? category;
  const cost = cpuMsPerRequest ? `, ${formatEstimateMs(cpuMsPerRequest)} per request` : '';
  return h(
    'div',
    { class: `cause cause-${severity}` },
    h('h5', {}, severityTag(severity), title),
    h(
      'p',
      { class: 'muted' },
      `${formatShare(share)} of all CPU${cost}; ${formatPercent(shareOfCategory)} of ${label}`,
      whole && `; a part of “${whole.title}”`,
    ),
    h('p', {}, prose(explanation)),
    evidence.length > 0 &&
      h(
        'ol',
        { class: 'chain', 'aria-label': 'Evidence, outermost frame first' },
        evidence.map(frame => h('li', { class: 'mono' }, frame)),
      ),
    h('p', { class: 'advice' }, h('strong', {}, 'What to do: '), prose(advice)),
  );
}

/** @param {HotPath} path @param {string | undefined} color */
function renderHeaviest({ heaviest }, color) {
  return table(
    'Shares are of all active samples',
    [
      { label: 'Function' },
      { label: 'Itself', number: true, about: 'samples in the function itself' },
      { label: 'With what it calls', number: true },
      { label: '' },
    ],
    heaviest.map(frame => ({
      cells: [
        [
          h('span', { class: 'mono' }, frame.function),
          h('span', { class: 'mono muted place' }, formatPlace(frame)),
        ],
        formatPercent(frame.self),
        formatPercent(frame.total),
        bar(frame.total, color),
      ],
    })),
  );
}
