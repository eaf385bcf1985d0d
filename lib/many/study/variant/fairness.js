/** How evenly something spread: over workers, backends or users. */
import { jainIndex, mean, median } from '../../../math/summary.js';

/** @import { Cell } from '../cells.js' */
/** @import { CellFigures } from '../../../facts/study-records.d.ts' */
/** @import { Fairness, Point } from '../../../facts/study-report.d.ts' */

/** `backend-1`, `backend_2`, `web 3` */
const NUMBERED = /^(.*?\D)[-_ .]?(\d+)$/;

/**
 * The index beside what it hides.
 * @param {number} step
 * @param {CellFigures['shares'][number]} share
 * @returns {Fairness | null} null for fewer than two, or where nobody got anything
 */
export function measureFairness(step, { of, unit, counts }) {
  const jain = jainIndex(counts);
  if (counts.length < 2 || jain === null) return null;
  return {
    of,
    unit,
    step,
    count: counts.length,
    jain,
    min: Math.min(...counts),
    mean: mean(counts),
    median: median(counts),
    max: Math.max(...counts),
    idle: counts.filter(count => count === 0).length,
  };
}

/** @param {Point | null} point the most load of the plateau @param {Cell[]} cells @returns {Fairness[]} */
export function listFairness(point, cells) {
  if (!point) return [];
  const { step } = point;
  const shared = cells.flatMap(cell =>
    cell.step === step && cell.figures ? listShares(cell.figures) : [],
  );
  // of the repeat in the middle: ids differ between repeats
  return [...Map.groupBy(shared, ({ of }) => of).values()].flatMap(groups => {
    const typical = groups[Math.floor(groups.length / 2)];
    return (typical && measureFairness(step, typical)) ?? [];
  });
}

/**
 * Where nothing tells which backend answered, CPU time does, of components with one name and a number
 * each: a backend that gets nothing leaves no other trace.
 * @param {CellFigures} figures
 * @returns {CellFigures['shares']}
 */
export function listShares({ shares, components, seconds }) {
  if (shares.some(({ of }) => of === 'backends')) return shares;
  const [largest] = groupNumbered(components).filter(({ length }) => length > 1);
  if (!largest) return shares;
  const counts = largest.map(({ cores }) => cores * seconds * 1000);
  return [...shares, { of: 'backends', unit: 'cpuMs', counts }];
}

/**
 * Components of one name and a number each.
 * @template {{name: string}} C
 * @param {C[]} components
 * @returns {C[][]} the largest group first
 */
export function groupNumbered(components) {
  const numbered = components.filter(({ name }) => NUMBERED.test(name));
  return [...Map.groupBy(numbered, ({ name }) => NUMBERED.exec(name)?.[1] ?? name).values()].sort(
    (a, b) => b.length - a.length,
  );
}
