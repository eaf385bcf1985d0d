/** Which boxes of a flamegraph differ between two sides, per request, by more than their noise. */

import { categorizeNodes, selectSamples } from '../../analysis/sample-table/select.js';
import { unpackSampleTable } from '../../analysis/sample-table/unpack.js';
import { entryOf } from '../../base/files/maps.js';
import { normalCdf, studentTwoSidedP } from '../../base/math/distributions.js';
import { adjustForMany } from '../../base/math/multiple-testing.js';
import { mean, standardError, sum } from '../../base/math/summary.js';

/** @import { SampleCounts, Samples, SampleTable } from '../../run/facts/sample-table.d.ts' */
/** @import { DifferentialFlame } from '../../run/facts/compare-report.d.ts' */

// boxes narrower than this on both sides are invisible, and count towards their callers
const MIN_SHARE = 0.0005;
/** At most this part of the coloured boxes is coloured by chance. */
const FALSE_CALLS = 0.05;
/**
 * Boxes with fewer samples on both sides together can hardly differ by more than their noise, whichever side has them, and
 * would only make the others harder to find: independent filtering (R. Bourgon, R. Gentleman, W. Huber, PNAS 107, 2010).
 */
const MIN_SAMPLES = 10;
// How much a function's cost differs between equal runs (standard deviation), if a single run per side
// gives no way to measure it. This is an assumption: with it, about a third is the least difference that
// gets a colour. Quiet machines do better, busy ones worse.
const ASSUMED_SPREAD = 0.1;

// the companion wraps the API in runs that have it: its frames are skipped, so that what it
// calls is at the same place in runs without it
const OWN_FILE = /(?:^|\/)loadflame_(?:companion|gunicorn)\.py$/;

/**
 * @typedef {object} SideRun
 * @property {SampleTable} table
 * @property {number | null} cpuMsPerRequest
 */

/**
 * @param {SideRun[]} before runs of the side, at least one
 * @param {SideRun[]} after
 * @returns {Promise<DifferentialFlame | null>} null when a side has no samples
 */
export async function buildDifferentialFlame(before, after) {
  const used = [before, after].map(side => side.filter(({ table }) => table.totalSamples > 0));
  const [first = [], second = []] = used;
  if (first.length === 0 || second.length === 0) return null;
  const all = [...first, ...second];
  const runs = await Promise.all(
    all.map(async ({ table }) => {
      const samples = await unpackSampleTable(table);
      return { samples, counts: selectSamples(samples) };
    }),
  );
  const merged = mergeTrees(runs);
  const perRequest = all.every(({ cpuMsPerRequest }) => cpuMsPerRequest !== null);
  const kept = keepVisible(merged.parent, merged.totals);
  const measured = all.map(({ table, cpuMsPerRequest }, run) => ({
    totals: Float64Array.from(kept, node => merged.totals[run]?.[node] ?? 0),
    samples: table.totalSamples,
    designEffect: Math.max(1, table.designEffect),
    cost: perRequest ? (cpuMsPerRequest ?? 0) : 1,
  }));
  const sides = [measured.slice(0, first.length), measured.slice(first.length)];
  const boxes = kept.map((_, node) => {
    const [was, is] = sides.map(side => estimateNode(side, node));
    return /** @type {{was: NodeEstimate, is: NodeEstimate}} */ ({ was, is });
  });
  const tested = boxes.filter(({ was, is }) => was.samples + is.samples >= MIN_SAMPLES);
  const ps = adjustForMany(tested.map(chanceOf));
  const differing = new Set(tested.filter((_, box) => (ps[box] ?? 1) < FALSE_CALLS));
  const renumbered = new Map(kept.map((node, index) => [node, index]));
  const frameIds = [...new Set(kept.map(node => merged.frame[node] ?? -1))].filter(id => id >= 0);
  const frameIndex = new Map(frameIds.map((id, index) => [id, index]));
  return {
    unit: perRequest ? 'ms' : 'share',
    frames: frameIds.flatMap(id => merged.frames[id] ?? []),
    categories: merged.categories,
    frame: kept.map(node => frameIndex.get(merged.frame[node] ?? -1) ?? -1),
    parent: kept.map(node => renumbered.get(merged.parent[node] ?? -1) ?? -1),
    category: kept.map(node => merged.category[node] ?? -1),
    before: boxes.map(({ was }) => was.mean),
    after: boxes.map(({ is }) => is.mean),
    differs: boxes.map(box => (differing.has(box) ? 1 : 0)),
  };
}

/** The root, and every node that is wide enough in some run. @param {number[]} parent @param {Float64Array[]} totals */
function keepVisible(parent, totals) {
  return parent
    .map((_, node) => node)
    .filter(
      node =>
        node === 0 ||
        totals.some(own => (own[node] ?? 0) >= Math.max(1, MIN_SHARE * (own[0] ?? 0))),
    );
}

/**
 * @typedef {object} NodeEstimate
 * @property {number} samples in all runs
 * @property {number} mean
 * @property {number} variance of the mean
 * @property {number} degrees degrees of freedom of the variance; Infinity for one run
 */

/**
 * The mean over runs with its variance: from the spread between the runs, but never below that of independent samples.
 * For one run: from its samples, with their design effect. Samples of one run are correlated, and between runs that is
 * part of the spread: there, the design effect (widened for few blocks) would count it twice. The variance of samples
 * is p(1 − p)/n with one more sample in it and one more outside than were counted
 * (A. Agresti, B. Caffo, "Simple and effective confidence intervals for proportions and differences of
 * proportions", The American Statistician 54, 2000).
 * @param {{totals: Float64Array, samples: number, designEffect: number, cost: number}[]} runs
 * @param {number} node
 * @returns {NodeEstimate}
 */
