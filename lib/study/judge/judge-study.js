/** The StudyReport: what a study's plan and journal say. Pure. */
import { createRandom } from '../../random.js';
import { findApiComponents } from './cell-values.js';
import { collectCells } from './collect-cells.js';
import { collectStudyFindings } from './collect-findings.js';
import { compareVariants } from './compare-variants.js';
import { describeLoad, listComponents } from './describe-load.js';
import { describeStudy } from './describe-study.js';
import { judgeCapacity } from './judge-capacity.js';
import { judgeScale } from './judge-scale.js';
import { judgeVariant } from './judge-variant.js';
import { judgeVerdict } from './judge-verdict.js';
import { findStudyLimit } from './limit/find-study-limit.js';
import { gatherStudyLimitFacts } from './limit/gather-facts.js';
import { listRows } from './list-rows.js';
import { measureBacklog } from './measure-backlog.js';
import { readWhy } from './read-why.js';
import { groupByOthers } from './siblings.js';

/** @import { Report } from '../../analysis/report.d.ts' */
/** @import { JournalRecord, StudyPlan } from '../study-records.d.ts' */
/** @import { StudyReport, VariantReport } from '../study-report.d.ts' */
/** @import { Cells } from './collect-cells.js' */
/** @import { MeasuredVariant } from './judge-variant.js' */

/** @typedef {(folder: string) => Report | null} ReadReport of a cell's run, relative to the study's folder */

/**
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} journal
 * @param {{readReport: ReadReport, version?: string, nowMs?: number}} options
 * @returns {StudyReport}
 */
export function judgeStudy(plan, journal, { readReport, version = '', nowMs = Date.now() }) {
  const { study } = plan;
  const cells = collectCells(plan, journal);
  const random = createRandom(plan.seed);
  const api = findApiComponents(
    cells.all.flatMap(({ figures }) => figures ?? []),
    { isPipeline: study.throughput !== null },
  );
  const throughputLabel = study.throughput?.label ?? `${study.answers}/s`;
  const measured = plan.variants.map(variant =>
    judgeVariant(variant, cells.measuredOf(variant.id), { api, random, model: study.load.model }),
  );
  const variants = measured.map(variant =>
    explainVariant(variant, { plan, cells, measured, readReport }),
  );
  const load = describeLoad(plan, cells, variants);
  const scaling = judgeScale(variants, { over: study.scaleOver, random });
  const comparisons = compareVariants(measured, {
    factors: study.factors,
    measuredOf: cells.measuredOf,
    api,
    throughputLabel,
    model: study.load.model,
  });
  const capacity = judgeCapacity(study, variants, throughputLabel);
  const known = {
    study: describeStudy(plan, journal, cells, readAnyReport(cells, readReport)),
    variants,
    load,
    scaling,
    comparisons,
    capacity,
    throughputLabel,
    cells: listRows(cells.all),
  };
  const facts = { ...known, findings: collectStudyFindings(known) };
  return {
    schema: 'loadflame-study/1',
    generator: { name: 'loadflame', version },
    createdAtMs: nowMs,
    study: facts.study,
    verdict: judgeVerdict(facts),
    load,
    throughputLabel,
    factors: study.factors.map(({ name, values }) => ({
      name,
      values: values.map(({ label }) => label),
    })),
    components: listComponents(variants),
    variants,
    scaling,
    comparisons,
    capacity,
    findings: facts.findings,
    cells: facts.cells,
  };
}

/**
 * @param {MeasuredVariant} variant
 * @param {{plan: StudyPlan, cells: Cells, measured: MeasuredVariant[], readReport: ReadReport}} context
 * @returns {VariantReport}
 */
function explainVariant(variant, { plan, cells, measured, readReport }) {
  const { study } = plan;
  const { id, label, factors, points, saturation, demands } = variant;
  const profiled = cells.profiledOf(id);
  const report = profiled?.folder ? readReport(profiled.folder) : null;
  const own = report?.limit ?? null;
  const facts = gatherStudyLimitFacts({
    study,
    variant: { id, label, factors },
    cells: cells.measuredOf(id),
    points,
    saturation,
    demands,
    siblings: listSiblings(variant, measured, study.scaleOver),
    own: own && profiled?.folder ? { ...own, folder: profiled.folder } : null,
  });
  const limit = findStudyLimit(facts);
  return {
    ...variant,
    limit,
    backlog: measureBacklog(facts, variant),
    why: readWhy(profiled, report, limit),
    stop: cells.stopOf(id),
  };
}

/** The same but for `scaleOver`. @param {MeasuredVariant} variant @param {MeasuredVariant[]} all @param {string | null} over */
function listSiblings(variant, all, over) {
  if (over === null) return [];
  const group = groupByOthers(all, over).find(own => own.includes(variant)) ?? [];
  return group.flatMap(({ id, label, saturation: { throughputPerSec } }) =>
    id !== variant.id && throughputPerSec
      ? [{ label, throughputPerSec: throughputPerSec.value }]
      : [],
  );
}

/** The first run whose own report can be read. @param {Cells} cells @param {ReadReport} readReport */
function readAnyReport({ all }, readReport) {
  for (const { folder, figures } of all) {
    const report = folder && figures ? readReport(folder) : null;
    if (report?.run) return report;
  }
  return null;
}
