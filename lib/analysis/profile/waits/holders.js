/** Who holds what requests wait for, and which thread works for them. */
import { addTo, entryOf } from '../../../base/files/maps.js';
import { sum } from '../../../base/math/summary.js';
import { markBelow } from '../../stacks/node-table.js';

/** @import { Holders, RequestState, Waits } from '../../../run/facts/profile-report.d.ts' */
/** @import { Profile } from '../../stacks/profile.d.ts' */
/** @import { WaitClasses } from './wait-kinds.js' */

/** Mean number of threads: fewer only pass through, and hold nothing for long. */
const LEAST_HOLDERS = 0.25;
/** Such a function only takes a lock; any other also works under the lock that it takes. */
const TAKES = /(?:^|\.)(?:acquire|__a?enter__|lock|wait)\w*$/;

/**
 * @typedef {object} Selected
 * @property {Profile} looks samples of all threads
 * @property {WaitClasses} classes of `looks`
 * @property {number | null} masterPid left out
 * @property {number} rounds how often each worker was sampled
 */

/**
 * Requests in the function that waits most for a lock or a pool, once they are past that wait, or in the next one, where
 * there are none. This finds none where a helper takes the lock and its caller works under it.
 * @param {Selected} selected
 * @param {Waits['kinds']} kinds
 * @returns {Holders | null}
 */
export function findHolders(selected, kinds) {
  const queued = kinds.find(({ id }) => id === 'lock' || id === 'pool');
  // Holders of an outer one may all wait for the next, or for threads whose work does.
  for (const place of queued?.where ?? []) {
    const found = countHolders(selected, queued?.id ?? 'lock', place);
    if (found && found.doing.id !== 'thread-pool') return found;
  }
  return null;
}

/**
 * Requests that took something from the queue that most others wait for: they are in a later line of the function that
 * waits, or of one of its callers. Null where a thread of the application's own may fill the queue instead, and for
 * coroutines, because tasks that fill a queue are on no stack.
 * @param {Selected} selected
 * @returns {Holders | null}
 */
export function findBorrowers(selected) {
  const { looks, classes } = selected;
  /** @type {Map<number, number>} */
  const waiting = new Map();
  for (const { node, weight } of eachLook(selected))
    if (classes.request[node] && classes.kindOf(node) === 'queue') addTo(waiting, node, weight);
  let [node = -1] = [...waiting].sort(([, a], [, b]) => b - a)[0] ?? [];
  if (node < 0 || classes.suspended[node]) return null;
  if ((findBackground(selected, ['lock', 'sleep'])?.threads ?? 0) >= LEAST_HOLDERS) return null;
  for (; node >= 0; node = looks.nodes.parent[node] ?? -1) {
    const { name, file, line } = looks.frames[looks.nodes.frame[node] ?? -1] ?? {};
    const place = classes.placeOf(node);
    const isOwn = place !== null && place.function === name && place.file === file;
    const found = isOwn && countHolders(selected, 'queue', place, line ?? 0);
    if (found) return found;
  }
  return null;
}

/**
 * @param {Selected} selected
 * @param {RequestState} of the others' wait
 * @param {{function: string, file: string, call?: string | null}} place
 * @param {number} after only behind this line of it
 * @returns {Holders | null}
 */
function countHolders(selected, of, place, after = -1) {
  const { looks, classes, rounds } = selected;
  const isPlace = looks.frames.map(
    ({ name, file, line }) => name === place.function && file === place.file && (line ?? 0) > after,
  );
  const { frame, parent } = looks.nodes;
  // What the function does before it calls a library that takes the lock is done without it.
  const taker = of === 'lock' && !TAKES.test(place.call ?? '') ? place.call : null;
  const isBelow = markBelow(looks.nodes, node =>
    taker
      ? isPlace[frame[parent[node] ?? -1] ?? -1] && looks.frames[frame[node] ?? -1]?.name === taker
      : isPlace[frame[node] ?? -1],
  );
  /** @type {Map<RequestState, number>} */
  const byKind = new Map();
  for (const { node, weight } of eachLook(selected)) {
    const kind = classes.kindOf(node) ?? 'other';
    if (isBelow[node] && classes.request[node]) addTo(byKind, kind, weight);
  }
  const waiting = (byKind.get(of) ?? 0) / rounds;
  byKind.delete(of);
  const total = sum([...byKind.values()]);
  const [most] = [...byKind].sort(([, a], [, b]) => b - a);
  if (!most || total < rounds * LEAST_HOLDERS) return null;
  return {
    of: of === 'lock' ? 'lock' : 'pool',
    function: place.function,
    file: place.file,
    threads: total / rounds,
    waiting,
    doing: { id: most[0], share: most[1] / total },
  };
}

/** A thread without samples so far. */
const AWAKE = { threads: 0, asleep: 0, line: null };

/**
 * The busiest of the application's own threads that serve no request: usually one that processes a queue.
 * @param {Selected} selected
 * @param {RequestState[]} [idle] no work
 * @returns {Waits['background']}
 */
export function findBackground(selected, idle = ['lock', 'queue']) {
  const { classes, rounds } = selected;
  /** @type {Map<string, NonNullable<Waits['background']> & {asleep: number}>} */
  const busy = new Map();
  for (const { node, weight } of eachLook(selected)) {
    const place = classes.taskOf(node);
    if (!place || idle.includes(classes.kindOf(node) ?? 'other')) continue;
    const own = entryOf(busy, `${place.function}\n${place.file}`, () => ({ ...place, ...AWAKE }));
    own.threads += weight / rounds;
    if (classes.kindOf(node) !== 'sleep') continue;
    Object.assign(own, { line: place.line, asleep: own.asleep + weight / rounds });
  }
  return [...busy.values()].sort((a, b) => b.threads - a.threads)[0] ?? null;
}

/** @param {Selected} selected */
function* eachLook({ looks: { rows, processes }, masterPid }) {
  for (let row = 0; row < rows.node.length; row++) {
    const node = rows.node[row] ?? -1;
    if (node >= 0 && processes[rows.process[row] ?? -1]?.pid !== masterPid)
      yield { node, weight: rows.weight[row] ?? 0 };
  }
}
