/** What the profile at the plateau says beside the numbers. */
import { formatMs, formatRoughShare } from '../../format.js';

/** @import { Report } from '../../analysis/report.d.ts' */
/** @import { StudyLimit, Why } from '../study-report.d.ts' */
/** @import { Cell } from './collect-cells.js' */

/** Categories that a sentence names. */
const MOST_NAMED = 3;

/**
 * @param {Cell | null} cell with a profile
 * @param {Report | null} report its own
 * @param {StudyLimit} limit of the variant, over all its steps and repeats
 * @returns {Why | null}
 */
export function readWhy(cell, report, limit) {
  const profile = report?.profile;
  if (!cell?.folder || !profile) return null;
  const categories = profile.categories.map(({ id, label, color, share, cpuMsPerRequest }) => ({
    id,
    label,
    color,
    share,
    cpuMs: cpuMsPerRequest?.value ?? null,
  }));
  const biggest = categories
    .toSorted((a, b) => b.share.value - a.share.value)
    .slice(0, MOST_NAMED)
    .map(
      ({ label, share, cpuMs }) =>
        `${label} ${formatRoughShare(share)}${cpuMs === null ? '' : ` (${formatMs(cpuMs)} per request)`}`,
    );
  const [cause] = (report.findings ?? []).filter(({ link }) => link === 'hot-paths');
  return {
    folder: cell.folder,
    step: cell.step,
    categories,
    sentences: [
      biggest.length > 0 && `CPU of the workers: ${biggest.join(', ')}.`,
      cause?.title,
      report.limit &&
        agrees(report.limit, limit) &&
        `The run with the profile: ${report.limit.text}`,
    ].filter(sentence => typeof sentence === 'string'),
  };
}

/**
 * One run at one step may see another limit than all of them, or none: that would only confuse.
 * @param {{id: string}} own @param {StudyLimit} limit
 */
function agrees(own, limit) {
  return limit.id === 'unknown' || limit.id === own.id;
}
