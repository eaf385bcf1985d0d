/** Counts the samples of a selection: pure, and fast enough to follow the pointer. */

/** @import { SampleCounts, Samples, Selection } from '../../run/facts/sample-table.d.ts' */

/** Categories in which the application's innermost frame only passes calls on: a middleware, a server's settings. */
export const NOT_OF_A_VIEW = [
  'framework',
  'observability',
  'server',
  'import',
  'startup',
  'dev-tools',
];

/**
 * @param {Samples} samples
 * @param {Selection} [selection] everything if nothing is selected
 * @returns {SampleCounts}
 */
export function selectSamples(samples, selection = {}) {
  const { table, windowCount, stacks, rows } = samples;
  const workerCount = table.workers.length;
  const { from, to } = selection.windows ?? { from: 0, to: windowCount };
  const workerPicked = pickOf(selection.workers, workerCount);
  const passes = passStacks(samples, selection);
  const counts = emptyCounts(samples, selection);
  for (let window = 0; window < windowCount; window++) {
    const inside = window >= from && window < to;
    for (let worker = 0; worker < workerCount; worker++) {
      if (!workerPicked[worker]) continue;
      const group = window * workerCount + worker;
      const end = rows.start[group + 1] ?? 0;
      for (let row = rows.start[group] ?? 0; row < end; row++) {
        const stack = rows.stack[row] ?? 0;
        const pass = passes[stack] ?? 0;
        if (pass === 0) continue;
        const count = rows.count[row] ?? 0;
        if (inside) counts.base += count;
        if (pass === 1) continue;
        const at = (stacks.category[stack] ?? 0) * windowCount + window;
        counts.categoryWindows[at] = (counts.categoryWindows[at] ?? 0) + count;
        if (!inside) continue;
        counts.stacks[stack] = (counts.stacks[stack] ?? 0) + count;
        counts.total += count;
      }
    }
  }
  sumOverStacks(samples, counts);
  sumOverTree(samples, counts);
  return counts;
}

/**
 * Which frames contain a text, ignoring case.
 * @param {{function: string, file: string}[]} frames @param {string} text
 */
export function matchFrames(frames, text) {
  const wanted = text.toLowerCase();
  return frames.map(({ function: name, file }) => `${name} ${file}`.toLowerCase().includes(wanted));
}

/**
 * The result of a search: nodes whose function or file contains the text, and all their descendants.
 * @param {Samples} samples
 * @param {string} text
 * @returns {{own: Uint8Array, inside: Uint8Array}} per node 1 or 0; `inside` also includes
 *   the matching nodes themselves
 */
export function matchNodes({ table, tree }, text) {
  const matching = matchFrames(table.frames, text);
  const own = new Uint8Array(tree.frame.length);
  const inside = new Uint8Array(tree.frame.length);
  for (let node = 1; node < own.length; node++) {
    if (matching[tree.frame[node] ?? -1]) {
      own[node] = 1;
      inside[node] = 1;
    } else inside[node] = inside[tree.parent[node] ?? 0] ?? 0;
  }
  return { own, inside };
}

/**
 * Samples of a selection that pass through a search result, each counted once.
 * @param {SampleCounts} counts
 * @param {Uint8Array} inside of `matchNodes`
 */
export function countMatched({ self }, inside) {
  let matched = 0;
  for (let node = 0; node < self.length; node++) if (inside[node]) matched += self[node] ?? 0;
  return matched;
}

/** @param {number[] | undefined} picked @param {number} length @returns {Uint8Array} 1: selected */
function pickOf(picked, length) {
  const pick = new Uint8Array(length).fill(picked ? 0 : 1);
  for (const index of picked ?? []) if (index >= 0 && index < length) pick[index] = 1;
  return pick;
}

/**
 * @param {Samples} samples
 * @param {Selection} selection
 * @returns {Uint8Array} per stack: 0: not selected, 1: excluded by the search only, 2: selected
 */
