/** CPU by package: whose code a sample is in, whether or not a rule knows it. */
import { entryOf } from '../../base/files/maps.js';
import { packageOf } from '../hotpath/identify-frame.js';
import { NATIVE_FILE } from './native-threads.js';
import { costOf } from './profile-costs.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { PackageKind, PackageShare } from '../../run/facts/profile-report.d.ts' */
/** @import { Classification, FrameIdentity } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */
/** @import { ProfileBase } from './profile-base.js' */

const COMPANION = /^loadflame_/;

/**
 * @typedef {object} Owners
 * @property {{name: string, kind: PackageKind}[]} packages the last one: stacks without any code of the others
 * @property {Int32Array} ofNode per node of the profile, an index into `packages`
 */

/**
 * The owner of a sample is the package of its innermost frame. The standard library and C code belong to their caller.
 * A thread that a package for observability starts is its own, with all that it calls, until it serves requests.
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
  for (let node = 0; node < count; node++) {
    const parent = nodes.parent[node] ?? -1;
    const frame = nodes.frame[node] ?? 0;
    const above = ofNode[parent] ?? none;
    const own = packageOf[frame] ?? -1;
    const isServing =
      request[node] === 1 || category[node] === server || identities[frame]?.origin === 'user';
    if (isWhole[parent] && !isServing) {
      ofNode[node] = above;
      isWhole[node] = 1;
    } else {
      ofNode[node] = own < 0 ? above : own;
      if (above === none && packages[own]?.kind === 'observability') isWhole[node] = 1;
    }
  }
  return { packages, ofNode };
}

/**
 * @param {FrameIdentity | undefined} identity
 * @param {ReadonlySet<string>} observing
 * @returns {Owners['packages'][number] | null} null: its caller's
 */
function ownerOf(identity, observing) {
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
  const samples = new Float64Array(packages.length);
  base.forEachRow((node, weight, block) => {
    const own = ofNode[node] ?? none;
    const blocks = byBlock[own];
    samples[own] = (samples[own] ?? 0) + weight;
    if (blocks) blocks[block] = (blocks[block] ?? 0) + weight;
  });
  return packages
    .map((own, index) => {
      const share = estimate(byBlock[index] ?? new Float64Array());
      const cpuMsPerRequest = costOf(perRequest, share);
      return { ...own, samples: samples[index] ?? 0, share, cpuMsPerRequest };
    })
    .filter(own => own.samples > 0)
    .sort((a, b) => b.samples - a.samples);
}
