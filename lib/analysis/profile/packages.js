/** CPU by package: whose code a sample is in, whether or not a rule knows it. */
import { entryOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { packageOf } from '../hotpath/identify-frame.js';
import { OWN_FILE } from '../stacks/profile-builder.js';
import { NATIVE_FILE } from './native-threads.js';
import { costOf } from './profile-costs.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { PackageKind, PackageShare } from '../../run/facts/profile-report.d.ts' */
/** @import { Classification, FrameIdentity } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { ProfileBase } from './profile-base.js' */

const COMPANION = /^loadflame_/;
/** Modules with which a package for observability follows all threads. */
const AROUND_THREADS =
  /(?:sentry_sdk|opentelemetry|ddtrace|newrelic|elasticapm)\/.*\b(?:threading|futures)\b/;

/**
 * @typedef {object} Owners
 * @property {{name: string, kind: PackageKind}[]} packages the last one: stacks without any code of the others
 * @property {Int32Array} ofNode per node of the profile, an index into `packages`
 */

/**
 * The owner of a sample is the package of its innermost frame. The standard library and C code belong to their caller.
 * A thread that a package for observability starts is its own, with all that it calls, until it serves requests. What
 * the companion and such a package call around the work of every thread starts none.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {ReadonlySet<string>} observing packages for observability
 * @returns {Owners}
 */
export function findOwners({ nodes, frames }, classes, observing) {
  const { identities, request, category, categories } = classes;
  /** @type {Owners['packages']} */
  const packages = [];
  /** @type {Map<string, number>} */
  const known = new Map();
  const packageOf = frames.map((_, frame) => {
    const own = ownerOf(identities[frame], observing);
    return own ? entryOf(known, `${own.kind} ${own.name}`, () => packages.push(own) - 1) : -1;
  });
  const none = packages.push({ name: 'Python', kind: 'python' }) - 1;
  const server = categories.findIndex(({ id }) => id === 'server');
  const count = nodes.frame.length;
  const ofNode = new Int32Array(count).fill(none);
  const isWhole = new Uint8Array(count);
  /** Of the frames up to a thread's own work. */
  const isStart = new Uint8Array(count);
  for (let node = 0; node < count; node++) {
    const parent = nodes.parent[node] ?? -1;
    const frame = nodes.frame[node] ?? 0;
    const own = packageOf[frame] ?? -1;
    const { origin = '', path = '' } = identities[frame] ?? {};
    const isServer = category[node] === server && category[parent] !== server;
    const isBegun = (request[node] ?? 0) > (request[parent] ?? 0);
    const isServing = isBegun || isServer || origin === 'user';
    const { kind } = packages[own] ?? {};
    const isAround = own < 0 || kind === 'companion' || AROUND_THREADS.test(path);
    const isOfStart = isStart[parent] !== 0;
    if (isOfStart && isAround) isStart[node] = 1;
    const isOwn = isOfStart && !isAround && kind === 'observability';
    isWhole[node] = isOwn || (isWhole[parent] && !isServing) ? 1 : 0;
    ofNode[node] = own < 0 || (isWhole[parent] && isWhole[node]) ? (ofNode[parent] ?? none) : own;
  }
  return { packages, ofNode };
}

/**
 * @param {FrameIdentity | undefined} identity
 * @param {ReadonlySet<string>} observing
 * @returns {Owners['packages'][number] | null} null: its caller's
 */
function ownerOf(identity, observing) {
  if (identity?.path === OWN_FILE) return { name: 'loadflame_companion', kind: 'companion' };
  if (identity?.path === NATIVE_FILE) return { name: 'native threads', kind: 'library' };
  if (identity?.origin === 'user') return { name: 'the application', kind: 'application' };
  const name = identity?.origin === 'installed' ? packageOf(identity) : '';
  if (name === '') return null;
  if (COMPANION.test(name)) return { name, kind: 'companion' };
  return { name, kind: observing.has(name) ? 'observability' : 'library' };
}

/**
 * @template {Owners['packages'][number]} Own
 * @param {{packages: Own[], ofNode: Int32Array}} owners
 * @param {ProfileBase} base
 * @param {{estimate: (byBlock: Float64Array) => Estimate, perRequest: Estimate | null}} context
 * @returns {(Own & PackageShare)[]} largest first; all samples of the base
 */
export function sumPackages({ packages, ofNode }, base, { estimate, perRequest }) {
  const none = packages.length - 1;
  const byBlock = packages.map(() => new Float64Array(base.blockTotals.length));
  base.forEachRow((node, weight, block) => {
    const blocks = byBlock[ofNode[node] ?? none];
    if (blocks) blocks[block] = (blocks[block] ?? 0) + weight;
  });
  return packages
    .map((own, index) => {
      const blocks = byBlock[index] ?? new Float64Array();
      const share = estimate(blocks);
      return { ...own, samples: sum(blocks), share, cpuMsPerRequest: costOf(perRequest, share) };
    })
    .filter(own => own.samples > 0)
    .sort((a, b) => b.samples - a.samples);
}