function passStacks(samples, { endpoints, categories, search }) {
  const { table, stacks } = samples;
  const endpointPicked = pickOf(endpoints, table.endpoints.length);
  const categoryPicked = pickOf(categories, table.categories.length);
  const inside = search?.text ? matchNodes(samples, search.text).inside : null;
  const wanted = search?.without ? 0 : 1;
  const passes = new Uint8Array(stacks.node.length);
  for (let stack = 0; stack < passes.length; stack++) {
    const endpoint = stacks.endpoint[stack] ?? -1;
    const endpointCounts = endpoint < 0 ? !endpoints : endpointPicked[endpoint];
    if (!endpointCounts || !categoryPicked[stacks.category[stack] ?? 0]) continue;
    passes[stack] = inside && inside[stacks.node[stack] ?? 0] !== wanted ? 1 : 2;
  }
  return passes;
}

/** @param {Samples} samples @param {Selection} selection @returns {SampleCounts} */
function emptyCounts({ table, windowCount, tree, stacks }, selection) {
  return {
    selection,
    total: 0,
    base: 0,
    stacks: new Float64Array(stacks.node.length),
    self: new Float64Array(tree.parent.length),
    totals: new Float64Array(tree.parent.length),
    paths: new Float64Array(table.paths.length),
    packages: new Float64Array(table.packages?.names.length ?? 1),
    causes: new Float64Array(table.causes.length),
    endpoints: new Float64Array(table.endpoints.length),
    unattributed: 0,
    categories: new Float64Array(table.categories.length),
    categoryWindows: new Float64Array(table.categories.length * windowCount),
    endpointCategories: new Float64Array(table.endpoints.length * table.categories.length),
  };
}

/** @param {Samples} samples @param {SampleCounts} counts */
function sumOverStacks({ table, tree, stacks }, counts) {
  const categoryCount = table.categories.length;
  for (let stack = 0; stack < counts.stacks.length; stack++) {
    const count = counts.stacks[stack] ?? 0;
    if (count === 0) continue;
    const category = stacks.category[stack] ?? 0;
    const endpoint = stacks.endpoint[stack] ?? -1;
    addAt(counts.self, stacks.node[stack] ?? 0, count);
    addAt(counts.paths, stacks.path[stack] ?? 0, count);
    addAt(counts.packages, tree.package[stacks.node[stack] ?? 0] ?? 0, count);
    addAt(counts.categories, category, count);
    if (endpoint < 0) counts.unattributed += count;
    else {
      addAt(counts.endpoints, endpoint, count);
      addAt(counts.endpointCategories, endpoint * categoryCount + category, count);
    }
    const bits = stacks.causes[stack] ?? 0;
    for (let cause = 0; bits >>> cause; cause++)
      if ((bits >>> cause) & 1) addAt(counts.causes, cause, count);
  }
}

/** @param {Samples} samples @param {SampleCounts} counts */
function sumOverTree({ tree }, { self, totals }) {
  totals.set(self);
  for (let node = totals.length - 1; node > 0; node--)
    addAt(totals, tree.parent[node] ?? 0, totals[node] ?? 0);
}

/** @param {{[index: number]: number}} sums a list @param {number} index @param {number} amount */
export function addAt(sums, index, amount) {
  sums[index] = (sums[index] ?? 0) + amount;
}

/** Minimum share of a node's samples in one category to give the node its colour. */
const PURE_SHARE = 0.9;

/**
 * The category of nearly all samples of a node; −1 for the trunk, through which everything passes, and for nodes
 * without samples.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @returns {Int16Array} per node: index into the table's categories
 */
export function categorizeNodes({ table, tree, stacks }, { stacks: stackCounts, totals }) {
  const width = table.categories.length;
  const sums = new Float64Array(totals.length * width);
  for (let stack = 0; stack < stackCounts.length; stack++) {
    const at = (stacks.node[stack] ?? 0) * width + (stacks.category[stack] ?? 0);
    sums[at] = (sums[at] ?? 0) + (stackCounts[stack] ?? 0);
  }
  const categories = new Int16Array(totals.length).fill(-1);
  for (let node = totals.length - 1; node >= 0; node--) {
    const total = totals[node] ?? 0;
    if (total === 0) continue;
    const above = node === 0 ? -1 : (tree.parent[node] ?? 0);
    for (let category = 0; category < width; category++) {
      const own = sums[node * width + category] ?? 0;
      if (own === 0) continue;
      if (own >= PURE_SHARE * total) categories[node] = category;
      if (above >= 0) sums[above * width + category] = (sums[above * width + category] ?? 0) + own;
    }
  }
  return categories;
}
