/** Processes that look like workers, and serve no request: those of a pool, or a `multiprocessing.Manager`. */
import { WORKER_CHILDREN } from '../../run/run-folder.js';
import { identifyFrame } from '../hotpath/identify-frame.js';

/** @import { Rules } from '../../run/facts/rules.d.ts' */
/** @import { ProcessUse } from '../read/cpu.js' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { ThreadUse } from './threads.js' */

const START = /^multiprocessing\/process\.py (?:BaseProcess\.)?_bootstrap$/;

/**
 * Processes in which something that `multiprocessing` has started runs, and no server.
 * @param {Profile | null} profile @param {Rules} rules
 * @returns {Set<number>} their pids
 */
export function findForked(profile, rules) {
  const { frames = [], nodes = null, rows = null, processes = [] } = profile ?? {};
  const identities = frames.map(frame => identifyFrame(frame, rules));
  const ofServer = rules.frames.filter(({ category }) => category?.id === 'server');
  // Executors of the standard library count for servers, too.
  const isServer = identities.map(
    own => own.origin !== 'standard' && ofServer.some(({ matches }) => matches(own)),
  );
  const isStart = identities.map(own => START.test(`${own.path} ${own.qualified}`));
  /** Per node: 1 below the start of such a process, 2 where a server runs in it. @type {number[]} */
  const states = [];
  for (const [node, frame] of nodes?.frame.entries() ?? []) {
    const above = states[nodes?.parent[node] ?? -1] ?? 0;
    states[node] = isStart[frame] ? 1 : above && isServer[frame] ? 2 : above;
  }
  const most = processes.map(() => 0);
  rows?.process.forEach((process, row) => {
    most[process] = Math.max(most[process] ?? 0, states[rows.node[row] ?? -1] ?? 0);
  });
  return new Set(processes.filter((_, at) => most[at] === 1).map(({ pid }) => pid));
}

/**
 * The same uses, with forked processes as children of the workers.
 * @template {{processes: ProcessUse[], threads: ThreadUse[]} | null} Uses
 * @param {Uses} beside @param {ReadonlySet<number>} forked
 * @returns {Uses}
 */
export function moveForked(beside, forked) {
  if (!beside || forked.size === 0) return beside;
  const processes = beside.processes.map(own =>
    forked.has(own.pid) ? { ...own, role: WORKER_CHILDREN } : own,
  );
  return { ...beside, processes, threads: beside.threads.filter(({ pid }) => !forked.has(pid)) };
}
