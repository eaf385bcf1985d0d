import {
  formatCount,
  formatDuration,
  formatEstimateMs,
  formatMs,
  formatMsInterval,
  formatShare,
  formatShareInterval,
  roundShares,
} from '../../format.js';
import { splitPaths } from '../split-paths.js';
import { bar, emptyState, h, safeColor, section, swatch } from './dom.js';
import { renderCause, renderHotPath, renderSmallPaths } from './hot-paths.js';
import { table } from './table.js';

/** @import { CategoryShare, ProfileReport, Report } from '../../analysis/report.d.ts' */

/** Paths that get a card of their own even where nothing about them stands out. */
const LARGE_PATHS = 4;

/**
 * Where the CPU time of a request goes.
 * @param {Report} report
 * @param {(text: string) => void} find shows a function in the flamegraph
 */
export function renderCpu({ profile }, find) {
  const title = 'Where the CPU time of a request goes';
  if (!profile) return section('hot-paths', title, noProfile());
  if (profile.samples.active === 0) return section('hot-paths', title, noSamples(profile));
  const shown = new Set(profile.hotPaths.flatMap(({ causes }) => causes));
  const { large, small } = splitPaths(profile.hotPaths, LARGE_PATHS);
  const others = profile.causes.filter(({ id }) => !shown.has(id));
  return section(
    'hot-paths',
    title,
    h('p', { class: 'lede' }, describeBase(profile)),
    renderStack(profile),
    renderCategories(profile),
    profile.hotPaths.length > 0 && h('h3', {}, 'Hot paths'),
    large.map(path => renderHotPath(path, profile, find)),
    small.length > 0 && renderSmallPaths(small, profile),
    others.length > 0 && [
      h('h3', {}, 'Other known causes'),
      others.map(cause => renderCause(cause, profile)),
    ],
    renderWrappers(profile),
  );
}

/** Why there is no profile, and how to get one. */
function noProfile() {
  return emptyState(
    'No profile is part of this run, so nothing can be said about where CPU time goes.',
    'Record one together with the load: ',
    h('code', {}, 'npm run tests:profile'),
    '. If the profiler cannot start, ',
    h('code', {}, 'npm run doctor'),
    ' says why.',
  );
}

/** @param {ProfileReport} profile */
function noSamples({ samples }) {
  return emptyState(
    samples.recorded === 0
      ? 'The profiler recorded no sample.'
      : `None of the ${formatCount(samples.recorded)} samples shows a worker at work: ${formatCount(samples.waiting)} were waiting.`,
    'Let more load run for longer while the profiler records, and check that it is attached to the right process: ',
    h('code', {}, 'npm run doctor'),
  );
}

/** @param {ProfileReport} profile */
function describeBase({ samples, window, cpu }) {
  const over = window ? ` in ${formatDuration(window.endMs - window.startMs)}` : '';
  const base = `Shares are of ${formatCount(samples.active)} active samples of the workers${over}; waiting is taken out. Intervals are 95 %.`;
  if (!cpu.perRequest)
    return `${base} What a request costs is not known, because requests or CPU time were not recorded.`;
  const cost = `A request costs ${formatMs(cpu.perRequest.value)} of worker CPU`;
  if (cpu.basis === 'samples-upper-bound')
    return `${base} ${cost} at most: CPU time was not recorded, and samples only give an upper bound.`;
  return `${base} ${cost}: ${formatDuration(cpu.workersMs)} of CPU time for ${formatCount(cpu.requests)} requests.`;
}

/** @param {ProfileReport} profile */
function renderStack({ categories }) {
  const parts = categories.map(({ label, color, share }) => {
    const part = h(
      'span',
      { title: `${label} ${formatShare(share)}` },
      share.value > 0.07 ? h('span', { class: share.value > 0.25 ? null : 'small' }, label) : null,
    );
    part.style.flexGrow = String(share.value);
    part.style.backgroundColor = safeColor(color);
    return part;
  });
  return h('div', { class: 'stack', 'aria-hidden': 'true' }, parts);
}

/** @param {ProfileReport} profile */
function renderCategories({ categories, cpu }) {
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.high ?? share.value));
  const bound = cpu.basis === 'samples-upper-bound' ? 'at most ' : '';
  const costs = cpu.perRequest !== null;
  return table(
    'CPU by category',
    [
      { label: 'Category' },
      { label: 'Share', number: true, about: 'of active samples; shares sum to 100.0 %' },
      { label: '' },
      { label: '95 % interval', number: true },
      ...(costs
        ? [
            { label: 'CPU per request', number: true },
            { label: '95 % interval', number: true },
          ]
        : []),
      { label: 'Samples', number: true },
    ],
    categories.map((category, index) => ({
      cells: [
        h('span', { class: 'nowrap' }, swatch(category.color), category.label),
        `${percents[index]?.toFixed(1)} %`,
        shareBar(category, widest),
        formatShareInterval(category.share),
        ...(costs
          ? [
              `${bound}${formatEstimateMs(category.cpuMsPerRequest)}`,
              formatMsInterval(category.cpuMsPerRequest),
            ]
          : []),
        formatCount(category.samples),
      ],
    })),
  );
}

/** @param {CategoryShare} category @param {number} widest share that fills the bar */
function shareBar({ share, color }, widest) {
  const { value, low, high } = share;
  const interval = low === null || high === null ? undefined : [low / widest, high / widest];
  return bar(value / widest, color, /** @type {[number, number] | undefined} */ (interval));
}

/** @param {ProfileReport} profile */
function renderWrappers({ wrappers }) {
  if (wrappers.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'Decorators and middleware'),
    h(
      'p',
      { class: 'lede' },
      'Calls pass through these. Only what is their own counts for them; the rest belongs to what they call.',
    ),
    table(
      'Decorators and middleware',
      [
        { label: 'Function' },
        { label: 'File' },
        { label: 'Own', number: true },
        { label: 'Passes through', number: true },
      ],
      wrappers.map(({ function: name, file, own, through }) => ({
        cells: [
          h('span', { class: 'mono' }, name),
          h('span', { class: 'mono' }, file),
          formatShare(own),
          `${(through * 100).toFixed(1)} %`,
        ],
      })),
    ),
  );
}
