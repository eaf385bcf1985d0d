/** The figures of a run that are compared with another run's. */
import { MEASURES, readMeasure } from '../../facts/measures.js';

/** @import { Report } from '../../facts/report.d.ts' */
/** @import { Change, Measure, MeasureId } from '../../facts/compare-report.d.ts' */

/** The compared part of each measure goes into `compare.json`. @type {Measure[]} */
export const COMPARED = MEASURES.flatMap(({ id, unit, better, isCompared }) =>
  isCompared ? [/** @type {Measure} */ ({ id, unit, better })] : [],
);

/**
 * @typedef {object} Figure
 * @property {Change['scope']} scope
 * @property {string} name of the category or endpoint; empty for the whole run
 * @property {MeasureId} measure
 * @property {number} value
 * @property {'measured' | 'samples'} [basis] estimates from samples are not comparable with measured values
 */

/**
 * @param {Report} report
 * @returns {Figure[]} only the figures that the run has
 */
export function readFigures(report) {
  const { load, profile } = report;
  return [
    ...readScope(report, 'overall', ''),
    ...(profile?.categories ?? []).flatMap(({ id }) => readScope(report, 'category', id)),
    ...(load?.endpoints ?? []).flatMap(({ name }) => readScope(report, 'endpoint', name)),
  ];
}

/** @param {Report} report @param {Change['scope']} scope @param {string} name @returns {Figure[]} */
function readScope(report, scope, name) {
  const names = {
    endpoint: scope === 'endpoint' ? name : null,
    category: scope === 'category' ? name : null,
  };
  return MEASURES.flatMap(measure => {
    const { id, isCompared, least = 0, count } = measure;
    const known = isCompared ? readMeasure(measure, report, names) : null;
    if (known === null || (count && count(report, names) < least)) return [];
    return {
      scope,
      name,
      measure: /** @type {MeasureId} */ (id),
      value: typeof known === 'number' ? known : known.value,
      ...(id === 'cpuMsPerRequest' && scope === 'endpoint' && { basis: basisOf(report, name) }),
    };
  });
}

/** @param {Report} report @param {string} endpoint */
function basisOf({ costs }, endpoint) {
  const cost = costs?.endpoints.find(({ loadEndpoint }) => loadEndpoint === endpoint);
  return cost?.isMeasured ? 'measured' : 'samples';
}

/** @param {Pick<Figure, 'scope' | 'name' | 'measure'>} figure */
export function keyOfFigure({ scope, name, measure }) {
  return `${scope}\n${name}\n${measure}`;
}
