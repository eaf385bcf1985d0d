/** CPU by middleware: code around all views, each part without what it calls further in. */
import { entryOf } from '../../base/files/maps.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { markBelow } from '../stacks/node-table.js';
import { isDispatcher } from './costs/find-views.js';

/** @import { Classification, FrameIdentity } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { Owners } from './packages.js' */

/** Starts what is further in as a task, and so ends the stack of a middleware. */
const CALL_NEXT = /^starlette\/middleware\/base\.py .*call_next$/;
const MIDDLEWARE = /middleware/i;
const NONE = -1;

/** Where the stack of a wrapper leads: to a view, or to the start of a task for what is further in. */
const ENDS = [
  isDispatcher,
  (/** @type {FrameIdentity} */ { path, qualified }) => CALL_NEXT.test(`${path} ${qualified}`),
];
/**
 * A profiler that does not stop the process reads a torn stack now and then, in which a function seems to call what it never
 * calls (1 of 671 samples of one). The least part that is no such thing: of the function's own samples, of those that lead on.
 */
const LEAST_OWN = 0.01;
const LEAST_LEADING = 0.02;
/** A class that works for views, and closes something after each request, is no wrapper. */
const LEAST_HOOKED = 0.1;

/**
 * A wrapper calls the framework's dispatcher in some samples of requests, directly or through others: a class or function
 * of the application, or a module of a package. What a module of the core calls itself on that way is a hook, and a wrapper
 * too, if it is not defined in one. A sample belongs to the innermost wrapper on its stack. Those inside of a router are not
 * distinguished from views.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {Float64Array} weights samples that end at each node
 * @returns {{packages: (Owners['packages'][number] & {file: string})[], ofNode: Owners['ofNode']}} `file`: '' of a module; the
 *   last one: samples of none
 */
export function findWrappers({ nodes, frames }, classes, weights) {
  const { identities, isCore } = classes;
  const count = nodes.frame.length;
  const parentOf = (/** @type {number} */ node) => nodes.parent[node] ?? NONE;
  const identityOf = (/** @type {number} */ node) => identities[nodes.frame[node] ?? NONE];
  const { seen, seenAt, samples } = seeFunctions(nodes, classes, weights);
  /** @type {ReturnType<typeof findWrappers>['packages']} */
  const packages = [];
  /** index into `packages`, or NONE for the core @type {Map<string, number>} */
  const known = new Map();
  const add = (/** @type {string} */ key, /** @type {number} */ node) => {
    const identity = identityOf(node);
    if (!identity) return;
    const { file } = frames[nodes.frame[node] ?? 0] ?? { file: '' };
    const name = scopeOf(identity.qualified).replaceAll('<locals>.', '');
    if (identity.origin === 'user')
      known.set(key, packages.push({ name, file, kind: 'application' }) - 1);
    // Modules of the core call middlewares, and are none.
    else if (isCompanion(identity) || (isCore[node] && !MIDDLEWARE.test(identity.path)))
      known.set(key, NONE);
    else known.set(key, packages.push({ name: identity.path, file: '', kind: 'library' }) - 1);
  };
  for (const [key, { node, leads }] of seen) if (leads) add(key, node);
  for (const [node, own] of seenAt.entries()) {
    const [identity, above] = [identityOf(node), identityOf(parentOf(node))];
    // A task that a view starts is the companion's to step, and no hook of a framework.
    const isPackage = above?.origin === 'installed' && !isCompanion(above);
    const at = isPackage ? known.get(above.path) : undefined;
    // a base class of the framework for middlewares is one itself, and calls them
    const isOfCore = at === NONE || (at !== undefined && isCore[parentOf(node)]);
    if (!own || !identity || !isOfCore) continue;
    if (identity.origin === 'user' || MIDDLEWARE.test(identity.path))
      own.hooked += samples[node] ?? 0;
  }
  const hooks = [...seen].filter(([, own]) => own.hooked > LEAST_HOOKED * own.samples);
  // what a wrapper defines belongs to it
  for (const [key, { node, keys }] of hooks.sort(([, a], [, b]) => a.keys.length - b.keys.length))
    if (!keys.some(one => known.has(one))) add(key, node);
  const ofFrame = identities.map(identity => {
    if (isDispatcher(identity)) return NONE;
    return keysOf(identity).flatMap(key => known.get(key) ?? [])[0];
  });
  const none = packages.push({ name: '', file: '', kind: 'python' }) - 1;
  const ofNode = new Int32Array(count).fill(none);
  for (let node = 0; node < count; node++) {
    const own = ofFrame[nodes.frame[node] ?? NONE] ?? ofNode[parentOf(node)] ?? none;
    ofNode[node] = own === NONE ? none : own;
  }
  return { packages, ofNode };
}

