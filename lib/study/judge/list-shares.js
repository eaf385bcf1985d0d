/** How work spread: what the cell counted, and components that stand beside each other. */

/** @import { CellFigures } from '../study-records.d.ts' */

/** `backend-1`, `backend_2`, `web 3` */
const NUMBERED = /^(.*?\D)[-_ .]?(\d+)$/;

/**
 * Where nothing tells which backend answered, CPU time does, of components with one name and a number
 * each: a backend that gets nothing leaves no other trace.
 * @param {CellFigures} figures
 * @returns {CellFigures['shares']}
 */
export function listShares({ shares, components, seconds }) {
  if (shares.some(({ of }) => of === 'backends')) return shares;
  const numbered = components.flatMap(({ name, cores }) => {
    const [, stem] = NUMBERED.exec(name) ?? [];
    return stem === undefined ? [] : [{ stem, cpuMs: cores * seconds * 1000 }];
  });
  const groups = [...Map.groupBy(numbered, ({ stem }) => stem).values()];
  const largest = groups.filter(({ length }) => length > 1).sort((a, b) => b.length - a.length)[0];
  if (!largest) return shares;
  const counts = largest.map(({ cpuMs }) => cpuMs);
  return [...shares, { of: 'backends', unit: 'cpuMs', counts }];
}
