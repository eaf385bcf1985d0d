/** Where the CPU time of a request goes: counts what a selection changes. The words come from `text/`. */
import { describeCpu, describeSelectedPath } from '../../text/document/run-profile.js';
import { printOnPage } from '../print/html.js';
import { h, makeButton, renderShares, renewChildren } from './dom.js';

/** @import { CategoryShare, PackageShare } from '../../run/facts/profile-report.d.ts' */
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
      const shown = { ...profile, ...selectParts(computed, profile) };
      const selected = isWhole ? null : { samples: counts?.total ?? 0, cpuMs, requests };
      const section = describeCpu({ profile: shown, cpu, run }, selected);
      renewChildren(element, printOnPage(section, drawings));
    },
  };
}

/** Hot paths of a selection below this share are left out. */
const LEAST_PATH = 0.002;
const MOST_PATHS = 40;

/**
 * Parts of a selection, the largest first.
 * @template {object} Part
 * @param {Part[]} parts
 * @param {(part: Part) => number | undefined} countOf its samples
 * @param {Computed} computed
 */
function select(parts, countOf, { estimateShare, estimateCost }) {
  return parts
    .flatMap(part => {
      const samples = countOf(part) ?? 0;
      const share = estimateShare(samples);
      const cpuMsPerRequest = 'mayBeOnce' in part ? null : estimateCost(samples);
      return samples > 0 ? { ...part, samples, share, cpuMsPerRequest } : [];
    })
    .sort((a, b) => b.samples - a.samples);
}

/**
 * @param {Computed} computed
 * @param {ProfileReport} profile
 * @returns {{categories: CategoryShare[], packages: PackageShare[], causes: WordedCause[], hotPaths: ShownPath[]}}
 */
function selectParts(computed, profile) {
  const { counts, isWhole } = computed;
  if (isWhole || !counts) return profile;
  const { categories = [], causes = [], packages } = profile.table ?? {};
  const ids = categories.map(({ id }) => id);
  return {
    categories: select(
      profile.categories,
      ({ id }) => counts.categories[ids.indexOf(id)],
      computed,
    ),
    packages: select(
      profile.packages,
      ({ name }) => counts.packages[packages?.names.indexOf(name) ?? -1],
      computed,
    ),
    causes: select(profile.causes, ({ id }) => counts.causes[causes.indexOf(id)], computed),
    hotPaths: listPaths(computed, counts, profile),
  };
}

/**
 * Paths of a selection keep their causes: only the amounts change, not their meaning.
 * @param {Computed} computed
 * @param {NonNullable<Computed['counts']>} counts
 * @param {ProfileReport} profile
 * @returns {ShownPath[]} biggest first; `heaviest` is empty in a selection, the flamegraph shows it
 */
function listPaths({ estimateShare, estimateCost }, counts, profile) {
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
        cpuMsPerRequest: known?.cpuMsPerRequest === null ? null : estimateCost(samples),
        flagged: known?.flagged ?? false,
        causes: known?.causes ?? [],
        heaviest: [],
      };
      return { ...shown, text: describeSelectedPath(shown) };
    });
}
