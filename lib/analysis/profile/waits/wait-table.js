/** Idle samples of request threads as a sample table: waits can be selected like running code. */
import { addTo } from '../../../base/files/maps.js';
import { packSampleTable } from '../../sample-table/pack.js';
import { attributeByRoute, attributeNodes, makeOwner } from '../costs/attribute.js';
import { mergeFunctions, nameFunction } from '../path-tables.js';
import { describeTree } from '../table/build-table.js';
import { createPieces } from '../table/deal-out.js';
import { mergeTree } from '../table/merge-tree.js';
import { tallySamples } from '../table/tally.js';

/** @typedef {import('../../stacks/profile.d.ts').Profile} Profile */
/** @typedef {import('../costs/attribution.d.ts').Attribution} Attribution */
/** @typedef {import('../../read/load/build-grid.js').Grid} Grid */

/**
 * @param {object} input
 * @param {Profile} input.looks samples of all threads
 * @param {number} input.rateHz
 * @param {import('./wait-kinds.js').WaitClasses} input.classes of `looks`
 * @param {import('../../../run/facts/rules.d.ts').Rules} input.rules
 * @param {ReturnType<typeof selectBusy>} input.busy of `looks`
 * @param {Map<number, number>} input.roundsOf segment → how often each worker was sampled in it
 * @param {Grid | null} input.grid
 * @param {import('../../load/load-rates.d.ts').LoadRates | null} input.rates
 * @param {import('../../../run/facts/costs.d.ts').EndpointCosts | null} input.costs
 * @returns {import('../../../run/facts/sample-table.d.ts').WaitTable}
 */
export function buildWaitTable(input) {
  const { looks, busy: base, classes, grid } = input;
  const { ofFrame, functions } = mergeFunctions(looks);
  const tree = mergeTree(looks, base, ofFrame);
  const kinds = listKinds(base.weights, classes);
  const attribution =
    looks.routes.length > 0
      ? attributeByRoute(looks, input.rates)
      : attributeByCosts(tree, functions, input.costs);
  const { stacks, rows } = tallySamples({
    profile: looks,
    base,
    pieces: createPieces(looks, base, grid),
    tree,
    viewOf: new Int32Array(),
    attribution,
    pathOfNode: Int32Array.from(base.weights, (_, node) =>
      kinds.indexOf(classes.kindOf(node) ?? 'other'),
    ),
    rootlessPath: kinds.length - 1,
    causesOf: () => 0,
    categoryOf: path => path,
    categoryCount: kinds.length,
    workerOfProcess: [...looks.processes.map(({ pid }) => pid), -1].map(pid =>
      base.workers.indexOf(pid),
    ),
  });
  return {
    ...packSampleTable({
      edgesMs: grid?.edgesMs ?? null,
      workers: base.workers,
      endpoints: attribution.owners.map(({ name }) => name),
      categories: kinds.flatMap(id => input.rules.waitKinds.get(id) ?? []),
      paths: kinds.map((_, category) => ({ category, function: '', file: '', line: null })),
      causes: [],
      designEffect: 1,
      ...describeTree(tree, functions),
      stacks,
      rows,
    }),
    rounds: spreadRounds(input.roundsOf, looks, grid),
    msPerRound: measureRound(input.roundsOf, looks.segments, input.rateHz),
    isTimed: looks.rows.halfSecond.some(halfSecond => halfSecond >= 0),
  };
}

