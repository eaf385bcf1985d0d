/** The figures of a run that are compared with another run's. */
import { MEASURES, readMeasure } from '../../run/facts/measures.js';
import { findCostOf } from '../../run/facts/of-endpoint.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Change, Measure, MeasureId } from '../../run/facts/compare-report.d.ts' */

/** The compared part of each measure goes into `compare.json`. @type {Measure[]} */
export const COMPARED = MEASURES.flatMap(({ id, unit, better, isCompared }) =>
  isCompared ? [/** @type {Measure} */ ({ id, unit, better })] : [],
);

/**
 * @typedef {object} Figure
 * @property {Change['scope']} scope
 * @property {string} name of the category, package or endpoint; empty for the whole run
 * @property {MeasureId} measure
 * @property {number} value
 * @property {'measured' | 'samples'} [basis] estimates from samples are not comparable with measured values
 */

/** With less of the CPU, a package is no row of its own. */
const LEAST_PACKAGE_SHARE = 0.01;

/** @param {Report} report @returns {string[]} packages that take CPU worth a row */
export function listPackages({ profile }) {
  const known = profile?.packages?.filter(({ share }) => share.value >= LEAST_PACKAGE_SHARE);
  return (known ?? []).map(({ name }) => name);
}

/**
 * @param {Report} report
 * @param {string[]} [packages] those of other runs, too: what a run does not have costs nothing in it
 * @returns {Figure[]} only the figures that the run has
 */
export function readFigures(report, packages = listPackages(report)) {
  const { load, profile } = report;
  return [
    ...readScope(report, 'overall', ''),
    ...(profile?.categories ?? []).flatMap(({ id }) => readScope(report, 'category', id)),
    ...packages.flatMap(name => readScope(report, 'package', name)),
    ...(load?.endpoints ?? []).flatMap(({ name }) => readScope(report, 'endpoint', name)),
  ];
}

/**
 * @param {Report} report
 * @param {Change['scope']} scope
 * @param {string} name
 * @returns {Figure[]}
 */
function readScope(report, scope, name) {
  const names = {
    endpoint: scope === 'endpoint' ? name : null,
    category: scope === 'category' ? name : null,
    package: scope === 'package' ? name : null,
  };
  const basis = findCostOf(report, names.endpoint)?.isMeasured ? 'measured' : 'samples';
  return MEASURES.flatMap(measure => {
    const { id, isCompared, least = 0, count } = measure;
    const known = isCompared ? readMeasure(measure, report, names) : null;
    if (known === null || (count && count(report, names) < least)) return [];
    return {
      scope,
      name,
      measure: /** @type {MeasureId} */ (id),
      value: typeof known === 'number' ? known : known.value,
      ...(id === 'cpuMsPerRequest' && scope === 'endpoint' && { basis }),
    };
  });
}

/** @param {Pick<Figure, 'scope' | 'name' | 'measure'>} figure */
export function keyOfFigure({ scope, name, measure }) {
  return `${scope}\n${name}\n${measure}`;
}
