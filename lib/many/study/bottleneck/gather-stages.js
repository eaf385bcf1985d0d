/** What waits before each stage of a pipeline, at the plateau. */

import { findChokePoint } from '../../../bottleneck/choke-point.js';
import { isMachineFull } from '../../../bottleneck/thresholds.js';
import { findOnlyTemplate, findVariable } from '../../../files/templates.js';
import { meanOfRuns } from '../../../math/means.js';
import { mean, median } from '../../../math/summary.js';
import { ALPHA, LEAST_REPEATS } from '../estimates.js';
import { nameVariable } from '../matrix.js';
import { backlogSlope } from '../variant/backlog.js';

/** @import { CellFigures, Variant } from '../../../facts/study-records.d.ts' */
/** @import { Stage, Study } from '../../../facts/study-file.d.ts' */
/** @import { Point } from '../../../facts/study-report.d.ts' */
/** @import { Cell } from '../cells.js' */
/** @import { StageFacts } from '../../../facts/bottleneck.d.ts' */
/** @import { Estimate } from '../../../facts/estimate.d.ts' */

/** A step that completes so much of the most is one at which the pipeline is at its end. */
const AT_THE_END = 0.85;
/** What grows by less than this share of what is completed may be the end of its own warm-up. */
const COUNTS = 0.02;
/** Of the middle of a burst: what is before the slowest stage waits until the last. */
const ALL_THE_TIME = 0.8;

/**
 * Judged at the step of least load that shows it: at more, whatever sends takes CPU from the stages.
 * @param {Study} study @param {Variant} variant @param {Cell[]} cells @param {Point | null} point
 * @returns {{stages: StageFacts[], stageStep: number | null}}
 */
export function gatherStages(study, variant, cells, point) {
  if (study.stages.length === 0 || !point) return { stages: [], stageStep: null };
  const most = point.throughputPerSec.value;
  const steps = [...Map.groupBy(cells, ({ step }) => step)]
    .sort(([a], [b]) => a - b)
    .map(([step, own]) => ({ step, figures: own.flatMap(({ figures }) => figures ?? []) }))
    .filter(({ figures }) => median(figures.map(one => one.throughputPerSec)) >= most * AT_THE_END)
    .map(({ step, figures }) => ({
      stageStep: step,
      isCrowded: figures.every(({ host }) => isMachineFull(host)),
      stages: study.stages.map(stage =>
        measureStage(stage, variant, figures, study.load.model === 'burst'),
      ),
    }));
  const piling = steps.filter(({ stages }) => findChokePoint(stages, true) !== null);
  const { stages = [], stageStep = null } =
    piling.find(({ isCrowded }) => !isCrowded) ?? piling[0] ?? steps.at(-1) ?? {};
  return { stages, stageStep };
}

/**
 * @param {Stage} stage @param {Variant} variant @param {CellFigures[]} all repeats of a step
 * @param {boolean} isBurst which comes before it is measured: what waits only falls
 * @returns {StageFacts}
 */
function measureStage({ name, backlog, servers }, variant, all, isBurst) {
  const series = all.flatMap(({ probes }) => probes[backlog.probe]?.[backlog.field] ?? []);
  const levels = all.flatMap(({ probes }) => {
    const own = probes[backlog.probe]?.[backlog.field] ?? [];
    return own.length > 0 ? [own] : [];
  });
  const completed = mean(all.map(({ throughputPerSec }) => throughputPerSec));
  const slope = isBurst ? null : joinSlopes(levels.flatMap(own => backlogSlope(own) ?? []));
  const waiting = series.filter(({ value }) => value >= 1).length;
  return {
    name,
    servers: countServers(servers, variant),
    growthPerSec: slope,
    isGrowing: isBurst
      ? waiting > series.length * ALL_THE_TIME
      : (slope?.low ?? 0) > 0 && (slope?.value ?? 0) >= completed * COUNTS,
    meanBacklog: series.length > 0 ? mean(series.map(({ value }) => value)) : 0,
    isKnown: series.length > 0,
  };
}

/** Between repeats where there are enough; else the middle one and its own interval. @param {Estimate[]} slopes @returns {Estimate | null} */
function joinSlopes(slopes) {
  if (slopes.length >= LEAST_REPEATS)
    return meanOfRuns(
      slopes.map(({ value }) => value),
      ALPHA,
    );
  return slopes.toSorted((a, b) => a.value - b.value)[Math.floor(slopes.length / 2)] ?? null;
}

/** A number, or the value of a factor; older plans name that itself. @param {string} servers @param {Variant} variant */
function countServers(servers, { factors }) {
  const template = findOnlyTemplate(servers);
  const variable = template && (findVariable(template) ?? nameVariable(template));
  const factor = Object.keys(factors).find(name => nameVariable(name) === variable);
  const count = Number(factor === undefined ? servers : factors[factor]);
  return Number.isFinite(count) && count > 0 ? count : null;
}
