/** The steps of a variant, each over all its repeats, and the figures of a cell behind them. */

import { mean, sum } from '../../../../base/math/summary.js';
import { measureOf } from '../../../../run/facts/measures.js';
import { isGeneratorLimit } from '../bottleneck/generator-limit.js';
import { estimateOverCells, estimateOverRepeats, meanOfKnown } from '../estimates.js';

/** @import { Cell } from '../cells.js' */
/** @import { OverRepeats } from '../estimates.js' */
/** @import { Estimate, LatencySummary } from '../../../../base/math/estimate.d.ts' */
/** @import { CellFigures } from '../../../../run/facts/study-records.d.ts' */
/** @import { Point, VariantComparison } from '../../../../run/facts/study-report.d.ts' */

/** @typedef {VariantComparison['measure']} CellMeasure */
/** @typedef {(steps: number[], measure: CellMeasure) => OverRepeats | null} EstimateSteps of one variant; null where unknown */

/**
 * A variant's figures over one or several steps.
 * @param {Cell[]} cells measured ones of it @param {string[]} api components that count as the API's
 * @returns {EstimateSteps}
 */
export function createEstimator(cells, api) {
  return (steps, measure) =>
    estimateOverCells(
      cells.flatMap(({ step, repeat, figures }) => {
        const amounts = figures && steps.includes(step) && amountsOf(figures, measure, api);
        return amounts ? [{ repeat, ...amounts }] : [];
      }),
    );
}

/**
 * @param {Cell[]} cells measured ones of one variant
 * @param {string[]} api components that count as the API's
 * @returns {Point[]} ascending
 */
export function buildPoints(cells, api) {
  const bySteps = Map.groupBy(cells, ({ step }) => step);
  const estimate = createEstimator(cells, api);
  return [...bySteps]
    .sort(([a], [b]) => a - b)
    .map(([step, own]) =>
      buildPoint(
        step,
        own.flatMap(({ figures }) => figures ?? []),
        measure => estimate([step], measure),
      ),
    );
}

/**
 * @param {number} step
 * @param {CellFigures[]} all
 * @param {(measure: CellMeasure) => OverRepeats | null} measured
 * @returns {Point}
 */
function buildPoint(step, all, measured) {
  const sumOf = (/** @type {(figures: CellFigures) => number} */ of) => sum(all.map(of));
  const skipped = sumOf(({ users }) => users.skipped);
  const created = sumOf(({ users }) => users.created);
  return {
    step,
    cells: all.length,
    throughputPerSec: measured('throughputPerSec')?.estimate ?? { value: 0, low: null, high: null },
    dispatchPerSec: mean(all.map(({ dispatchPerSec }) => dispatchPerSec)),
    values: all.map(({ throughputPerSec }) => throughputPerSec),
    inFlight: meanOfKnown(all.map(({ inFlightMean }) => inFlightMean)),
    latency: findTypicalLatency(all),
    errorRate: share(
      sumOf(({ errors }) => errors),
      sumOf(({ requests }) => requests),
    ),
    skippedRate: share(skipped, created + skipped),
    ...(all.some(({ burst }) => burst) && { drainSec: meanDrain(all) }),
    components: meanComponents(all),
    hostCores: meanOfKnown(all.map(({ host }) => host?.cores ?? null)),
    generatorCores: meanOfKnown(all.map(({ generator }) => generator.cores)),
    cpuMsPerTransaction: measured('cpuMsPerTransaction')?.estimate ?? null,
    perBusyCore: measured('perBusyCore')?.estimate ?? null,
    // half of the repeats: one disturbed run in three spoils no point
    isGeneratorLimit: all.filter(isGeneratorLimit).length * 2 >= all.length,
  };
}

/** @param {CellFigures[]} all @returns {Estimate | null} null where some did not complete it */
function meanDrain(all) {
  const times = all.flatMap(({ burst }) => burst?.drainSec ?? []);
  return times.length === all.length ? estimateOverRepeats(times) : null;
}

/**
 * Percentiles are not averaged: the figures are those of the repeat with the middle p95, or the slower of the middle
 * two.
 * @param {Pick<CellFigures, 'latency'>[]} all
 */
export function findTypicalLatency(all) {
  const known = all.flatMap(({ latency }) => latency ?? []);
  known.sort((a, b) => boundP95(a) - boundP95(b));
  return known[Math.floor(known.length / 2)] ?? null;
}

/** The p95, or its upper bound where a few responses have none. @param {LatencySummary} latency @returns {number} ms */
export function boundP95({ p95Ms, maxMs }) {
  return p95Ms ?? maxMs;
}

/** @param {CellFigures[]} all @returns {Point['components']} most CPU first */
function meanComponents(all) {
  const uses = all.flatMap(({ components }) => components);
  return [...Map.groupBy(uses, ({ name }) => name)]
    .map(([name, own]) => ({
      name,
      cores: mean(own.map(({ cores }) => cores)),
      busiestCores: mean(own.map(({ busiestCores }) => busiestCores)),
      mostCores: meanOfKnown(own.map(({ mostCores }) => mostCores)),
      processes: mean(own.map(({ processes }) => processes.mean)),
      threads: mean(own.map(({ threads }) => threads)),
      rssBytes: mean(own.map(({ rssBytes }) => rssBytes)),
      pssBytes: meanOfKnown(own.map(({ pssBytes }) => pssBytes)),
    }))
    .sort((a, b) => b.cores - a.cores);
}

/** @param {number} part @param {number} whole */
function share(part, whole) {
  return whole > 0 ? part / whole : 0;
}

/**
 * Components whose CPU time counts as the API's: gunicorn's workers if every variant has them. Otherwise, and where
 * the API only accepts work that others do, everything recorded of the target, so that stacks of different parts can
 * be compared.
 * @param {CellFigures[]} all of every variant
 * @param {{isPipeline: boolean}} study
 * @returns {string[]}
 */
export function findApiComponents(all, { isPipeline }) {
  const measured = all.filter(({ components }) => components.length > 0);
  if (
    !isPipeline &&
    measured.every(({ components }) => components.some(({ name }) => name === 'workers'))
  )
    return ['workers'];
  return [...new Set(measured.flatMap(({ components }) => components.map(({ name }) => name)))];
}

/**
 * The two amounts whose ratio is the measure.
 * @param {CellFigures} figures
 * @param {CellMeasure} measure
 * @param {string[]} api components
 * @returns {{top: number, bottom: number} | null}
 */
function amountsOf(figures, measure, api) {
  const { throughputPerSec, latency } = figures;
  const { ratio, needs } = measureOf(measure, 'study');
  if (measure === 'p95Ms') return latency && { top: boundP95(latency), bottom: 1 };
  if (!ratio) return null;
  if (needs !== 'workers') return ratio(throughputPerSec, 0);
  const cores = coresOf(figures, api);
  return cores !== null && cores > 0 && throughputPerSec > 0
    ? ratio(throughputPerSec, cores)
    : null;
}

/** @param {CellFigures} figures @param {string[]} api */
function coresOf({ components }, api) {
  const own = components.filter(({ name }) => api.includes(name));
  return own.length > 0 ? sum(own.map(({ cores }) => cores)) : null;
}
