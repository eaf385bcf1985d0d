/** What the profile at the plateau says beside the numbers. */

/** @import { Finding } from '../../../facts/findings.d.ts' */
/** @import { Report } from '../../../facts/report.d.ts' */
/** @import { Bottleneck } from '../../../facts/bottleneck.d.ts' */
/** @import { Cell } from '../cells.js' */
/** @import { Why } from '../../../facts/study-report.d.ts' */

/** Findings about what the code costs. @type {Set<Finding['id']>} */
const OF_CODE = new Set(['cause', 'hot-path']);

/**
 * @param {Cell | null} cell with a profile
 * @param {Report | null} report its own
 * @param {Bottleneck} bottleneck of the variant, over all its steps and repeats
 * @returns {Why | null}
 */
export function readBottleneckProfile(cell, report, bottleneck) {
  const profile = report?.profile;
  if (!cell?.folder || !profile) return null;
  const cause = report.findings.find(({ id }) => OF_CODE.has(id));
  // one run at one step may see another bottleneck than all of them, or none: that would only confuse
  const own = report.bottleneck;
  const agrees = own && (bottleneck.id === 'unknown' || bottleneck.id === own.id);
  return {
    folder: cell.folder,
    step: cell.step,
    categories: profile.categories.map(({ id, label, color, share, cpuMsPerRequest }) => ({
      id,
      label,
      color,
      share,
      cpuMs: cpuMsPerRequest?.value ?? null,
    })),
    cause: cause ?? null,
    bottleneck: agrees ? own : null,
  };
}