function estimateNode(runs, node) {
  const values = runs.map(({ totals, samples, cost }) => ((totals[node] ?? 0) / samples) * cost);
  const found = { samples: sum(runs.map(({ totals }) => totals[node] ?? 0)), mean: mean(values) };
  const sampling =
    runs.reduce((sum, { totals, samples, cost, ...run }) => {
      const effect = runs.length === 1 ? run.designEffect : 1;
      const n = samples / effect + 2;
      const p = ((totals[node] ?? 0) / effect + 1) / n;
      return sum + (cost ** 2 * p * (1 - p)) / n;
    }, 0) /
    runs.length ** 2;
  const assumed = (found.mean * ASSUMED_SPREAD) ** 2;
  if (runs.length === 1) return { ...found, variance: sampling + assumed, degrees: Infinity };
  const degrees = runs.length - 1;
  const between = standardError(values) ** 2;
  // the spread of a few runs may be small by luck, so the degrees of freedom are always theirs
  return { ...found, variance: Math.max(between, sampling), degrees };
}

/**
 * How often chance alone gives a difference this large: Student's t, with the degrees of freedom of
 * B. Welch ("The generalization of 'Student's' problem", Biometrika 34, 1947). The noise of a machine makes costs a
 * factor larger or smaller, so their logarithms are compared where both sides have samples enough for one.
 * @param {{was: NodeEstimate, is: NodeEstimate}} box
 */
function chanceOf({ was, is }) {
  const hasLogs = Math.min(was.samples, is.samples) >= MIN_SAMPLES && was.mean * is.mean > 0;
  const [a, b] = hasLogs ? [toLog(was), toLog(is)] : [was, is];
  const variance = a.variance + b.variance;
  if (variance === 0) return 1;
  const t = Math.abs(b.mean - a.mean) / Math.sqrt(variance);
  const degrees = variance ** 2 / (a.variance ** 2 / a.degrees + b.variance ** 2 / b.degrees);
  return Number.isFinite(degrees) ? studentTwoSidedP(t, degrees) : 2 * (1 - normalCdf(t));
}

/** The logarithm of an estimate, by the delta method. @param {NodeEstimate} estimate @returns {NodeEstimate} */
function toLog({ mean, variance, ...rest }) {
  return { ...rest, mean: Math.log(mean), variance: variance / mean ** 2 };
}

/**
 * Nodes with the same functions on their way from the root become one, whatever their lines.
 * @param {{samples: Samples, counts: SampleCounts}[]} runs
 * @returns {{
 *   frames: {function: string, file: string}[],
 *   categories: {id: string, label: string, color: string}[],
 *   parent: number[], frame: number[], category: number[],
 *   totals: Float64Array[],
 * }} parents before children, node 0 is the root; `totals`: per run, per node; `category` is from the run
 *   with most samples there
 */
function mergeTrees(runs) {
  /** @type {{function: string, file: string}[]} */
  const frames = [];
  /** @type {Map<string, number>} */
  const frameIds = new Map();
  /** @type {{id: string, label: string, color: string}[]} */
  const categories = [];
  const parent = [-1];
  const frame = [-1];
  const category = [-1];
  /** most samples of any run at the node */
  const most = [0];
  /** @type {Map<number, number>[]} per node: frame → child */
  const children = [new Map()];
  const places = runs.map(({ samples, counts }) => {
    const { table, tree } = samples;
    const frameOf = table.frames.map(own => {
      const key = `${own.function}\0${own.file}`;
      return entryOf(frameIds, key, () => frames.push(own) - 1);
    });
    const categoryOf = table.categories.map(own => {
      const known = categories.findIndex(({ id }) => id === own.id);
      return known >= 0 ? known : categories.push(own) - 1;
    });
    const groups = categorizeNodes(samples, counts);
    const place = new Int32Array(tree.parent.length).fill(-1);
    const lookedThrough = new Uint8Array(tree.parent.length);
    place[0] = 0;
    for (let node = 0; node < place.length; node++) {
      const total = counts.totals[node] ?? 0;
      if (total === 0) continue;
      const above = node === 0 ? 0 : (place[tree.parent[node] ?? 0] ?? 0);
      const frameId = tree.frame[node] ?? -1;
      const isOwn = node === 0 || OWN_FILE.test(table.frames[frameId]?.file ?? '');
      const at = isOwn ? above : findChild(above, frameOf[frameId] ?? 0);
      place[node] = at;
      if (node > 0 && isOwn) lookedThrough[node] = 1;
      if (total <= (most[at] ?? 0)) continue;
      most[at] = total;
      category[at] = categoryOf[groups[node] ?? -1] ?? -1;
    }
    return { place, lookedThrough };
  });

  /** @param {number} above @param {number} frameId */
  function findChild(above, frameId) {
    return entryOf(children[above] ?? new Map(), frameId, () => {
      frame.push(frameId);
      category.push(-1);
      most.push(0);
      children.push(new Map());
      return parent.push(above) - 1;
    });
  }

  const totals = runs.map(({ counts }, run) => {
    const own = new Float64Array(parent.length);
    const { place = [], lookedThrough = [] } = places[run] ?? {};
    for (const [node, at] of place.entries())
      if (at >= 0 && !lookedThrough[node]) own[at] = (own[at] ?? 0) + (counts.totals[node] ?? 0);
    return own;
  });
  return { frames, categories, parent, frame, category, totals };
}
