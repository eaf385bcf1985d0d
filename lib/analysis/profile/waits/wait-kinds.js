/** What a stack waits for, if anything, by the rules in `lib/hotpath/rules/waits.yaml`. */
import { AWAIT_FILE } from '../../../profile/markers.js';

/** @typedef {import('../../../facts/rules.d.ts').WaitKind} WaitKind */

/** Below this folder's frames, a thread of the server's pool is in use. */
const SERVER = /^gunicorn\/workers\//;

/** Outermost frames of threads that serve requests one at a time: of waitress's and cheroot's pools, which start all. */
const POOL =
  /^(?:waitress\/task\.py (?:.*\.)?handler_thread|cheroot\/workers\/threadpool\.py (?:WorkerThread\.)?run)$/;

/** Threads beside an event loop that start when they are needed: of anyio, and of an executor; gthread has its own. */
const GROWING =
  /^(?:anyio\/_backends\/_asyncio\.py (?:WorkerThread\.)?run|concurrent\/futures\/thread\.py _worker)$/;
const GTHREAD = /^gunicorn\/workers\/gthread\.py$/;

/** A task of anyio begins: what waits for it is not what it waits for. */
const TASK =
  /^anyio\/(?:_core\/_tasks|_backends\/_asyncio)\.py (?:.*\.)?(?:_run_coro|_run_wrapped_task)$/;

/** Serves one request at a time. */
const SYNC = /^gunicorn\/workers\/sync\.py$/;

/**
 * @typedef {object} WaitClasses
 * @property {Uint8Array} request per node: 1 inside a request
 * @property {Uint8Array} suspended per node: 1 for what a request awaits that is on no thread's stack
 * @property {Uint8Array} slot per node: 1 below a frame of a gunicorn worker
 * @property {Uint8Array} inPool per node: 1 in a thread of a pool other than gunicorn's: anyio's, waitress's, cheroot's, an executor
 * @property {boolean} grows such a pool starts threads when they are needed, so their number is no limit
 * @property {boolean} isSync a sync worker of gunicorn serves requests
 * @property {(node: number) => WaitKind | null} kindOf null where no rule says that its innermost frame waits
 * @property {(node: number) => string} keyOf equal for the same innermost frame of the same kind, across profiles too
 * @property {(node: number) => {function: string, file: string, line: number | null} | null} placeOf the innermost
 *   frame of the application
 */

/**
 * @param {import('../../../profile/profile.d.ts').Profile} profile
 * @param {Pick<import('../../../facts/rules.d.ts').Classification, 'request' | 'identities'>} classes of it
 * @param {import('../../../facts/rules.d.ts').Rules} rules
 * @returns {WaitClasses}
 */
export function classifyWaits({ nodes, frames }, { request, identities }, rules) {
  const rulesOf = identities.map(identity => rules.waits.filter(rule => rule.matches(identity)));
  const count = nodes.frame.length;
  /** per node */
  const ruleOf = new Int16Array(count).fill(-1);
  /** per node: 1 + index of its rule */
  const claim = new Uint8Array(count);
  const slot = new Uint8Array(count);
  const suspended = new Uint8Array(count);
  const place = new Int32Array(count).fill(-1);
  const idle = new Uint8Array(count);
  const inPool = new Uint8Array(count);
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
    const isGrowing = !hasGthread && GROWING.test(name);
    const isPool = isGrowing || POOL.test(name);
    grows ||= isGrowing;
    inPool[node] = isPool || inPool[parent] ? 1 : 0;
    slot[node] = slot[parent] || SERVER.test(identity?.path ?? '') ? 1 : 0;
    idle[node] = isPool || (idle[parent] && identity?.origin === 'standard') ? 1 : 0;
    place[node] = isOwn ? frame : parent < 0 ? -1 : (place[parent] ?? -1);
  }
  // Work deep inside a call to a database or a service is no wait for it: building a TLS context.
  const kindOf = (/** @type {number} */ node) => {
    const kind = rules.waits[(claim[node] ?? 0) - 1]?.kind ?? 'other';
    return kind === 'other' || ((ruleOf[node] ?? -1) < 0 && !suspended[node]) ? null : kind;
  };
  return {
    request: request.map((inside, node) => (idle[node] ? 0 : inside)),
    suspended,
    slot,
    inPool,
    grows,
    isSync: identities.some(({ path }) => SYNC.test(path)),
    kindOf,
    keyOf: node => {
      const frame = frames[nodes.frame[node] ?? -1];
      return [suspended[node], kindOf(node), frame?.name, frame?.file, frame?.line].join('\n');
    },
    placeOf: node => {
      const frame = frames[place[node] ?? -1];
      return frame ? { function: frame.name, file: frame.file, line: frame.line } : null;
    },
  };
}
