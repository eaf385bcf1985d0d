/** What waits before each stage of a pipeline, at the plateau. */
import { findChokePoint } from '../../../../analysis/bottleneck/choke-point.js';
import { isMachineFull } from '../../../../analysis/bottleneck/thresholds.js';
import { findOnlyTemplate, findVariable } from '../../../../base/files/templates.js';
import { studentTwoSidedQuantile } from '../../../../base/math/distributions.js';
import { meanOfRuns } from '../../../../base/math/means.js';
import { mean, median, standardError } from '../../../../base/math/summary.js';
import { findTrend } from '../../../../base/math/trend.js';
import { ALPHA, LEAST_REPEATS } from '../estimates.js';
import { nameVariable } from '../matrix.js';

/** @import { CellFigures, Variant } from '../../../../run/facts/study-records.d.ts' */
/** @import { Stage, Study } from '../../../../run/facts/study-file.d.ts' */
/** @import { Point } from '../../../../run/facts/study-report.d.ts' */
/** @import { Cell } from '../cells.js' */
/** @import { StageFacts } from '../../../../run/facts/bottleneck.d.ts' */
/** @import { Estimate } from '../../../../base/math/estimate.d.ts' */

/** At a step that completes this share of the most, the pipeline is at its limit. */
const AT_THE_END = 0.85;
/** Share of the throughput. A backlog that grows by less per second may be the end of a warm-up. */
const COUNTS = 0.02;
/** Of the middle of a burst: the backlog of the slowest stage lasts to its end. */
const ALL_THE_TIME = 0.8;

/**
 * Judged at the step with the least load that shows it: with more, the sender takes CPU from the stages.
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
 * @param {boolean} isBurst it comes before the measurement, so the backlog only falls
 * @returns {StageFacts}
 */
function measureStage({ name, backlog, servers }, variant, all, isBurst) {
  const levels = all.map(({ probes }) => probes[backlog.probe]?.[backlog.field] ?? []);
  const series = levels.flat();
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

/** Between repeats if there are enough; otherwise the middle one and its own interval. @param {Estimate[]} slopes @returns {Estimate | null} */
function joinSlopes(slopes) {
  if (slopes.length >= LEAST_REPEATS)
    return meanOfRuns(
      slopes.map(({ value }) => value),
      ALPHA,
    );
  return slopes.toSorted((a, b) => a.value - b.value)[Math.floor(slopes.length / 2)] ?? null;
}

/** A number, or the value of a factor. @param {string} servers @param {Variant} variant */
function countServers(servers, { factors }) {
  const variable = findVariable(findOnlyTemplate(servers) ?? '');
  const factor = Object.keys(factors).find(name => nameVariable(name) === variable);
  const count = Number(factor === undefined ? servers : factors[factor]);
  return Number.isFinite(count) && count > 0 ? count : null;
}

/** Fewer parts say nothing about how the series drifts; more are too short to be independent. */
const PARTS = 8;
const LEAST_PER_PART = 2;
/**
 * Means of neighbouring parts of a random walk share the walk inside them: their differences have 2/3 of the variance
 * that the walk itself gains in that time.
 */
const WALK = 3 / 2;

/**
 * Does more come in than gets done? Measures how fast the backlog of a stage grows. The slope is Theil's and Sen's
 * (`trend.js`). A backlog is a sum of arrivals minus departures, so it carries over from moment to moment: an interval
 * that takes its points as independent would be many times too narrow. This one comes from the changes of the backlog
 * between eighths of the time, as if it were a random walk with a drift.
 * @param {{t: number, value: number}[]} series `t` in epoch ms, ascending
 * @returns {Estimate | null} per second; null for fewer than sixteen points
 */
export function backlogSlope(series) {
  const points = series.map(({ t, value }) => ({ x: t / 1000, y: value }));
  const [first] = points;
  const last = points.at(-1);
  const trend = findTrend(points.map(({ x, y }) => ({ x: x - (first?.x ?? 0), y })));
  if (!first || !last || !trend || points.length < PARTS * LEAST_PER_PART) return null;
  const partSec = (last.x - first.x) / PARTS;
  const parts = Map.groupBy(points, ({ x }) =>
    Math.min(PARTS - 1, Math.floor((x - first.x) / partSec)),
  );
  const means = Array.from({ length: PARTS }, (_, part) => parts.get(part) ?? []).map(part => ({
    x: mean(part.map(({ x }) => x)),
    y: mean(part.map(({ y }) => y)),
  }));
  const speeds = means.slice(1).flatMap(({ x, y }, index) => {
    const before = means[index];
    const speed = before ? (y - before.y) / (x - before.x) : Number.NaN;
    return Number.isFinite(speed) ? [speed] : [];
  });
  const dof = speeds.length - 1;
  if (dof < 2) return null;
  const error = Math.sqrt(WALK) * standardError(speeds);
  const half = studentTwoSidedQuantile(0.05, dof) * error;
  return { value: trend.slope, low: trend.slope - half, high: trend.slope + half };
}
