/** Who holds what requests wait for, and which thread works for them. */
import { addTo, entryOf } from '../../../files/maps.js';
import { sum } from '../../../math/summary.js';

/** @import { Holders, RequestState, Waits } from '../../../facts/profile-report.d.ts' */
/** @import { Profile } from '../../../profile/profile.d.ts' */
/** @import { WaitClasses } from './wait-kinds.js' */

/** Mean number of requests: fewer only pass through, and hold nothing for long. */
const LEAST_HOLDERS = 0.25;

/**
 * @typedef {object} Selected
 * @property {Profile} looks samples of all threads
 * @property {WaitClasses} classes of `looks`
 * @property {number | null} masterPid left out
 * @property {number} rounds how often each worker was sampled
 */

/**
 * Requests in the function that waits most for a lock or a pool, once they are past that wait. This finds none where
 * a helper takes the lock and its caller works under it.
 * @param {Selected} selected
 * @param {Waits['kinds']} kinds
 * @returns {Holders | null}
 */
export function findHolders(selected, kinds) {
  const { looks, classes, rounds } = selected;
  const queued = kinds.find(({ id }) => id === 'lock' || id === 'pool');
  const [place] = queued?.where ?? [];
  if (!queued || !place) return null;
  const isPlace = looks.frames.map(
    ({ name, file }) => name === place.function && file === place.file,
  );
  const isBelow = markBelow(looks.nodes, isPlace);
  /** @type {Map<RequestState, number>} */
  const byKind = new Map();
  for (const { node, weight } of eachLook(selected)) {
    const kind = classes.kindOf(node) ?? 'other';
    if (isBelow[node] && classes.request[node] && kind !== queued.id) addTo(byKind, kind, weight);
  }
  const total = sum([...byKind.values()]);
  const [most] = [...byKind].sort(([, a], [, b]) => b - a);
  if (!most || total < rounds * LEAST_HOLDERS) return null;
  return {
    of: queued.id === 'pool' ? 'pool' : 'lock',
    function: place.function,
    file: place.file,
    threads: total / rounds,
    doing: { id: most[0], share: most[1] / total },
  };
}

/**
 * The busiest of the application's own threads that serve no request: usually one that processes a queue.
 * @param {Selected} selected
 * @returns {Waits['background']}
 */
export function findBackground(selected) {
  const { classes, rounds } = selected;
  /** @type {Map<string, {function: string, file: string, n: number}>} */
  const busy = new Map();
  for (const { node, weight } of eachLook(selected)) {
    const place = classes.request[node] || classes.suspended[node] ? null : classes.placeOf(node);
    if (!place || classes.kindOf(node) === 'lock') continue;
    const key = `${place.function}\n${place.file}`;
    entryOf(busy, key, () => ({ ...place, n: 0 })).n += weight;
  }
  const [most] = [...busy.values()].sort((a, b) => b.n - a.n);
  return most ? { function: most.function, file: most.file, threads: most.n / rounds } : null;
}

/** @param {Selected} selected */
function* eachLook({ looks: { rows, processes }, masterPid }) {
  for (let row = 0; row < rows.node.length; row++) {
    const node = rows.node[row] ?? -1;
    if (node >= 0 && processes[rows.process[row] ?? -1]?.pid !== masterPid)
      yield { node, weight: rows.weight[row] ?? 0 };
  }
}

/**
 * @param {Profile['nodes']} nodes
 * @param {boolean[]} isFrame per frame
 * @returns {Uint8Array} per node: 1 at and below such a frame
 */
function markBelow({ frame, parent }, isFrame) {
  const below = new Uint8Array(frame.length);
  for (let node = 0; node < below.length; node++)
    below[node] = isFrame[frame[node] ?? -1] || below[parent[node] ?? -1] ? 1 : 0;
  return below;
}
