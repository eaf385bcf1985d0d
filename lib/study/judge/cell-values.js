/** The figures of one cell that points, comparisons and scaling are made of. */

/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { Windows } from './estimate.js' */

/** @typedef {'throughputPerSec' | 'perBusyCore' | 'cpuMsPerTransaction' | 'p95Ms'} CellMeasure */

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
