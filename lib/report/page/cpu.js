import {
  formatCount,
  formatDuration,
  formatEstimateMs,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatShare,
  formatShareInterval,
  roundShares,
} from '../../format.js';
import { splitPaths } from '../split-paths.js';
import { listCategories, listCauses, listPaths } from './compute/cpu-rows.js';
import { bar, emptyState, h, safeColor, section, swatch } from './dom.js';
import { renderCause, renderHotPath, renderSmallPaths } from './hot-paths.js';
import { toggleEntry } from './state/store.js';
import { table } from './table.js';

/** @import { CategoryShare } from '../../analysis/report.d.ts' */
/** @import { Computed } from './compute/compute.js' */
/** @import { ProfileReport, Report } from '../../analysis/report.d.ts' */
/** @import { Store } from './state/store.js' */

/** Paths that get a card of their own even where nothing about them stands out. */
const LARGE_PATHS = 4;

/**
 * Where the CPU time of a request goes, for the selection.
 * @param {Report} report
 * @param {Store} store
 * @param {(text: string) => void} find shows a function in the flamegraph
 * @returns {{element: HTMLElement, show: (computed: Computed) => void}}
 */
export function makeCpu({ profile }, store, find) {
  const title = 'Where the CPU time of a request goes';
  if (!profile || profile.samples.active === 0) {
    const why = profile ? noSamples(profile) : noProfile();
    return { element: section('hot-paths', title, why), show: () => {} };
  }
  const place = h('div', {});
  return {
    element: section('hot-paths', title, place),
    show: computed => place.replaceChildren(...renderParts(profile, computed, store, find)),
  };
}

/**
 * @param {ProfileReport} profile
 * @param {Computed} computed
 * @param {Store} store
 * @param {(text: string) => void} find
 * @returns {HTMLElement[]}
 */
function renderParts(profile, computed, store, find) {
  const categories = listCategories(computed, profile);
  const paths = listPaths(computed, profile);
  const causes = listCauses(computed, profile);
  const shown = new Set(paths.flatMap(path => path.causes));
  const { large, small } = splitPaths(paths, LARGE_PATHS);
  const others = causes.filter(({ id }) => !shown.has(id));
  const facts = { ...profile, categories, causes };
  /** @type {Set<string>} */
  const told = new Set();
  const costs = categories.some(({ cpuMsPerRequest }) => cpuMsPerRequest);
  return [
    h('p', { class: 'lede' }, describeBase(profile, computed)),
    categories.length === 0 && emptyState('No samples in this selection.'),
    categories.length > 0 && [
      renderStack(categories),
      renderCategories(facts, costs, store),
      paths.length > 0 && h('h3', {}, 'Hot paths'),
      large.map(path => renderHotPath(path, facts, { find, told })),
      small.length > 0 && renderSmallPaths(small, facts, costs),
      others.length > 0 && [
        h('h3', {}, 'Other known causes'),
        others.map(cause => renderCause(cause, facts)),
      ],
    ],
    computed.isWhole && renderWrappers(profile),
  ].flatMap(part => flattenElements(part));
}

/** @param {import('./dom.js').Child} part @returns {HTMLElement[]} */
function flattenElements(part) {
  if (Array.isArray(part)) return part.flatMap(flattenElements);
  return part instanceof HTMLElement ? [part] : [];
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

/** @param {ProfileReport} profile @param {Computed} computed */
function describeBase({ samples, window, cpu }, { isWhole, counts, cpuMs, requests }) {
  if (!isWhole) {
    const time =
      cpuMs === null || !requests
        ? ''
        : ` Its workers used ${formatDuration(cpuMs)} of CPU time, for ${formatNumberOf(requests, 'request')}.`;
    return `Of the selection: shares are of its ${formatNumberOf(counts?.total ?? 0, 'active sample')} (of ${formatCount(samples.active)}). Intervals are 95 %.${time}`;
  }
  const over = window ? ` in ${formatDuration(window.endMs - window.startMs)}` : '';
  const base = `Shares are of ${formatCount(samples.active)} active samples of the workers${over}; waiting is taken out. Intervals are 95 %.`;
  if (!cpu.perRequest)
    return `${base} What a request costs is not known, because requests or CPU time were not recorded.`;
  const cost = `A request costs ${formatMs(cpu.perRequest.value)} of worker CPU`;
  if (cpu.basis === 'samples-upper-bound')
    return `${base} ${cost} at most: CPU time was not recorded, and samples only give an upper bound.`;
  return `${base} ${cost}: ${formatDuration(cpu.workersMs)} of CPU time for ${formatCount(cpu.requests)} requests.`;
}

/** @param {CategoryShare[]} categories */
function renderStack(categories) {
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

/** @param {ProfileReport} profile @param {boolean} costs @param {Store} store */
function renderCategories({ categories, cpu }, costs, store) {
  const picked = store.get().categories;
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.high ?? share.value));
  const bound = cpu.basis === 'samples-upper-bound' ? 'at most ' : '';
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
        categoryButton(category, picked, store),
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

/** @param {CategoryShare} category @param {string[] | null} picked @param {Store} store */
function categoryButton({ id, label, color }, picked, store) {
  const pressed = picked?.includes(id) ?? false;
  const button = h(
    'button',
    { type: 'button', class: 'name nowrap', 'aria-pressed': String(pressed) },
    swatch(color),
    label,
  );
  button.addEventListener('click', () =>
    store.set({ categories: toggleEntry(store.get().categories, id) }),
  );
  return button;
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
