/** What a study was: its settings, when it ran, and whether all of it is there. */
import { formatNumberOf } from '../../format.js';

/** @import { Report } from '../../analysis/report.d.ts' */
/** @import { JournalRecord, StudyPlan } from '../study-records.d.ts' */
/** @import { StudyReport } from '../study-report.d.ts' */
/** @import { Cells } from './collect-cells.js' */

/**
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} journal
 * @param {Cells} cells
 * @param {Report | null} report of one of its runs: machine and versions
 * @returns {StudyReport['study']}
 */
export function describeStudy(plan, journal, cells, report) {
  const { study, seed } = plan;
  const attempts = journal.filter(({ kind }) => kind === 'attempt').length;
  const end = journal.findLast(record => record.kind === 'study-end') ?? null;
  const reasons = listReasons(cells, end, journal.length);
  return {
    name: study.name,
    title: study.title,
    question: study.question,
    isQuick: study.isQuick,
    seed,
    repeats: study.repeats,
    warmUpSec: study.warmUpSec,
    durationSec: study.durationSec,
    settleSec: study.settleSec,
    startedAtMs: journal[0]?.t ?? 0,
    endedAtMs: end?.t ?? journal.at(-1)?.t ?? null,
    status: reasons.length > 0 ? 'partial' : 'complete',
    reasons,
    resumed: Math.max(0, attempts - 1),
    host: report?.run.host ?? null,
    versions: report?.run.versions ?? {},
  };
}

/** @param {Cells} cells @param {(JournalRecord & {kind: 'study-end'}) | null} end @param {number} records */
function listReasons({ all, failures }, end, records) {
  const count = (/** @type {string} */ outcome) =>
    all.filter(cell => cell.outcome === outcome).length;
  const [failed, missing] = [count('failed'), count('missing')];
  const why = [
    ...new Set(
      all.flatMap(({ outcome, reason }) => (outcome === 'failed' && reason ? [reason] : [])),
    ),
  ];
  const reasons = [];
  if (records === 0) reasons.push('nothing was run');
  if (failed > 0)
    reasons.push(`${formatNumberOf(failed, 'cell')} failed: ${why.slice(0, 3).join('; ')}`);
  if (missing > 0) reasons.push(`${formatNumberOf(missing, 'cell')} of the plan are missing`);
  for (const failure of failures) if (!why.includes(failure)) reasons.push(failure);
  if (end?.reason === 'interrupted') reasons.push('it was interrupted');
  else if (end?.reason === 'failed') reasons.push(end.message ?? 'it failed');
  else if (!end && records > 0) reasons.push('it has not ended');
  return reasons;
}
