/** Threads that requests started, and that live longer than those. */
import { entryOf } from '../../base/files/maps.js';
import { append, markBelow } from './node-table.js';

/** @import { Profile } from './profile.d.ts' */

/** The companion's frame around all that a thread does which a request started. */
const WHOLE_THREAD = /(?:^|\.)run_whole_thread$/;
/** CPU time so soon after a request still counts for it (`LINGER_S` of the companion). */
const LINGER_MS = 10_000;
/** Linux numbers threads up to this (PID_MAX_LIMIT). */
export const MOST_TID = 2 ** 22;

/**
 * A thread that a request started may live on: one that takes items from a queue, or in which a library sends what it
 * recorded. It works for no request then, so its samples get no route, and their stacks lose the request.
 * @param {Profile} profile
 * @param {number} longestMs of a request
 * @returns {Profile}
 */
export function endThreads(profile, longestMs) {
  const { frames, nodes, rows } = profile;
  const isWhole = frames.map(({ name }) => WHOLE_THREAD.test(name));
  if (!isWhole.includes(true)) return profile;
  const inWhole = markBelow(nodes, node => isWhole[nodes.frame[node] ?? -1]);
  const livesOn = findOutliving(profile, inWhole, longestMs);
  /** @type {[number[], number[]]} */
  const [parents, added] = [[], []];
  /** @type {Map<number, number>} */
  const known = new Map();
  /** @param {number} node @returns {number} the same below the thread's own frames */
  const cut = node =>
    entryOf(known, node, () => {
      const above = nodes.parent[node] ?? -1;
      if (!inWhole[node] || isWhole[nodes.frame[node] ?? -1]) return inWhole[node] ? above : node;
      const parent = cut(above);
      added.push(nodes.frame[node] ?? -1);
      return nodes.frame.length + parents.push(parent) - 1;
    });
  const node = rows.node.map((own, row) => (livesOn(row) ? cut(own) : own));
  const route = rows.route.map((own, row) => (livesOn(row) ? -1 : own));
  const grown = { parent: append(nodes.parent, parents), frame: append(nodes.frame, added) };
  return { ...profile, nodes: grown, rows: { ...rows, node, route } };
}

/**
 * The same for CPU time: what a thread does after the response counts for the request, but not in a thread that lives for
 * most of the recording.
 * @param {Profile} profile @param {number} longestMs
 */
export function endLastingThreads(profile, longestMs) {
  const startMs = profile.segments[0]?.startMs ?? 0;
  const halfMs = ((profile.segments.at(-1)?.endMs ?? Infinity) - startMs) / 2;
  return endThreads(profile, Math.min(LINGER_MS, Math.max(longestMs, halfMs)));
}

/**
 * How long a thread lives at least: from one segment in which it was sampled to another, and as long as its samples stand
 * for.
 * @param {Profile} profile @param {Uint8Array} inWhole per node @param {number} longestMs
 * @returns {(row: number) => boolean}
 */
function findOutliving({ rows, segments, threads, rateHz }, inWhole, longestMs) {
  // Where threads have addresses in place of ids, one that has ended gives its own to the next.
  const keyOf = (/** @type {number} */ row) => {
    const { id } = threads[rows.thread[row] ?? -1] ?? {};
    const isKnown = inWhole[rows.node[row] ?? -1] && Number(id) <= MOST_TID;
    return isKnown ? `${rows.process[row]} ${id}` : null;
  };
  /** @type {Map<string, {firstMs: number, sampledMs: number}>} */
  const lives = new Map();
  /** @type {Set<string | null>} */
  const outliving = new Set();
  for (const [row, segment] of rows.segment.entries()) {
    const [key, startMs] = [keyOf(row), segments[segment]?.startMs ?? null];
    if (key === null || startMs === null) continue;
    const life = entryOf(lives, key, () => ({ firstMs: startMs, sampledMs: 0 }));
    life.sampledMs += (1000 * (rows.weight[row] ?? 0)) / (rateHz ?? Infinity);
    if (Math.max(startMs - life.firstMs, life.sampledMs) > longestMs) outliving.add(key);
  }
  return row => outliving.has(keyOf(row));
}
