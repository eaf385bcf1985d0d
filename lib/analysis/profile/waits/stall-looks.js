/** Where threads stood in a stall, from looks that tell their time closely enough. */
import { sum } from '../../../math/summary.js';

/** @import { Profile } from '../../../profile/profile.d.ts' */
/** @import { Stall } from '../../../facts/load-report.d.ts' */
/** @import { StuckPlace } from '../../../facts/profile-report.d.ts' */
/** @import { WaitClasses } from './wait-kinds.js' */

const HALF_SECOND_MS = 500;
/** Who is stuck began shortly before. */
const BEFORE_MS = 1000;
const LEAST_LOOKS = 5;
const PLACES = 3;

/**
 * With the companion the stack tells when its request began; else it is known to the length of its file, which is
 * 20 s of py-spy's, and a second of our own recorder's.
 * @param {Profile} looks at all threads
 * @param {WaitClasses} classes
 * @param {Pick<Stall, 'startMs' | 'endMs' | 'pids'>} stall
 * @returns {StuckPlace[]} the place with most looks first; none where too few lie in it for certain
 */
export function findStuck({ rows, processes, segments }, classes, { startMs, endMs, pids }) {
  /** @type {Map<string, StuckPlace>} */
  const places = new Map();
  const isInside = (/** @type {number} */ row) => {
    const beganMs = (rows.halfSecond[row] ?? -1) * HALF_SECOND_MS;
    if (beganMs >= 0) return beganMs >= startMs - BEFORE_MS && beganMs < endMs - HALF_SECOND_MS;
    const file = segments[rows.segment[row] ?? -1];
    if (!file?.startMs || !file.endMs) return false;
    return file.startMs >= startMs - HALF_SECOND_MS && file.endMs <= endMs + HALF_SECOND_MS;
  };
  for (let row = 0; row < rows.node.length; row++) {
    const node = rows.node[row] ?? -1;
    const { pid = -1 } = processes[rows.process[row] ?? -1] ?? {};
    if (!classes.request[node] || (pids.length > 0 && !pids.includes(pid ?? -1))) continue;
    const owner = isInside(row) && classes.placeOf(node);
    if (!owner) continue;
    const kind = classes.kindOf(node);
    const key = `${kind}\n${owner.function}\n${owner.file}`;
    const place = places.get(key) ?? { ...owner, kind, looks: 0 };
    places.set(key, place);
    place.looks += rows.weight[row] ?? 0;
  }
  const all = [...places.values()].sort((a, b) => b.looks - a.looks);
  return sum(all.map(({ looks }) => looks)) < LEAST_LOOKS ? [] : all.slice(0, PLACES);
}
