/** The steps of a variant, each over all its repeats, and the figures of a cell that they are made of. */
import { mean } from '../../math/summary.js';
import { isGeneratorLimit } from '../bottleneck/generator-limit.js';
import { estimateOverRepeats, meanOfKnown } from '../estimates.js';

/** @import { Cell } from '../cells.js' */
/** @import { Estimated, Windows } from '../estimates.js' */
/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { Point, VariantComparison } from '../study-report.d.ts' */

/** @typedef {VariantComparison['measure']} CellMeasure */

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
    dispatchPerSec: mean(all.map(({ dispatchPerSec }) => dispatchPerSec)),
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

/** @type {Estimated} */
const NOTHING = { estimate: { value: 0, low: null, high: null }, intervalOf: 'none' };

/**
 * @param {CellFigures[]} all repeats @param {CellMeasure} measure @param {string[]} api
 * @returns {Estimated | null} null where it is not known
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
      cores: mean(own.map(({ cores }) => cores)),
      busiestCores: mean(own.map(({ busiestCores }) => busiestCores)),
      processes: mean(own.map(({ processes }) => processes.mean)),
      rssBytes: mean(own.map(({ rssBytes }) => rssBytes)),
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

/**
 * Components whose CPU time counts as the API's: gunicorn's workers where every variant has them, else
 * everything that was recorded of the target, so that stacks of different parts can be compared; and so
 * where the API only takes in what others do.
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
 * @param {CellFigures} figures
 * @param {CellMeasure} measure
 * @param {string[]} api components
 * @returns {number | null}
 */
export function measureOfCell(figures, measure, api) {
  const { throughputPerSec, latency } = figures;
  if (measure === 'throughputPerSec') return throughputPerSec;
  if (measure === 'p95Ms') return latency?.p95Ms ?? null;
  const cores = coresOf(figures, api);
  if (cores === null || !(cores > 0) || !(throughputPerSec > 0)) return null;
  return measure === 'perBusyCore' ? throughputPerSec / cores : (cores * 1000) / throughputPerSec;
}

/**
 * The seconds that a measure's interval within a run rests on; latency has none.
 * @param {CellFigures} figures @param {CellMeasure} measure @param {string[]} api
 * @returns {Windows}
 */
export function windowsOf({ perSecond, coresPerSecond }, measure, api) {
  if (measure === 'p95Ms') return [];
  if (measure === 'throughputPerSec') return perSecond.map(top => ({ top, bottom: 1 }));
  const windows = perSecond.flatMap((good, second) => {
    const series = api.flatMap(name => (coresPerSecond[name] ? [coresPerSecond[name]] : []));
    const cores = series.map(values => values[second] ?? null);
    if (cores.length === 0 || cores.includes(null)) return [];
    return { good, cores: cores.reduce((/** @type {number} */ sum, n) => sum + (n ?? 0), 0) };
  });
  return windows.map(({ good, cores }) =>
    measure === 'perBusyCore' ? { top: good, bottom: cores } : { top: cores * 1000, bottom: good },
  );
}

/** @param {CellFigures} figures @param {string[]} api */
function coresOf({ components }, api) {
  const own = components.filter(({ name }) => api.includes(name));
  return own.length > 0 ? own.reduce((sum, { cores }) => sum + cores, 0) : null;
}
