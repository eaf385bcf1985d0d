/** Where the CPU time of a request goes: counts what a selection changes. The words come from `text/`. */
import { describeCpu, describeSelectedPath } from '../../text/document/run-profile.js';
import { printOnPage } from '../print/html.js';
import { h, makeButton, renderShares, renewChildren } from './dom.js';

/** @import { CategoryShare } from '../../facts/profile-report.d.ts' */
/** @import { ShownPath } from '../../text/document/run-profile.js' */
/** @import { WordedCause, WordedProfile as ProfileReport } from '../../text/worded-report.d.ts' */
/** @import { Computed, Model } from './compute/compute.js' */

/**
 * Where the CPU time of a request goes, for the selection. Empty without samples: the document says why.
 * @param {Model} model
 * @param {(text: string) => void} find shows a function in the flamegraph
 */
export function makeCpu(model, find) {
  const element = h('div', {});
  const drawings = {
    shares: renderShares,
    find: (/** @type {string} */ name) =>
      makeButton('Find in flamegraph', () => find(name), { class: 'quiet' }),
  };
  return {
    element,
    /** @param {Computed} computed */
    show(computed) {
      const { cpu, profile, run } = model.report;
      if (!profile?.samples.active) return element.replaceChildren();
      const { isWhole, counts, cpuMs, requests } = computed;
      const shown = {
        ...profile,
        categories: listCategories(computed, profile),
        hotPaths: listPaths(computed, profile),
        causes: listCauses(computed, profile),
      };
      const selected = isWhole ? null : { samples: counts?.total ?? 0, cpuMs, requests };
      const section = describeCpu({ profile: shown, cpu, run }, selected);
      renewChildren(element, printOnPage(section, drawings));
    },
  };
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
      const [share, cpuMsPerRequest] = [estimateShare(samples), estimateCost(samples)];
      return { ...category, samples, share, cpuMsPerRequest };
    })
    .filter(({ samples }) => samples > 0)
    .sort((a, b) => b.samples - a.samples);
}

/**
 * Paths of a selection keep their causes: only the amounts change, not their meaning.
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
      const shown = {
        category: id,
        label,
        entry: { function: name, file, line },
        share: estimateShare(samples),
        cpuMsPerRequest: estimateCost(samples),
        flagged: known?.flagged ?? false,
        causes: known?.causes ?? [],
        heaviest: [],
      };
      return { ...shown, text: describeSelectedPath(shown) };
    });
}

/** @param {Computed} computed @param {ProfileReport} profile @returns {WordedCause[]} biggest first */
function listCauses({ counts, isWhole, estimateShare, estimateCost }, profile) {
  if (isWhole || !counts) return profile.causes;
  const { causes = [] } = profile.table ?? {};
  return profile.causes
    .flatMap(cause => {
      const index = causes.indexOf(cause.id);
      const samples = index < 0 ? 0 : (counts.causes[index] ?? 0);
      if (samples === 0) return [];
      return { ...cause, share: estimateShare(samples), cpuMsPerRequest: estimateCost(samples) };
    })
    .sort((a, b) => b.share.value - a.share.value);
}
