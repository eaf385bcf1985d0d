import { formatSpeedscope } from './write-speedscope.js';

/** @import { SampleCounts, Samples } from '../../run/facts/sample-table.d.ts' */

/**
 * A selection as a speedscope file.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 * @param {{name: string, rateHz: number | null}} about
 * @returns {string} JSON, valid against speedscope's file-format-schema.json
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
  // Node 0 is the root, which is no frame.
  const outside = (/** @type {number} */ node) => node || -1;
  const rows = { node: stacks.node.map(outside), weight: counts.stacks };
  const selection = {
    ...{ rateHz, rows, processes: [] },
    frames: table.frames.map(({ function: own, file }, frame) => {
      return { name: own, file, line: line[frame] || null };
    }),
    nodes: { parent: tree.parent.map(outside), frame: tree.frame },
  };
  return [...formatSpeedscope(selection, { name })].join('');
}
