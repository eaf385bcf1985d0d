/** CPU by middleware: code around all views, each part without what it calls further in. */
import { entryOf } from '../../base/files/maps.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { isDispatcher } from './costs/find-views.js';

/** @import { Classification, FrameIdentity } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { Owners } from './packages.js' */

/** Starts what is further in as a task, and so ends the stack of a middleware. */
const CALL_NEXT = /^starlette\/middleware\/base\.py .*call_next$/;
const MIDDLEWARE = /middleware/i;
/** Modules of these categories call middlewares, and are none. */
const CORE = new Set(['server', 'framework']);
const NONE = -1;

/**
 * A wrapper calls the framework's dispatcher in some samples of requests, directly or through others: a class or function
 * of the application, or a module of a package. What a module of the core calls itself on that way is a hook, and a wrapper
 * too. A sample belongs to the innermost wrapper on its stack. Those inside of a router are not distinguished from views.
 * @param {Profile} profile
 * @param {Classification} classes
 * @returns {{packages: (Owners['packages'][number] & {file: string})[], ofNode: Owners['ofNode']}} `file`: '' of a module; the
 *   last one: samples of none
 */
export function findWrappers({ nodes, frames }, { identities, request, category, categories }) {
  const count = nodes.frame.length;
  const parentOf = (/** @type {number} */ node) => nodes.parent[node] ?? NONE;
  const identityOf = (/** @type {number} */ node) => identities[nodes.frame[node] ?? NONE];
  const dispatches = identities.map(isDispatcher);
  const leads = new Uint8Array(count);
  for (let node = count - 1; node >= 0; node--) {
    const { path, qualified } = identityOf(node) ?? { path: '', qualified: '' };
    const isEnd = dispatches[nodes.frame[node] ?? NONE] || CALL_NEXT.test(`${path} ${qualified}`);
    if ((isEnd || leads[node]) && parentOf(node) >= 0) leads[parentOf(node)] = 1;
  }
  /** @type {ReturnType<typeof findWrappers>['packages']} */
  const packages = [];
  /** index into `packages`, or NONE for the core @type {Map<string, number>} */
  const known = new Map();
  const add = (/** @type {number} */ node) => {
    const identity = identityOf(node);
    if (!identity || !request[node] || !/^(?:user|installed)$/.test(identity.origin)) return;
    const { file } = frames[nodes.frame[node] ?? 0] ?? { file: '' };
    entryOf(known, keysOf(identity)[0] ?? '', () => {
      const name = scopeOf(identity.qualified).replaceAll('<locals>.', '');
      if (identity.origin === 'user') return packages.push({ name, file, kind: 'application' }) - 1;
      const isCore = CORE.has(categories[category[node] ?? NONE]?.id ?? '');
      if (isCompanion(identity) || (isCore && !MIDDLEWARE.test(identity.path))) return NONE;
      return packages.push({ name: identity.path, file: '', kind: 'library' }) - 1;
    });
  };
  const isInside = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    const parent = parentOf(node);
    isInside[node] = isInside[parent] || dispatches[nodes.frame[parent] ?? NONE] ? 1 : 0;
    if (leads[node] && !isInside[node]) add(node);
  }
  for (let node = 0; node < count; node++) {
    const [identity, above] = [identityOf(node), identityOf(parentOf(node))];
    const isHook = identity?.origin === 'user' || MIDDLEWARE.test(identity?.path ?? '');
    if (isHook && !isInside[node] && above?.origin === 'installed')
      if (known.get(above.path) === NONE) add(node);
  }
  const ofFrame = identities.map((identity, frame) => {
    if (dispatches[frame]) return NONE;
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

/** A method's class, else the function: `Timing`, `create_app.<locals>.timing`. @param {string} qualified */
const scopeOf = qualified => qualified.replace(/(?<!<locals>)\.[^.]+$/, '');

/**
 * What code can belong to, the innermost first: its class or function, then those around it; of a package its module.
 * @param {FrameIdentity} identity @returns {string[]}
 */
function keysOf({ path, origin, qualified }) {
  if (origin !== 'user') return [path];
  const parts = qualified.split('.<locals>.');
  return parts.map(
    (_, end) => `${path} ${scopeOf(parts.slice(0, parts.length - end).join('.<locals>.'))}`,
  );
}