/**
 * Functions of requests outside of views, each by its outermost key. `leads`: it leads to a view; `hooked`: none yet.
 * @typedef {{node: number, keys: string[], samples: number, leads: boolean, hooked: number}} Seen
 * @param {Profile['nodes']} nodes
 * @param {Classification} classes
 * @param {Float64Array} weights samples that end at each node
 * @returns {{seen: Map<string, Seen>, seenAt: (Seen | null)[], samples: Float64Array}} of each node: its function, and samples
 *   with all below it
 */
function seeFunctions(nodes, { identities, request }, weights) {
  const dispatches = identities.map(isDispatcher);
  const ways = ENDS.map(isEnd => sumWays(nodes, identities.map(isEnd), weights));
  const samples = ways[0]?.samples ?? weights;
  /** @type {Map<string, Seen & {leading: number[]}>} */
  const seen = new Map();
  const isAfter = markBelow(nodes, node => dispatches[nodes.frame[node] ?? NONE]);
  const seenAt = Array.from(samples, (own, node) => {
    const identity = identities[nodes.frame[node] ?? NONE];
    const isCode = identity?.origin === 'user' || identity?.origin === 'installed';
    if (!isCode || !request[node]) return null;
    const keys = keysOf(identity);
    const sums = { samples: 0, leads: false, hooked: 0, leading: ENDS.map(() => 0) };
    const known = entryOf(seen, keys[0] ?? '', () => ({ node: NONE, keys, ...sums }));
    known.samples += own; // also those in views
    if (isAfter[nodes.parent[node] ?? NONE]) return null;
    known.node = Math.max(known.node, node);
    known.leading = known.leading.map((sum, way) => sum + (ways[way]?.leading[node] ?? 0));
    return known;
  });
  for (const known of seen.values())
    known.leads = known.leading.some(
      (own, way) => own > LEAST_OWN * known.samples && own > LEAST_LEADING * (ways[way]?.all ?? 0),
    );
  return { seen, seenAt, samples };
}

/**
 * @param {Profile['nodes']} nodes
 * @param {boolean[]} isEnd per frame
 * @param {Float64Array} weights samples that end at each node
 * @returns {{samples: Float64Array, leading: Float64Array, all: number}} samples of each node with all below it, those of them
 *   that such a frame below it is in, and all that such a frame is in
 */
function sumWays({ parent, frame }, isEnd, weights) {
  const samples = Float64Array.from(weights);
  const leading = new Float64Array(samples.length);
  let all = 0;
  for (let node = samples.length - 1; node >= 0; node--) {
    const above = parent[node] ?? NONE;
    const own = samples[node] ?? 0;
    const passing = isEnd[frame[node] ?? NONE] ? own : (leading[node] ?? 0);
    if (above < 0) all += passing;
    samples[above] = (samples[above] ?? 0) + own;
    leading[above] = (leading[above] ?? 0) + passing;
  }
  return { samples, leading, all };
}

/** A method's class, else the function: `Timing`, `create_app.<locals>.timing`. @param {string} qualified */
const scopeOf = qualified => qualified.replace(/(?<!<locals>)\.[^.]+$/, '');

/**
 * What code can belong to, the innermost first: its class or function, then those around it; of a package its module.
 * @param {FrameIdentity} identity @returns {string[]}
 */
function keysOf({ path, origin, qualified }) {
  if (origin !== 'user') return [path];
  const all = qualified.split('.<locals>.');
  return all.map((_, n) => `${path} ${scopeOf(all.slice(0, all.length - n).join('.<locals>.'))}`);
}
