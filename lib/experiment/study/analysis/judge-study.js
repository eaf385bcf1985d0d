/** Turns the plan and the journal of a study into its StudyReport. */
import { findBottleneck } from '../../../analysis/bottleneck/find-bottleneck.js';
import { createRandom } from '../../../base/math/random.js';
import { gatherVariantFacts, sumErrors } from './bottleneck/gather-variant.js';
import { judgeCapacity } from './capacity.js';
import { collectCells, listRows } from './cells.js';
import { compareVariants, groupByOthers } from './comparisons.js';
import { describeLoad, describeStudy, listComponents } from './conditions.js';
import { findStudyFindings } from './findings.js';
import { judgeScalings } from './scaling.js';
import { createEstimator, findApiComponents } from './variant/points.js';
import { listSpikes } from './variant/spikes.js';
import { measureVariant } from './variant/variant.js';
import { judgeVerdict } from './verdict.js';

/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { Cell, Cells } from './cells.js' */
/** @import { JournalRecord, StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { StudyReport, VariantReport, Why } from '../../../run/facts/study-report.d.ts' */
/** @import { MeasuredVariant } from './variant/variant.js' */
/** @import { Finding } from '../../../run/facts/findings.d.ts' */

/** @typedef {(folder: string) => Report | null} ReadReport of a cell's run, relative to the study's folder */

/**
 * Pure, except for the reports of runs that it reads.
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} journal
 * @param {{readReport: ReadReport, version?: string, nowMs?: number}} options
 * @returns {StudyReport}
 */
export function judgeStudy(plan, journal, { readReport, version = '', nowMs = Date.now() }) {
  const { study } = plan;
  const { model, base } = study.load;
  const isPipeline = study.throughput !== null;
  const cells = collectCells(plan, journal);
  const figures = cells.all.flatMap(cell => cell.figures ?? []);
  const random = createRandom(plan.seed);
  const api = findApiComponents(figures, { isPipeline });
  const throughputLabel = study.throughput?.label ?? `${study.answers}/s`;
  const estimatorOf = (/** @type {string} */ id) => createEstimator(cells.measuredOf(id), api);
  const measured = plan.variants.map(variant =>
    measureVariant(variant, cells.measuredOf(variant.id), { api, random, model, isPipeline, base }),
  );
  const variants = measured.map(variant =>
    explainVariant(variant, { plan, cells, measured, readReport }),
  );
  const { factors, scaleOver: over, workloads = [] } = study;
  const scaling = judgeScalings(variants, { over, estimatorOf });
  const known = {
    study: describeStudy(plan, journal, cells, readAnyReport(cells, readReport)),
    load: describeLoad(plan, cells, variants),
    throughputLabel,
    cpuOf: /** @type {StudyReport['cpuOf']} */ (api.join() === 'workers' ? 'workers' : 'target'),
    factors: factors.map(({ name, values }) => {
      return { name, values: values.map(({ label }) => label) };
    }),
    components: listComponents(variants),
    variants,
    scaling,
    comparisons: compareVariants(measured, {
      factors: factors.filter(({ name }) => !workloads.includes(name)),
      measuredOf: cells.measuredOf,
      estimatorOf,
      model,
    }),
    capacity: judgeCapacity(study, variants, throughputLabel),
    cells: listRows(cells.all),
  };
  const facts = { ...known, findings: findStudyFindings(known) };
  return {
    schema: 'loadflame-study/2',
    generator: { name: 'loadflame', version },
    createdAtMs: nowMs,
    verdict: judgeVerdict(facts, sumErrors(figures)[0] ?? null),
    ...facts,
  };
}

/**
 * @param {MeasuredVariant} variant
 * @param {{plan: StudyPlan, cells: Cells, measured: MeasuredVariant[], readReport: ReadReport}} context
 * @returns {VariantReport}
 */
function explainVariant(variant, { plan, cells, measured, readReport }) {
  const { study } = plan;
  const { id, label, factors, points, saturation } = variant;
  const profiled = cells.profiledOf(id);
  const report = profiled?.folder ? readReport(profiled.folder) : null;
  const bottleneck = findBottleneck(
    gatherVariantFacts({
      study,
      variant: { id, label, factors },
      cells: cells.measuredOf(id),
      points,
      saturation,
      siblings: listSiblings(variant, measured, study.scaleOver),
      own: report?.bottleneck ?? null,
    }),
  );
  return {
    ...variant,
    bottleneck,
    ...(study.load.model === 'spike' && { spikes: listSpikes(cells.measuredOf(id), readReport) }),
    why: readProfile(profiled, report),
    stop: cells.stopOf(id),
  };
}

/**
 * Variants that differ only in `scaleOver`; `isMore`: with a higher value of it.
 * @param {MeasuredVariant} variant @param {MeasuredVariant[]} all @param {string | null} over
 */
function listSiblings(variant, all, over) {
  if (over === null) return [];
  const group = groupByOthers(all, over).find(own => own.includes(variant)) ?? [];
  const count = Number(variant.factors[over]);
  return group.flatMap(({ id, label, factors, saturation: { throughputPerSec: rate } }) =>
    id !== variant.id && rate
      ? [{ label, isMore: Number(factors[over]) > count, throughputPerSec: rate.value }]
      : [],
  );
}

/** The report of the first run that has a readable one. @param {Cells} cells @param {ReadReport} readReport */
function readAnyReport({ all }, readReport) {
  for (const { folder, figures } of all) {
    const report = folder && figures ? readReport(folder) : null;
    if (report?.run) return report;
  }
  return null;
}

/** Findings about what the code costs. @type {Set<Finding['id']>} */
const OF_CODE = new Set(['cause', 'hot-path']);

/**
 * What the profile at the plateau adds to the numbers.
 * @param {Cell | null} cell with a profile
 * @param {Report | null} report of that cell
 * @returns {Why | null}
 */
function readProfile(cell, report) {
  const profile = report?.profile;
  if (!cell?.folder || !profile) return null;
  const cause = report.findings.find(({ id }) => OF_CODE.has(id));
  return {
    folder: cell.folder,
    step: cell.step,
    categories: profile.categories.map(({ samples: _, cpuMsPerRequest, ...own }) => {
      return { ...own, cpuMs: cpuMsPerRequest?.value ?? null };
    }),
    cause: cause ?? null,
  };
}
