/** What a stack waits for, if anything, by the rules in `lib/analysis/hotpath/rules/waits.yaml`. */
import { OVERRIDE } from '../../hotpath/classify-profile.js';
import { AWAIT_FILE } from '../../stacks/markers.js';
import { markBelow } from '../../stacks/node-table.js';

/** @import { ThreadPool, WaitPlace } from '../../../run/facts/profile-report.d.ts' */
/** @typedef {import('../../../run/facts/rules.d.ts').WaitKind} WaitKind */

/** Below this folder's frames, a thread of the server's pool is in use. */
const SERVER = /^gunicorn\/workers\//;

/**
 * Outermost frames of threads that serve requests one at a time. Waitress and cheroot start all of theirs; those beside an
 * event loop start when they are needed (gthread has an executor of its own).
 * @type {[pool: ThreadPool, RegExp][]}
 */
const POOLS = [
  ['anyio', /^anyio\/_backends\/_asyncio\.py (?:WorkerThread\.)?run$/],
  ['executor', /^concurrent\/futures\/thread\.py _worker$/],
  ['waitress', /^waitress\/task\.py (?:.*\.)?handler_thread$/],
  ['cheroot', /^cheroot\/workers\/threadpool\.py (?:WorkerThread\.)?run$/],
];
/** @type {(ThreadPool | undefined)[]} */
const GROWING = ['anyio', 'executor'];
const GTHREAD = /^gunicorn\/workers\/gthread\.py$/;

/** A task of anyio begins: what waits for it is not what it waits for. */
const TASK =
  /^anyio\/(?:_core\/_tasks|_backends\/_asyncio)\.py (?:.*\.)?(?:_run_coro|_run_wrapped_task)$/;

/** What starts an event loop is no task of it. */
const LOOP = /^(?:asyncio|uvloop|trio)\/\S+ (?:.*\.)?run(?:_forever|_until_complete)?$/;

/** Such a function of the application prepares a connection that others use. */
const OPENER = /(?:^|\.)(?:__init__|__a?enter__|_*(?:re|\w+_)?(?:connect|connection|login|open))$/;
/** What it waits for meanwhile. @type {(string | null)[]} */
const OF_CONNECTIONS = ['external-call', 'database', null];

/** Serves one request at a time. */
const SYNC = /^gunicorn\/workers\/sync\.py$/;

/** A function that opens a connection in each request. @typedef {{function: string | null, file: string | null}} Opener */

/**
 * @typedef {object} WaitClasses
 * @property {Uint8Array} request per node: 1 inside a request
 * @property {Uint8Array} suspended per node: 1 for what a request awaits that is on no thread's stack
 * @property {Uint8Array} slot per node: 1 below a frame of a gunicorn worker
 * @property {(ThreadPool | undefined)[]} inPool per node: the pool of its thread, if that is not gunicorn's
 * @property {boolean} grows such a pool starts threads when they are needed, so their number is no limit
 * @property {boolean} isSync a sync worker of gunicorn serves requests
 * @property {(node: number) => WaitKind | null} kindOf null where no rule says that its innermost frame waits
 * @property {(node: number) => string} keyOf equal for the same innermost frame of the same kind, across profiles too
 * @property {(node: number) => Omit<WaitPlace, 'share'> | null} placeOf the innermost frame of the application, and what
 *   it calls
 * @property {(node: number) => Omit<WaitPlace, 'share'> | null} taskOf the same of its own threads and tasks that serve no
 *   request
 */

/**
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {Pick<import('../../../run/facts/rules.d.ts').Classification, 'request' | 'identities' | 'isCore' | 'passthrough'>} classes of it
 * @param {import('../../../run/facts/rules.d.ts').Rules} rules
 * @param {Opener[]} [openers]
 * @returns {WaitClasses}
 */
