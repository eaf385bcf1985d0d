/** The conditions of a study: its settings, its load, when it ran, and whether it is complete. */

import { listPresent } from '../../../base/files/maps.js';

/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { Cells } from './cells.js' */
/** @import { JournalRecord, StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { StudyReason, StudyReport, VariantReport } from '../../../run/facts/study-report.d.ts' */

/** Number of failed cells whose reasons are listed. */
const MOST_REASONS = 3;

/**
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} journal
 * @param {Cells} cells
 * @param {Report | null} report of one of its runs: machine and versions
 * @returns {StudyReport['study']}
 */
export function describeStudy(plan, journal, cells, report) {
  const { name, title, question, isQuick } = plan.study;
  const { repeats, warmUpSec, durationSec, settleSec } = plan.study;
  const end = journal.findLast(record => record.kind === 'study-end') ?? null;
  const reasons = listReasons(cells, end, journal.length);
  return {
    ...{ name, title, question, isQuick, seed: plan.seed },
    ...{ repeats, warmUpSec, durationSec, settleSec },
    startedAtMs: journal[0]?.t ?? 0,
    endedAtMs: end?.t ?? journal.at(-1)?.t ?? null,
    status: reasons.length > 0 ? 'partial' : 'complete',
    reasons,
    host: report?.run.host ?? null,
    versions: report?.run.versions ?? {},
  };
}

/** @param {StudyReason['id']} id @param {object} facts */
const reason = (id, facts) => /** @type {StudyReason} */ ({ id, facts });

/**
 * @param {Cells} cells
 * @param {(JournalRecord & {kind: 'study-end'}) | null} end
 * @param {number} records
 * @returns {StudyReason[]}
 */
function listReasons({ all, failures }, end, records) {
  const missing = all.filter(({ outcome }) => outcome === 'missing').length;
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  const why = [...new Set(failed.flatMap(({ reason }) => reason ?? []))];
  const reasons = why.slice(0, MOST_REASONS);
  const others = failures.filter(message => !why.includes(message));
  return listPresent(
    records === 0 && reason('nothing-run', {}),
    failed.length > 0 && reason('cells-failed', { cells: failed.length, reasons }),
    missing > 0 && reason('cells-missing', { cells: missing }),
    ...others.map(message => reason('block-failed', { message })),
    end?.reason === 'interrupted' && reason('interrupted', {}),
    end?.reason === 'failed' && reason('failed', { message: end.message }),
    !end && records > 0 && reason('not-ended', {}),
  );
}

/** @type {Record<StudyReport['load']['model'], StudyReport['load']['unit']>} */
const UNITS = { closed: 'users', open: 'per second', burst: 'at once', spike: 'per second' };

/**
 * @param {StudyPlan} plan
 * @param {Cells} cells
 * @param {VariantReport[]} variants
 * @returns {StudyReport['load']}
 */
export function describeLoad({ study }, cells, variants) {
  const { model, of, base, steps, untilSaturated, stop } = study.load;
  const longest = variants
    .map(({ points }) => points.map(({ step }) => step))
    .toSorted((a, b) => b.length - a.length)[0];
  const planned = Array.isArray(steps) ? steps : [];
  const isSeen = cells.all.some(({ figures }) => figures);
  return {
    model,
    ...(of !== undefined && { of, base }),
    unit: UNITS[model],
    steps: isSeen ? (longest ?? []) : planned,
    untilSaturated,
    stopRule: untilSaturated ? stop : null,
  };
}

/** @param {VariantReport[]} variants @returns {StudyReport['components']} most CPU first */
export function listComponents(variants) {
  /** @type {Map<string, number>} */
  const most = new Map();
  const see = (/** @type {string} */ name, /** @type {number} */ cores) =>
    most.set(name, Math.max(most.get(name) ?? 0, cores));
  for (const { components, generatorCores } of variants.flatMap(({ points }) => points)) {
    for (const { name, cores } of components) see(name, cores);
    if (generatorCores !== null) see('generator', generatorCores);
  }
  return [...most].sort(([, a], [, b]) => b - a).map(([name]) => ({ name }));
}
