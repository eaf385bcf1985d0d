import {
  formatCount,
  formatDuration,
  formatEstimateMs,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatShareInterval,
  roundShares,
} from '../../format.js';
import { splitPaths } from '../../text/document/split-paths.js';
import { bar, emptyState, h, intervalOf, lede, makeButton, section, swatch } from './dom.js';
import { renderCause, renderHotPath, renderShares, renderSmallPaths } from './hot-paths.js';
import { toggleEntry } from './state.js';
import { amount, figure, table } from './table.js';

/** @import { CategoryShare, CpuUse } from '../../facts/profile-report.d.ts' */
/** @import { Computed } from './compute/compute.js' */
/** @import { WordedCause, WordedPath, WordedProfile as ProfileReport, WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Store } from './state.js' */

/** Paths that get a card of their own even where nothing about them stands out. */
const LARGE_PATHS = 4;

/**
 * Where the CPU time of a request goes, for the selection.
 * @param {Report} report
 * @param {Store} store
 * @param {(text: string) => void} find shows a function in the flamegraph
 * @returns {{element: HTMLElement, show: (computed: Computed) => void}}
 */
export function makeCpu({ cpu, profile, run }, store, find) {
  const title = 'Where the CPU time of a request goes';
  if (!profile || profile.samples.active === 0) {
    const missing = cpu?.text ? emptyState(cpu.text) : emptyState(NO_PROFILE, getProfile(run));
    const why = profile ? noSamples(profile) : missing;
    return { element: section('hot-paths', title, why), show: () => {} };
  }
  const place = h('div', {});
  return {
    element: section('hot-paths', title, place),
    show: computed =>
      place.replaceChildren(h('div', {}, renderParts(profile, cpu, computed, store, find))),
  };
}

/**
 * @param {ProfileReport} profile
 * @param {CpuUse | null} cpu
 * @param {Computed} computed
 * @param {Store} store
 * @param {(text: string) => void} find
 */
function renderParts(profile, cpu, computed, store, find) {
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
    lede(describeBase(profile, cpu, computed)),
    categories.length === 0 && emptyState('No samples in this selection.'),
    categories.length > 0 && [
      renderShares(categories),
      renderCategories(categories, cpu, costs, store),
      paths.length > 0 && h('h3', {}, 'Hot paths'),
      large.map(path => renderHotPath(path, facts, { find, told })),
      small.length > 0 && renderSmallPaths(small, facts, costs),
      others.length > 0 && [
        h('h3', {}, 'Other known causes'),
        others.map(cause => renderCause(cause, facts)),
      ],
    ],
  ];
}

const NO_PROFILE =
  'No profile is part of this run, so nothing can be said about where CPU time goes.';
/** @param {Report['run']} run */
const getProfile = ({ kind, command }) =>
  `Record one together with the load: \`${kind === 'load' ? command : 'loadflame test script.yaml'} --profile\`. If the profiler cannot start, \`loadflame doctor\` says why.`;
const GET_SAMPLES =
  'Send more load, for longer, and check that the profiler is attached to the right process: `loadflame doctor`';

/** @param {ProfileReport} profile */
function noSamples({ samples }) {
  return emptyState(
    samples.recorded === 0
      ? 'The profiler recorded no samples.'
      : `None of the ${formatCount(samples.recorded)} samples shows a busy worker: ${formatCount(samples.waiting)} were waiting.`,
    GET_SAMPLES,
  );
}

/** @param {ProfileReport} profile @param {CpuUse | null} cpu @param {Computed} computed */
function describeBase({ samples, window }, cpu, { isWhole, counts, cpuMs, requests }) {
  if (!isWhole) {
    const time =
      cpuMs === null || !requests
        ? ''
        : ` The workers used ${formatDuration(cpuMs)} of CPU time for ${formatNumberOf(requests, 'request')}.`;
    return `Shares are of the ${formatNumberOf(counts?.total ?? 0, 'active sample')} of the selection (of ${formatCount(samples.active)}). Intervals are 95 %.${time}`;
  }
  const over = window ? ` in ${formatDuration(window.endMs - window.startMs)}` : '';
  const base = `Shares are of ${formatCount(samples.active)} active samples of the workers${over}; waiting is excluded. Intervals are 95 %.`;
  if (!cpu?.perRequest)
    return `${base} The cost per request is not known, because requests or CPU time were not recorded.`;
  const cost = `A request costs ${formatMs(cpu.perRequest.value)} of worker CPU`;
  if (cpu.basis === 'samples-upper-bound')
    return `${base} ${cost} at most: CPU time was not recorded, and samples only give an upper bound.`;
  return `${base} ${cost}: ${formatDuration(cpu.workersMs)} of CPU time for ${formatCount(cpu.requests)} requests.`;
}

