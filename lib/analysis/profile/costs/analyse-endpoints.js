/** From the base of a profile to its sample table and costs per endpoint, counted in one pass. */

import { MAX_CAUSES } from '../../sample-table/pack.js';
import { nameFunction } from '../path-tables.js';
import { buildSampleTable } from '../table/build-table.js';
import { createPieces } from '../table/deal-out.js';
import { tallySamples } from '../table/tally.js';
import { attributeSamples } from './attribute.js';
import { buildCosts } from './build-costs.js';
import { findViews, isHandOver } from './find-views.js';

/** @import { CauseAt } from './attribution.d.ts' */

/**
 * @param {object} input
 * @param {import('../../stacks/profile.d.ts').Profile} input.profile
 * @param {import('../../../run/facts/rules.d.ts').Classification} input.classes
 * @param {import('../profile-base.js').ProfileBase} input.base
 * @param {import('../table/merge-tree.js').MergedTree} input.tree
 * @param {{function: string, file: string, inThread?: boolean}[]} input.functions
 * @param {ReturnType<typeof import('../path-tables.js').countPaths>} input.counted
 * @param {import('../../../run/facts/profile-report.d.ts').ProfileReport['categories']} input.categories
 * @param {import('../packages.js').Owners} input.owners
 * @param {string[]} input.causes ids
 * @param {number} input.designEffect
 * @param {ReturnType<typeof import('../../../base/math/bootstrap.js').createShareEstimator>} input.estimator
 * @param {number | null} input.cpuMs of the workers
 * @param {number} input.idleShare of it: used even without requests
 * @param {import('../../read/load/build-grid.js').Grid | null} input.grid
 * @param {import('../../load/load-rates.d.ts').CostLoad | null} input.load
 * @param {import('./attribute.js').ViewRoute[]} input.viewRoutes
 * @returns {{table: import('../../../run/facts/sample-table.d.ts').SampleTable,
 *   costs: import('../../../run/facts/costs.d.ts').EndpointCosts | null, causesAt: Map<string, CauseAt[]>}} `causesAt`: by id
 */
export function analyseEndpoints(input) {
  const { profile, classes, base, tree, functions, counted, grid } = input;
  const pieces = createPieces(profile, base, grid);
  const originOf = (/** @type {number} */ node) => tree.origin[node] ?? 0;
  const routed = new Set(input.viewRoutes.map(nameFunction));
  const { viewOf, asideOf } = findViews(tree, {
    isRouted: node => {
      const own = functions[tree.function[node] ?? -1];
      return own !== undefined && routed.has(nameFunction(own));
    },
    identityOf: node => classes.identities[profile.nodes.frame[originOf(node)] ?? -1] ?? null,
    isBusiness: node =>
      classes.categories[classes.category[originOf(node)] ?? -1]?.id === 'business',
    isPassthrough: node => classes.passthrough[originOf(node)] === 1,
    lineOf: node =>
      profile.frames[profile.nodes.frame[profile.nodes.parent[originOf(node)] ?? -1] ?? -1]?.line ??
      0,
  });
  const attribution = attributeSamples({ ...input, viewOf });
  const causes = input.causes.slice(0, MAX_CAUSES);
  const { workers, workerOfProcess } = listWorkers(profile, base);
  const tally = tallySamples({
    profile,
    base,
    pieces,
    tree,
    viewOf,
    asideOf,
    attribution,
    pathOfNode: counted.ofNode,
    rootlessPath: counted.rootless,
    causesOf: createCauseBits(classes, causes),
    categoryOf: path => counted.paths[path]?.category ?? 0,
    categoryCount: classes.categories.length,
    workerOfProcess,
  });
  const marked = [...functions];
  for (const view of new Set(viewOf))
    for (let node = tree.parent[view] ?? -1; node > 0; node = tree.parent[node] ?? -1) {
      const identity = classes.identities[profile.nodes.frame[originOf(node)] ?? -1];
      const [id, own] = [tree.function[view] ?? -1, functions[tree.function[view] ?? -1]];
      if (identity && own && isHandOver(identity)) marked[id] = { ...own, inThread: true };
    }
  const { costs, order } = buildCosts({ ...input, functions: marked, attribution, tally });
  const endpoints = costs?.endpoints.map(({ name }) => name) ?? [];
  const table = buildSampleTable({ ...input, tally, causes, workers, order, endpoints });
  return { table, costs, causesAt: locateCauses(causes, tally, order, costs) };
}

/**
 * @param {string[]} causes ids
 * @param {import('../table/tally.js').Tally} tally
 * @param {number[]} order owners, in the order of the rows of `costs`
 * @param {import('../../../run/facts/costs.d.ts').EndpointCosts | null} costs
 * @returns {Map<string, CauseAt[]>} most samples first
 */
function locateCauses(causes, { stacks, rows }, order, costs) {
  const counts = causes.map(() => new Float64Array(order.length));
  const placeOf = new Map(order.map((owner, place) => [owner, place]));
  rows.stack.forEach((stack, row) => {
    const place = placeOf.get(stacks.endpoint[stack] ?? -1);
    const bits = stacks.causes[stack] ?? 0;
    if (place === undefined || bits === 0) return;
    for (const [at, own] of counts.entries())
      if (bits & (1 << at)) own[place] = (own[place] ?? 0) + (rows.count[row] ?? 0);
  });
  return new Map(
    causes.map((id, at) => {
      const found = (costs?.endpoints ?? []).map((endpoint, place) => ({
        endpoint,
        samples: counts[at]?.[place] ?? 0,
      }));
      return [id, found.filter(one => one.samples > 0).sort((a, b) => b.samples - a.samples)];
    }),
  );
}

/**
 * @param {import('../../../run/facts/rules.d.ts').Classification} classes
 * @param {string[]} ids
 * @returns {(node: number) => number} bits of a node of the profile
 */
function createCauseBits({ causeSets, causeSet }, ids) {
  const bits = causeSets.map(set =>
    set.reduce((own, { cause }) => {
      const at = ids.indexOf(cause.id);
      return at < 0 ? own : own | (1 << at);
    }, 0),
  );
  return node => bits[causeSet[node] ?? 0] ?? 0;
}

/**
 * Workers are identified by their pids; −1 stands for rows without a process.
 * @param {import('../../stacks/profile.d.ts').Profile} profile
 * @param {import('../profile-base.js').ProfileBase} base
 */
function listWorkers({ processes }, { byPid, samples }) {
  const pids = [...byPid.keys()].sort((a, b) => a - b);
  const knownSamples = [...byPid.values()].reduce((sum, own) => sum + own, 0);
  const workers = knownSamples < samples.active || pids.length === 0 ? [-1, ...pids] : pids;
  const workerOfProcess = [...processes.map(({ pid }) => pid), -1].map(pid => workers.indexOf(pid));
  return { workers, workerOfProcess };
}
