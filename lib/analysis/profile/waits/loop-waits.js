/**
 * Where the thread of an event loop waits inside a request: in a call that is no `await`, while every other request
 * of the worker waits for it.
 */
import { addTo, entryOf } from '../../../base/files/maps.js';
import { wilsonInterval } from '../../../base/math/intervals.js';
import { sum } from '../../../base/math/summary.js';
import { isGreen } from '../../hotpath/name-calls.js';
import { markBelow, weighNodes } from '../../stacks/node-table.js';
import { classifyWaits } from './wait-kinds.js';

/** @typedef {import('../../../run/facts/profile-report.d.ts').LoopWaits} LoopWaits */
/** @typedef {import('../../stacks/profile.d.ts').Profile} Profile */
/** @typedef {Pick<import('../../../run/facts/rules.d.ts').Classification, 'identities' | 'request' | 'isCore' | 'passthrough'>} Classification */

/** Frames that run an event loop. */
const LOOP =
  /^(?:asyncio\/(?:base_events|runners)|uvloop\/__init__|trio\/_core\/_run|granian\/_futures|gunicorn\/workers\/(?:gasgi|base_async|ggevent|geventlet)|gevent\/(?:hub|pywsgi|baseserver)|eventlet\/(?:hubs\/.*|wsgi))\.py$/;
/** Parts of the standard library and of drivers that only await: there they wait for the interpreter (the GIL). */
const AWAITS = /async|aio/;
/** Places with fewer samples may be chance. */
const LEAST_LOOKS = 5;
/** Most running time of a thread at a place where it waits: where a rule knows the wait, and on any other line. */
const MOST_RUNNING = 0.3;
const MOST_RUNNING_UNKNOWN = 0.1;
/** Of waits that no rule names, at least: the rest may be waits for a core. */
const LEAST_IN_CALLS = 0.5;
export const PLACES = 3;

/**
 * @param {object} input
 * @param {Profile} input.looks samples of all threads, including waiting ones
 * @param {Classification} input.classification of `looks`
 * @param {Profile} input.running the profile of running threads
 * @param {Pick<import('../recording.d.ts').ProfileAnalysis, 'base' | 'classes'>} input.analysis of `running`
 * @param {number} input.sampledMs how long `running` was sampled in the windows
 * @param {import('../../../run/facts/rules.d.ts').Rules} input.rules
 * @param {import('../threads.js').ThreadUse[]} [input.scheduled] the scheduler's figures for the workers' threads
 * @param {number} [input.lengthMs] that these figures cover
 * @param {number | null} [input.masterPid]
 * @returns {LoopWaits | null} null where no event loop waits like this
 */
export function findLoopWaits(input) {
  const { looks, classification, running, analysis, sampledMs, rules } = input;
  const { scheduled = [], lengthMs = 1, masterPid = null } = input;
  const seen = countPlaces(looks, classification, rules, weighNodes(looks), masterPid);
  const samplesPerLoop = ((sampledMs / 1000) * (running.rateHz ?? 0) * seen.total) / seen.rounds;
  if (!(samplesPerLoop > 0)) return null;
  const ran = countPlaces(running, analysis.classes, rules, analysis.base.weights, masterPid);
  // A thread that comes back from a call waits for a core there, which py-spy takes for running: the kernel does not.
  const timeOf = (/** @type {'runMs' | 'queuedMs'} */ of) =>
    (sum(scheduled.map(own => own[of])) / lengthMs) * (seen.rounds / seen.total);
  const hadCore = Math.min(1, timeOf('runMs') / (analysis.base.total / samplesPerLoop)) || 1;
  /** @type {Map<string, LoopWaits['where'][number]>} */
  const where = new Map();
  for (const [key, { n, kind, isOwn, owner }] of seen.places) {
    const share = n / seen.total;
    const [most, had] = kind === null ? [MOST_RUNNING_UNKNOWN, 1] : [MOST_RUNNING, hadCore];
    const runningShare = (had * (ran.places.get(key)?.n ?? 0)) / samplesPerLoop;
    // A server does not wait for what it writes to its client: there it queues for the interpreter.
    const isKnown = kind === null ? isOwn : kind !== 'client';
    if (n < LEAST_LOOKS || !owner || !isKnown || runningShare > share * most) continue;
    const { function: name, file, line = null } = owner;
    const own = [name, file, kind].join('\n');
    const place = entryOf(where, own, () => ({ function: name, file, line, kind, share: 0 }));
    if (place.line !== line) place.line = null;
    place.share += share - runningShare;
  }
  // A thread that waits for a core, or for the GIL of one that does, is in no call.
  const unnamed = [...where].filter(([, { kind }]) => kind === null);
  const unnamedShare = sum(unnamed.map(([, { share }]) => share));
  if (unnamedShare - timeOf('queuedMs') < unnamedShare * LEAST_IN_CALLS)
    for (const [key] of unnamed) where.delete(key);
  const waiting = sum([...where.values()].map(({ share }) => share));
  if (waiting === 0) return null;
  return {
    ...(isGreen(looks) && { isGreen: true }),
    share: { value: waiting, ...wilsonInterval(waiting * seen.total, seen.total) },
    where: [...where.values()].sort((a, b) => b.share - a.share).slice(0, PLACES),
  };
}