/** @param {CategoryShare[]} categories @param {CpuUse | null} cpu @param {boolean} costs @param {Store} store */
function renderCategories(categories, cpu, costs, store) {
  const picked = store.get().categories;
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.high ?? share.value));
  const bound = cpu?.basis === 'samples-upper-bound' ? 'at most ' : '';
  return table('CPU by category', categories, [
    { label: 'Category', cell: category => categoryButton(category, picked, store) },
    figure(
      'Share',
      (_, index) => `${percents[index]?.toFixed(1)} %`,
      'of active samples; shares sum to 100.0 %',
    ),
    {
      label: '',
      cell: ({ share, color }) =>
        bar(
          share.value / widest,
          color,
          intervalOf(share)?.map(end => end / widest),
        ),
    },
    figure('95 % interval', ({ share }) => formatShareInterval(share)),
    costs &&
      figure(
        'CPU per request',
        ({ cpuMsPerRequest }) => `${bound}${formatEstimateMs(cpuMsPerRequest)}`,
      ),
    costs && figure('95 % interval', ({ cpuMsPerRequest }) => formatMsInterval(cpuMsPerRequest)),
    amount('Samples', ({ samples }) => samples, formatCount),
  ]);
}

/** @param {CategoryShare} category @param {string[] | null} picked @param {Store} store */
function categoryButton({ id, label, color }, picked, store) {
  return makeButton(
    [swatch(color), label],
    () => store.set({ categories: toggleEntry(store.get().categories, id) }),
    { class: 'name nowrap', 'aria-pressed': String(picked?.includes(id) ?? false) },
  );
}

/** Hot paths of a selection below this share are left out. */
const LEAST_PATH = 0.002;
const MOST_PATHS = 40;

/** @param {Computed} computed @param {ProfileReport} profile @returns {CategoryShare[]} biggest first */
function listCategories({ counts, isWhole, estimateShare, estimateCost }, profile) {
  if (isWhole || !counts) return profile.categories;
  return (profile.table?.categories ?? [])
    .map((category, index) => {
      const samples = counts.categories[index] ?? 0;
      return {
        ...category,
        samples,
        share: estimateShare(samples),
        cpuMsPerRequest: estimateCost(samples),
      };
    })
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples);
}

/** @typedef {Omit<WordedPath, 'plural' | 'caller' | 'ofRequest' | 'reasons'>} ShownPath */

/**
 * Paths of a selection keep what the analysis says of them in the whole run: what they mean does not
 * change, only how much of it there is.
 * @param {Computed} computed
 * @param {ProfileReport} profile
 * @returns {ShownPath[]} biggest first; `heaviest` is empty in a selection, the flamegraph shows it
 */
function listPaths({ counts, isWhole, estimateShare, estimateCost }, profile) {
  if (isWhole || !counts) return profile.hotPaths;
  const { paths = [], categories = [] } = profile.table ?? {};
  return paths
    .map((path, index) => ({ path, samples: counts.paths[index] ?? 0 }))
    .filter(({ samples }) => samples > 0 && samples >= counts.total * LEAST_PATH)
    .sort((a, b) => b.samples - a.samples)
    .slice(0, MOST_PATHS)
    .map(({ path, samples }) => {
      const { id = 'unknown', label = 'not attributed' } = categories[path.category] ?? {};
      const { function: name, file, line } = path;
      const known = profile.hotPaths.find(
        ({ category, entry }) => category === id && entry.function === name && entry.file === file,
      );
      return {
        category: id,
        label,
        entry: { function: name, file, line },
        share: estimateShare(samples),
        cpuMsPerRequest: estimateCost(samples),
        flagged: known?.flagged ?? false,
        text: known?.text ? `In the whole run: ${known.text}` : '',
        causes: known?.causes ?? [],
        heaviest: [],
      };
    });
}

/** @param {Computed} computed @param {ProfileReport} profile @returns {WordedCause[]} biggest first */
function listCauses({ counts, isWhole, estimateShare, estimateCost }, profile) {
  if (isWhole || !counts) return profile.causes;
  const { causes = [], categories = [] } = profile.table ?? {};
  return profile.causes
    .flatMap(cause => {
      const index = causes.indexOf(cause.id);
      const samples = index < 0 ? 0 : (counts.causes[index] ?? 0);
      if (samples === 0) return [];
      const own = counts.categories[categories.findIndex(({ id }) => id === cause.category)] ?? 0;
      return {
        ...cause,
        share: estimateShare(samples),
        shareOfCategory: own > 0 ? Math.min(1, samples / own) : 0,
        cpuMsPerRequest: estimateCost(samples),
      };
    })
    .sort((a, b) => b.share.value - a.share.value);
}
