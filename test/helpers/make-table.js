/** Sample tables with a shape that is asked for, the same at every run. */

/** @typedef {import('../../lib/run/facts/sample-table.d.ts').TableInput} TableInput */

/** A generator of numbers in 0…1: mulberry32. @param {number} seed */
export function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const COLORS = ['#b8412f', '#2f6fb8', '#6a9a3a', '#8a5fb0', '#c98a1b', '#3a9a94', '#777777'];

/**
 * A random call tree with random rows on it.
 * @param {{nodes: number, stacks: number, rows: number, samples: number, windows: number, workers: number,
 *   endpoints: number, frames: number, seed?: number}} size
 * @returns {TableInput}
 */
export function makeTableInput(size) {
  const random = makeRandom(size.seed ?? 1);
  /** @param {number} limit */
  const below = limit => Math.floor(random() * limit);
  const parent = new Int32Array(size.nodes);
  const frame = new Int32Array(size.nodes);
  const line = new Int32Array(size.nodes);
  const depth = new Int32Array(size.nodes);
  for (let node = 1; node < size.nodes; node++) {
    // recent nodes are likely parents, so that the tree is as deep as those of web frameworks
    const back = 1 + Math.floor(random() ** 6 * Math.min(node, 4000));
    const above = Math.max(0, node - back);
    parent[node] = (depth[above] ?? 0) > 80 ? 0 : above;
    depth[node] = (depth[parent[node] ?? 0] ?? 0) + 1;
    frame[node] = below(size.frames);
    line[node] = 1 + below(900);
  }
  const paths = Array.from({ length: 40 }, (_, index) => ({
    category: index % COLORS.length,
    function: `entry_${index}`,
    file: `api/module_${index % 9}.py`,
    line: index + 1,
  }));
  const stacks = {
    node: Int32Array.from({ length: size.stacks }, () => below(size.nodes)),
    path: Int32Array.from({ length: size.stacks }, () => below(paths.length)),
    endpoint: Int32Array.from({ length: size.stacks }, () => below(size.endpoints + 1) - 1),
    causes: Int32Array.from({ length: size.stacks }, () => (random() < 0.8 ? 0 : below(8))),
  };
  const rows = {
    window: new Int32Array(size.rows),
    worker: new Int32Array(size.rows),
    stack: new Int32Array(size.rows),
    count: new Float64Array(size.rows),
  };
  const extra = size.samples - size.rows;
  for (let row = 0; row < size.rows; row++) {
    rows.window[row] = below(size.windows);
    rows.worker[row] = below(size.workers);
    rows.stack[row] = Math.floor(random() ** 2 * size.stacks);
    rows.count[row] =
      1 + Math.floor((extra * (row + 1)) / size.rows) - Math.floor((extra * row) / size.rows);
  }
  return {
    edgesMs: Array.from({ length: size.windows + 1 }, (_, index) => 1e12 + index * 15_000),
    workers: Array.from({ length: size.workers }, (_, index) => 100 + index),
    endpoints: Array.from({ length: size.endpoints }, (_, index) => `GET /api/${index}/`),
    categories: COLORS.map((color, index) => ({
      id: `c${index}`,
      label: `category ${index}`,
      color,
    })),
    paths,
    causes: ['cause-a', 'cause-b', 'cause-c'],
    designEffect: 1.5,
    frames: Array.from({ length: size.frames }, (_, index) => ({
      function: `function_${index}`,
      file: `package_${index % 50}/module_${index % 700}.py`,
    })),
    tree: { parent, frame, line },
    stacks,
    rows,
  };
}
