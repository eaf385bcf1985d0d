import { createRandom } from '../../lib/base/math/random.js';
import { compareValues } from '../../lib/experiment/compare/compare-values.js';
import { findSignificant, isSignificant } from '../../lib/experiment/compare/significance.js';

/** @import { Change, MeasureId } from '../../lib/run/facts/compare-report.d.ts' */

/** What a comparison of an API asks. @param {string[]} endpoints @returns {Pick<Change, 'scope' | 'name' | 'measure'>[]} */
export const listQuestions = endpoints => [
  ...['throughputPerSec', 'cpuMsPerRequest', 'total.p50Ms', 'total.p95Ms', 'total.p99Ms'].map(
    measure => ({
      scope: /** @type {const} */ ('overall'),
      name: '',
      measure: /** @type {MeasureId} */ (measure),
    }),
  ),
  ...['auth', 'business', 'database', 'serialization', 'framework', 'server'].map(name => ({
    scope: /** @type {const} */ ('category'),
    name,
    measure: /** @type {const} */ ('cpuMsPerRequest'),
  })),
  ...endpoints.flatMap(name =>
    ['cpuMsPerRequest', 'total.p50Ms', 'total.p95Ms', 'errorRate'].map(measure => ({
      scope: /** @type {const} */ ('endpoint'),
      name,
      measure: /** @type {MeasureId} */ (measure),
    })),
  ),
];

const ALPHA = 0.05;

/**
 * Compares runs of which only the numbers are made: what a run has of its own (the drift of the machine)
 * moves all of its figures, and each figure has noise beside that. Error rates are rare events: 0 in
 * most runs.
 * @param {{seed: number, runs: number, after?: number, endpoints?: string[], together?: number, alone?: number, factor?: (question: Pick<Change, 'scope' | 'name' | 'measure'>) => number}} spec
 *   `runs`: of the side before, and of the other unless `after` says so; `together`, `alone`: standard
 *   deviations; `factor`: by which a figure differs after
 */
export function compareNumbers({
  seed,
  runs,
  after: runsAfter = runs,
  endpoints = ['a', 'b', 'c', 'd', 'e', 'f'],
  together = 0.02,
  alone = 0.03,
  factor = () => 1,
}) {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const ofRuns = Array.from({ length: runs + runsAfter }, () => together * normal());
  const compared = listQuestions(endpoints).map(question => {
    const values = ofRuns.map((own, run) => {
      const change = run < runs ? 1 : factor(question);
      if (question.measure === 'errorRate') return (random() < 0.1 ? 0.002 : 0) * change;
      return 100 * change * Math.exp(own + alone * normal());
    });
    const [before, after] = [values.slice(0, runs), values.slice(runs)];
    return { ...question, ...compareValues(before, after, { alpha: ALPHA }) };
  });
  return findSignificant(compared, {
    before: runs,
    after: runsAfter,
    alpha: ALPHA,
    isTestable: runs > 3,
  });
}

/**
 * How often comparisons with known truth call what.
 * @param {Omit<Parameters<typeof compareNumbers>[0], 'seed' | 'factor'> & {comparisons: number, fixes?: Record<string, number>, all?: number}} spec
 *   `fixes`: factors of the CPU time of endpoints; `all`: of those that are not named
 * @returns {{any: number, fixed: number, others: number, relative: number}} parts of the comparisons:
 *   with any call, with all fixes called in their direction, with a call of the CPU time of another
 *   endpoint, and with one that was found relative to the others
 */
export function countCalls({ comparisons, fixes = {}, all = 1, ...spec }) {
  const counts = { any: 0, fixed: 0, others: 0, relative: 0 };
  for (let seed = 1; seed <= comparisons; seed++) {
    const { changes } = compareNumbers({
      ...spec,
      seed: 1000 * spec.runs + seed,
      factor: ({ scope, name, measure }) =>
        scope === 'endpoint' && measure === 'cpuMsPerRequest' ? (fixes[name] ?? all) : 1,
    });
    const called = changes.filter(isSignificant);
    const costs = called.filter(
      ({ scope, measure }) => scope === 'endpoint' && measure === 'cpuMsPerRequest',
    );
    const isFixed = (/** @type {[string, number]} */ [name, factor]) =>
      costs.some(own => own.name === name && (own.call === 'better') === factor < 1);
    counts.any += Number(called.length > 0);
    counts.fixed += Number(Object.entries(fixes).every(isFixed));
    counts.others += Number(costs.some(({ name }) => !(name in fixes)));
    counts.relative += Number(costs.some(({ beside }) => beside));
  }
  return {
    any: counts.any / comparisons,
    fixed: counts.fixed / comparisons,
    others: counts.others / comparisons,
    relative: counts.relative / comparisons,
  };
}
