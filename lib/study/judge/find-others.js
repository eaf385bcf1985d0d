/** CPU time that nobody in the study used: something else was at work on the machine. */
import { formatCores } from '../../format.js';

/** @import { Finding } from '../../analysis/report.d.ts' */
/** @import { Point, StudyReport } from '../study-report.d.ts' */

export const OTHERS_AT_WORK = 'others-at-work';
/** Cores; the recorders and the kernel take about a tenth. */
export const MANY_OTHERS = 0.3;

/**
 * Cores that neither the target's components nor the generator used.
 * @param {Point} point
 * @returns {number | null} null where the target's own are not known
 */
function countOthers({ components, hostCores, generatorCores }) {
  if (hostCores === null || components.length === 0) return null;
  const own = components.reduce((sum, { cores }) => sum + cores, generatorCores ?? 0);
  return Math.max(0, hostCores - own);
}

/** @param {Pick<StudyReport, 'variants'>} facts @returns {Omit<Finding, 'gain'>[]} */
export function findOthers({ variants }) {
  const busy = variants.flatMap(({ label, points }) => {
    const most = Math.max(0, ...points.map(point => countOthers(point) ?? 0));
    return most >= MANY_OTHERS ? [{ label, most }] : [];
  });
  if (busy.length === 0) return [];
  const most = Math.max(...busy.map(one => one.most));
  return [
    {
      id: OTHERS_AT_WORK,
      severity: 'warn',
      title: `Others used up to ${formatCores(most)} cores of the machine: programs that are no part of the study, or parts of the target that it does not name.`,
      detail:
        'What they used was not there for the target, and it comes and goes: throughput and latency are too bad by an unknown amount. CPU per transaction holds.',
      evidence: busy.map(({ label, most: cores }) => ({
        label,
        value: `${formatCores(cores)} cores`,
      })),
      advice:
        'End what else is at work here, or name the missing parts below `record: processes:`, and measure again.',
      link: 'limits',
    },
  ];
}