/** @param {Profile} looks @param {Uint8Array} isRequest per node @param {number | null} masterPid */
export function selectBusy({ rows, nodes, processes }, isRequest, masterPid) {
  const pidOf = (/** @type {number} */ row) => processes[rows.process[row] ?? -1]?.pid ?? -1;
  const chosen = rows.node
    .map((_, row) => row)
    .filter(row => isRequest[rows.node[row] ?? -1] === 1 && pidOf(row) !== masterPid);
  const weights = new Float64Array(nodes.frame.length);
  /** @type {Set<number>} */
  const pids = new Set();
  for (const row of chosen) {
    const node = rows.node[row] ?? 0;
    weights[node] = (weights[node] ?? 0) + (rows.weight[row] ?? 0);
    pids.add(pidOf(row));
  }
  return {
    rows: chosen,
    rowWeights: Float64Array.from(chosen, row => rows.weight[row] ?? 0),
    weights,
    workers: [...pids].sort((a, b) => a - b),
    blocks: new Uint16Array(chosen.length),
    blockTotals: new Float64Array(1),
  };
}

/** Kinds of waits, most first; the last one stands for places that no rule names. @param {Float64Array} weights per node @param {import('./wait-kinds.js').WaitClasses} classes */
function listKinds(weights, { kindOf }) {
  /** @type {Map<import('../../../run/facts/rules.d.ts').WaitKind, number>} */
  const byKind = new Map();
  for (const [node, weight] of weights.entries()) {
    const kind = weight > 0 && kindOf(node);
    if (kind) addTo(byKind, kind, weight);
  }
  const ids = [...byKind].sort(([, a], [, b]) => b - a).map(([id]) => id);
  return [...ids, /** @type {const} */ ('other')];
}

/**
 * Without the companion, a sample belongs to the endpoint that the profile assigned its view to; to none where several
 * share the view.
 * @param {import('../table/merge-tree.js').MergedTree} tree
 * @param {{function: string, file: string}[]} functions
 * @param {import('../../../run/facts/costs.d.ts').EndpointCosts | null} costs
 * @returns {Attribution}
 */
function attributeByCosts(tree, functions, costs) {
  /** @type {Map<string, number>} */
  const ownerOfView = new Map();
  const endpoints = costs?.endpoints ?? [];
  for (const [endpoint, { views }] of endpoints.entries())
    for (const key of views.map(nameFunction))
      ownerOfView.set(key, ownerOfView.has(key) ? -1 : endpoint);
  const names = functions.map(nameFunction);
  const owner = new Int32Array(tree.parent.length).fill(-1);
  for (let node = 1; node < owner.length; node++) {
    const above = owner[tree.parent[node] ?? 0] ?? -1;
    const own = ownerOfView.get(names[tree.function[node] ?? -1] ?? '') ?? -1;
    owner[node] = above < 0 ? own : above;
  }
  const owners = endpoints.map(({ name, loadEndpoint }) => makeOwner(loadEndpoint ?? name, -1));
  return attributeNodes(costs?.basis ?? 'view', owners, node => owner[node] ?? -1);
}

/** @param {Map<number, number>} roundsOf @param {Profile} looks @param {Grid | null} grid @returns {number[]} per window */
function spreadRounds(roundsOf, { rows, ...looks }, grid) {
  const segment = Int32Array.from(roundsOf.keys());
  const ofSegments = { ...looks, rows: { ...rows, segment, halfSecond: new Float64Array() } };
  const rowWeights = Float64Array.from(roundsOf.values());
  const base = { rows: segment.map((_, index) => index), rowWeights };
  const rounds = new Array(grid ? grid.edgesMs.length - 1 : 1).fill(0);
  const pieces = createPieces(ofSegments, base, grid);
  pieces((_, window, count) => {
    rounds[window] += count;
  });
  return rounds;
}

/**
 * The time that a round stands for. A file without a recorded end has no length.
 * @param {Map<number, number>} roundsOf
 * @param {Profile['segments']} segments
 * @param {number} rateHz
 */
function measureRound(roundsOf, segments, rateHz) {
  let [lengthMs, rounds] = [0, 0];
  for (const [segment, own] of roundsOf) {
    const { startMs, endMs } = segments[segment] ?? {};
    if (!startMs || !endMs || endMs - startMs <= 1) continue;
    lengthMs += endMs - startMs;
    rounds += own;
  }
  return rounds > 0 ? lengthMs / rounds : 1000 / rateHz;
}