export function classifyWaits(profile, classes, rules, openers = []) {
  const { nodes, frames } = profile;
  const { request, identities, isCore, passthrough } = classes;
  const rulesOf = identities.map(identity => rules.waits.filter(rule => rule.matches(identity)));
  const count = nodes.frame.length;
  /** per node */
  const ruleOf = new Int16Array(count).fill(-1);
  /** per node: 1 + index of its rule */
  const claim = new Uint8Array(count);
  const slot = markBelow(nodes, node =>
    SERVER.test(identities[nodes.frame[node] ?? -1]?.path ?? ''),
  );
  const suspended = new Uint8Array(count);
  const place = new Int32Array(count).fill(-1);
  /** per node: the frame that its place calls */
  const callee = new Int32Array(count).fill(-1);
  const idle = new Uint8Array(count);
  /** @type {(ThreadPool | undefined)[]} */
  const inPool = new Array(count);
  let grows = false;
  const hasGthread = identities.some(({ path }) => GTHREAD.test(path));
  for (let node = 0; node < count; node++) {
    const parent = nodes.parent[node] ?? -1;
    const frame = nodes.frame[node] ?? 0;
    const identity = identities[frame];
    const before = parent < 0 ? 0 : (claim[parent] ?? 0);
    // The application's own frames start over: their waits are not those of their caller.
    const isOwn = identity?.origin === 'user';
    const name = `${identity?.path} ${identity?.qualified}`;
    const held = isOwn || TASK.test(name) ? 0 : before;
    const above = identities[nodes.frame[parent] ?? -1];
    const rule = rulesOf[frame]?.find(({ below }) => !below || (above && below(above)));
    const found = rule ? rules.waits.indexOf(rule) : -1;
    ruleOf[node] = found;
    const takes =
      found >= 0 &&
      (held === 0 || (rules.waits[found]?.rank ?? 0) >= (rules.waits[held - 1]?.rank ?? 0));
    claim[node] = takes ? found + 1 : held;
    suspended[node] = parent < 0 ? Number(identity?.path === AWAIT_FILE) : (suspended[parent] ?? 0);
    const pool = POOLS.find(
      ([of, root]) => root.test(name) && !(hasGthread && of === 'executor'),
    )?.[0];
    grows ||= GROWING.includes(pool);
    inPool[node] = pool ?? inPool[parent];
    idle[node] = pool || (idle[parent] && identity?.origin === 'standard') ? 1 : 0;
    // What the framework waits for is no wait of a middleware around it.
    const isOutside = parent < 0 || (!request[parent] && LOOP.test(name)) || isCore[node] === 1;
    const caller = passthrough[parent] === OVERRIDE ? (nodes.parent[parent] ?? -1) : parent;
    place[node] = isOwn ? frame : isOutside ? -1 : (place[caller] ?? -1);
    const outer = isOwn || parent < 0 ? -1 : (callee[parent] ?? -1);
    callee[node] = outer < 0 && !isOwn ? frame : outer;
  }
  const inside = request.map((own, node) => (idle[node] ? 0 : own));
  const opening = markOpening(profile, request, place, openers);
  const of = { ruleOf, claim, suspended, place, callee, opening, inside };
  return {
    request: inside,
    suspended,
    slot,
    inPool,
    grows,
    isSync: identities.some(({ path }) => SYNC.test(path)),
    ...createNodeReaders({ nodes, frames }, rules, of),
  };
}

/**
 * Where functions of the application open connections for others of it.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {Uint8Array} request per node @param {Int32Array} place per node: the application's innermost frame
 * @param {Opener[]} openers
 * @returns {Int32Array} per node: the frame of such a function, or −1
 */
function markOpening({ nodes, frames }, request, place, openers) {
  const opens = frames.map(({ name, file }) => {
    return OPENER.test(name) && openers.some(own => own.function === name && own.file === file);
  });
  const opening = new Int32Array(nodes.frame.length).fill(-1);
  for (let node = 0; node < opening.length; node++) {
    const [frame, parent] = [nodes.frame[node] ?? 0, nodes.parent[node] ?? -1];
    const isOpener = opens[frame] && request[node] && (place[parent] ?? -1) >= 0;
    opening[node] = isOpener ? frame : (opening[parent] ?? -1);
  }
  return opening;
}

/**
 * @param {Pick<import('../../stacks/profile.d.ts').Profile, 'nodes' | 'frames'>} profile
 * @param {import('../../../run/facts/rules.d.ts').Rules} rules
 * @param {{ruleOf: Int16Array, claim: Uint8Array, suspended: Uint8Array, place: Int32Array, callee: Int32Array, opening: Int32Array, inside: Uint8Array}} of per node
 * @returns {Pick<WaitClasses, 'kindOf' | 'keyOf' | 'placeOf' | 'taskOf'>}
 */
function createNodeReaders({ nodes, frames }, rules, of) {
  const { ruleOf, claim, suspended, place, callee, opening, inside } = of;
  // Work deep inside a call to a database or a service is no wait for it: building a TLS context.
  const kindOf = (/** @type {number} */ node) => {
    const kind = rules.waits[(claim[node] ?? 0) - 1]?.kind ?? 'other';
    return kind === 'other' || ((ruleOf[node] ?? -1) < 0 && !suspended[node]) ? null : kind;
  };
  const placeOf = (/** @type {number} */ node) => {
    const isOpening = OF_CONNECTIONS.includes(kindOf(node)) && (opening[node] ?? -1) >= 0;
    const frame = frames[(isOpening ? opening : place)[node] ?? -1];
    if (!frame) return null;
    const { name, file, line } = frame;
    const opens = /** @type {const} */ ('connect');
    if (isOpening) return { function: name, file, line, call: null, as: opens };
    const call = frames[callee[node] ?? -1]?.name ?? null;
    // The application's own coroutine awaits a future itself: another task or greenlet completes it.
    const isOfTask = suspended[node] === 1 && place[node] === nodes.frame[node];
    const as = isOfTask ? 'task' : kindOf(node) && rules.waits[(claim[node] ?? 0) - 1]?.as;
    return { function: name, file, line, call, as: as ?? null };
  };
  return {
    kindOf,
    keyOf: node => {
      const frame = frames[nodes.frame[node] ?? -1];
      return [suspended[node], kindOf(node), frame?.name, frame?.file, frame?.line].join('\n');
    },
    placeOf,
    taskOf: node => {
      const own = inside[node] || suspended[node] ? null : placeOf(node);
      // A script that starts the server waits in it.
      return own?.function === '<module>' ? null : own;
    },
  };
}
