/** How work spread over workers, backends or users. */
/** @import { CellFigures } from '../../../facts/study-records.d.ts' */

/** `backend-1`, `backend_2`, `web 3` */
const NUMBERED = /^(.*?\D)[-_ .]?(\d+)$/;

/**
 * If nothing shows which backend responded, CPU time does, for components with a common name and a number each: a
 * backend that gets nothing leaves no other trace.
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
 * Components with a common name and a number each.
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