/** Does an event loop serve requests here? @param {Profile} profile @param {Classification} classification of it */
export function isServedByLoop(profile, classification) {
  return markLoops(profile, classification).some(
    (isLoop, node) => isLoop === 1 && classification.request[node] === 1,
  );
}

/**
 * Until a new thread runs, what starts it waits for a core and the interpreter.
 * @param {Classification['identities'][number] | undefined} identity
 */
const isThreadStart = identity => identity?.path === 'threading.py' && identity.name === 'start';

/** @param {Profile} profile @param {Classification} classification of it @returns {Uint8Array} per node: 1 below a frame of an event loop */
function markLoops({ nodes }, { identities, request }) {
  const pathOf = (/** @type {number} */ node) => identities[nodes.frame[node] ?? 0]?.path ?? '';
  // A loop inside a request is that request's own (asgiref's async_to_sync): it blocks no other request.
  const begins = (/** @type {number} */ node) =>
    LOOP.test(pathOf(node)) && !request[nodes.parent[node] ?? -1];
  return markBelow(nodes, begins);
}

/**
 * @param {Profile} profile
 * @param {Classification} classification of it
 * @param {import('../../../run/facts/rules.d.ts').Rules} rules
 * @param {ArrayLike<number>} weights per node
 * @param {number | null} masterPid
 */
function countPlaces(profile, classification, rules, weights, masterPid) {
  const { nodes, rows, processes } = profile;
  const { identities, request } = classification;
  const classes = classifyWaits(profile, classification, rules);
  /** @typedef {{n: number, kind: LoopWaits['where'][number]['kind'], isOwn: boolean, owner: ReturnType<typeof classes.placeOf>}} Place */
  /** @type {Map<string, Place>} */
  const places = new Map();
  const loop = markLoops(profile, classification);
  const isStarting = markBelow(nodes, node => isThreadStart(identities[nodes.frame[node] ?? 0]));
  for (let node = 0; node < loop.length; node++) {
    const identity = identities[nodes.frame[node] ?? 0];
    const [n, isOwn] = [weights[node] ?? 0, identity?.origin === 'user'];
    if (n === 0 || !loop[node] || !request[node] || isStarting[node]) continue;
    if (!isOwn && AWAITS.test(identity?.path ?? '')) continue;
    const [key, kind, owner] = [classes.keyOf(node), classes.kindOf(node), classes.placeOf(node)];
    entryOf(places, key, () => ({ n: 0, kind, isOwn, owner })).n += n;
  }
  const threadOf = (/** @type {number} */ row) => `${rows.process[row]} ${rows.thread[row]}`;
  /** Threads and their processes. @type {Set<string | number>} */
  const serving = new Set();
  rows.node.forEach((node, row) => {
    if (loop[node] && request[node]) serving.add(threadOf(row)).add(rows.process[row] ?? -1);
  });
  /** Per segment: number of samples of each thread in a loop. @type {Map<number, Map<string, number>>} */
  const threads = new Map();
  rows.node.forEach((node, row) => {
    const process = rows.process[row] ?? -1;
    // A worker may be idle, but beside a loop that serves requests, and in the master, a loop serves none.
    const isOther = serving.has(process) || processes[process]?.pid === masterPid;
    if (!loop[node] || (isOther && !serving.has(threadOf(row)))) return;
    const own = entryOf(threads, rows.segment[row] ?? -1, () => new Map());
    addTo(own, threadOf(row), rows.weight[row] ?? 0);
  });
  const counts = [...threads.values()].map(own => [...own.values()]);
  return { places, total: sum(counts.flat()), rounds: sum(counts.map(own => Math.max(...own))) };
}
