/** @import { SampleCounts, Samples } from '../../run/facts/sample-table.d.ts' */

/**
 * A selection as a speedscope file: one profile, in which every stack is one sample weighted with its count (in
 * seconds, if the rate is known).
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @param {{name: string, rateHz: number | null}} about
 * @returns {object} plain JSON, valid against speedscope's file-format-schema.json
 */
export function speedscopeOf({ table, tree, stacks }, counts, { name, rateHz }) {
  const line = new Int32Array(table.frames.length);
  const most = new Float64Array(table.frames.length);
  for (let node = 1; node < counts.totals.length; node++) {
    const frame = tree.frame[node] ?? 0;
    const total = counts.totals[node] ?? 0;
    if (total <= (most[frame] ?? 0)) continue;
    most[frame] = total;
    line[frame] = tree.line[node] ?? 0;
  }
  const perSample = rateHz ? 1 / rateHz : 1;
  /** @type {number[][]} */
  const chains = [];
  /** @type {number[]} */
  const weights = [];
  for (let stack = 0; stack < counts.stacks.length; stack++) {
    const count = counts.stacks[stack] ?? 0;
    if (count === 0) continue;
    const chain = [];
    for (let node = stacks.node[stack] ?? 0; node > 0; node = tree.parent[node] ?? 0)
      chain.unshift(tree.frame[node] ?? 0);
    chains.push(chain);
    weights.push(count * perSample);
  }
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'loadflame',
    activeProfileIndex: 0,
    shared: {
      frames: table.frames.map(({ function: own, file }, frame) => ({
        name: own,
        ...(file === '' ? {} : { file }),
        ...(line[frame] ? { line: line[frame] } : {}),
      })),
    },
    profiles: [
      {
        type: 'sampled',
        name,
        unit: rateHz ? 'seconds' : 'none',
        startValue: 0,
        endValue: weights.reduce((sum, weight) => sum + weight, 0),
        samples: chains,
        weights,
      },
    ],
  };
}
