import { compareValues } from '../../lib/compare/compare-values.js';
import { findSignificant } from '../../lib/compare/significance.js';
import { createRandom } from '../../lib/math/random.js';

/** @import { Change, MeasureId } from '../../lib/compare/compare-report.d.ts' */

/** What a comparison of an API with six endpoints asks. @type {Pick<Change, 'scope' | 'name' | 'measure'>[]} */
export const QUESTIONS = [
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
  ...['a', 'b', 'c', 'd', 'e', 'f'].flatMap(name =>
    ['cpuMsPerRequest', 'total.p50Ms', 'total.p95Ms', 'errorRate'].map(measure => ({
      scope: /** @type {const} */ ('endpoint'),
      name,
      measure: /** @type {MeasureId} */ (measure),
    })),
  ),
];

const ALPHA = 0.05;

/**
 * Compares runs of which only the numbers are made: what a run has of its own moves all of its figures,
 * and each figure has noise beside that. Error rates are rare events: 0 in most runs.
 * @param {{seed: number, runs: number, together?: number, alone?: number, factor?: (question: Pick<Change, 'scope' | 'name' | 'measure'>) => number}} spec
 *   `together`, `alone`: standard deviations; `factor`: by which a figure differs after
 */
export function compareNumbers({ seed, runs, together = 0.02, alone = 0.03, factor = () => 1 }) {
  const random = createRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const ofRuns = Array.from({ length: 2 * runs }, () => together * normal());
  const compared = QUESTIONS.map(question => {
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
    after: runs,
    alpha: ALPHA,
    isTestable: runs > 3,
  });
}
