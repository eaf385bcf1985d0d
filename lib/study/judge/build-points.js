/** The steps of a variant, each over all its repeats. */
import { measureOfCell, windowsOf } from './cell-values.js';
import { estimateOverRepeats, meanOf, meanOfKnown } from './estimate.js';
import { isGeneratorLimit } from './generator-limit.js';

/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { Point } from '../study-report.d.ts' */
/** @import { Cell } from './collect-cells.js' */
/** @import { CellMeasure } from './cell-values.js' */

/**
 * @param {Cell[]} cells measured ones of one variant
 * @param {string[]} api components that count as the API's
 * @returns {Point[]} ascending
 */
export function buildPoints(cells, api) {
  const bySteps = Map.groupBy(cells, ({ step }) => step);
  return [...bySteps]
    .sort(([a], [b]) => a - b)
    .map(([step, own]) =>
      buildPoint(
        step,
        own.flatMap(({ figures }) => figures ?? []),
        api,
      ),
    );
}

/** @param {number} step @param {CellFigures[]} all @param {string[]} api @returns {Point} */
function buildPoint(step, all, api) {
  const { estimate, intervalOf } = estimateMeasure(all, 'throughputPerSec', api) ?? NOTHING;
  const requests = sumOf(all, figures => figures.requests);
  const created = sumOf(all, ({ users }) => users.created);
  const skipped = sumOf(all, ({ users }) => users.skipped);
  return {
    step,
    cells: all.length,
    throughputPerSec: estimate,
    dispatchPerSec: meanOf(all.map(({ dispatchPerSec }) => dispatchPerSec)),
    intervalOf,
    values: all.map(({ throughputPerSec }) => throughputPerSec),
    inFlight: meanOfKnown(all.map(({ inFlightMean }) => inFlightMean)),
    latency: findTypicalLatency(all),
    errorRate: share(
      sumOf(all, ({ errors }) => errors),
      requests,
    ),
    redirectRate: share(
      sumOf(all, ({ redirects }) => redirects),
      sumOf(all, ({ answers }) => answers),
    ),
    skippedRate: share(skipped, created + skipped),
    components: meanComponents(all),
    hostCores: meanOfKnown(all.map(({ host }) => host?.cores ?? null)),
    generatorCores: meanOfKnown(all.map(({ generator }) => generator.cores)),
    cpuMsPerTransaction: estimateMeasure(all, 'cpuMsPerTransaction', api)?.estimate ?? null,
    perBusyCore: estimateMeasure(all, 'perBusyCore', api)?.estimate ?? null,
    // half of the repeats: one run in three that was disturbed spoils no point
    isGeneratorLimit: all.filter(isGeneratorLimit).length * 2 >= all.length,
  };
}

/** @type {import('./estimate.js').Estimated} */
const NOTHING = { estimate: { value: 0, low: null, high: null }, intervalOf: 'none' };

/**
 * @param {CellFigures[]} all repeats @param {CellMeasure} measure @param {string[]} api
 * @returns {import('./estimate.js').Estimated | null} null where it is not known
 */
function estimateMeasure(all, measure, api) {
  const known = all.flatMap(figures => {
    const value = measureOfCell(figures, measure, api);
    return value === null ? [] : { value, windows: windowsOf(figures, measure, api) };
  });
  if (known.length === 0) return null;
  return estimateOverRepeats(
    known.map(({ value }) => value),
    known.map(({ windows }) => windows),
  );
}

/**
 * Percentiles are not averaged: the figures are those of the repeat whose p95 is in the middle, of two
 * the slower.
 * @param {CellFigures[]} all
 */
function findTypicalLatency(all) {
  const known = all.flatMap(({ latency }) => latency ?? []).sort((a, b) => a.p95Ms - b.p95Ms);
  return known[Math.floor(known.length / 2)] ?? null;
}

/** @param {CellFigures[]} all @returns {Point['components']} the most CPU first */
function meanComponents(all) {
  const uses = all.flatMap(({ components }) => components);
  return [...Map.groupBy(uses, ({ name }) => name)]
    .map(([name, own]) => ({
      name,
      cores: meanOf(own.map(({ cores }) => cores)),
      busiestCores: meanOf(own.map(({ busiestCores }) => busiestCores)),
      processes: meanOf(own.map(({ processes }) => processes.mean)),
      rssBytes: meanOf(own.map(({ rssBytes }) => rssBytes)),
      pssBytes: meanOfKnown(own.map(({ pssBytes }) => pssBytes)),
    }))
    .sort((a, b) => b.cores - a.cores);
}

/** @param {CellFigures[]} all @param {(figures: CellFigures) => number} of */
function sumOf(all, of) {
  return all.reduce((sum, figures) => sum + of(figures), 0);
}

/** @param {number} part @param {number} whole */
function share(part, whole) {
  return whole > 0 ? part / whole : 0;
}
