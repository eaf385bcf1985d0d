/** Categories, hot paths and causes of a selection, in the shapes of the Report. */

/** @import { CategoryShare, CauseShare, HotPath } from '../../../analysis/report.d.ts' */
/** @import { ProfileReport } from '../../../analysis/report.d.ts' */
/** @import { Computed } from './compute.js' */

const LEAST_PATH = 0.002;
const MOST_PATHS = 40;

/** @param {Computed} computed @param {ProfileReport} profile @returns {CategoryShare[]} biggest first */
export function listCategories({ counts, isWhole, estimateShare, estimateCost }, profile) {
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

/**
 * Paths of a selection keep what the analysis says of them in the whole run: what they mean does not
 * change, only how much of it there is.
 * @param {Computed} computed
 * @param {ProfileReport} profile
 * @returns {HotPath[]} biggest first; `heaviest` is empty in a selection, the flamegraph shows it
 */
export function listPaths({ counts, isWhole, estimateShare, estimateCost }, profile) {
  if (isWhole || !counts) return profile.hotPaths;
  const { paths = [], categories = [] } = profile.table ?? {};
  return paths
    .map((path, index) => ({ path, samples: counts.paths[index] ?? 0 }))
    .filter(({ samples }) => samples > 0 && samples >= counts.total * LEAST_PATH)
    .sort((a, b) => b.samples - a.samples)
    .slice(0, MOST_PATHS)
    .map(({ path, samples }) => {
      const category = categories[path.category];
      const entry = { function: path.function, file: path.file, line: path.line };
      const known = profile.hotPaths.find(
        other =>
          other.category === category?.id &&
          other.entry.function === entry.function &&
          other.entry.file === entry.file,
      );
      return {
        category: category?.id ?? 'unknown',
        label: category?.label ?? 'not attributed',
        entry,
        share: estimateShare(samples),
        cpuMsPerRequest: estimateCost(samples),
        flagged: known?.flagged ?? false,
        sentence: known?.sentence ? `In the whole run ${known.sentence}` : '',
        causes: known?.causes ?? [],
        heaviest: [],
      };
    });
}

/** @param {Computed} computed @param {ProfileReport} profile @returns {CauseShare[]} biggest first */
export function listCauses({ counts, isWhole, estimateShare, estimateCost }, profile) {
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
