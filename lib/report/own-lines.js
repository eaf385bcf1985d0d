/** Which lines of the application the CPU time goes to, with the library code that they call. */
import { wilsonInterval } from '../math/intervals.js';
import { NOT_OF_A_VIEW, selectSamples } from '../sample-table/select.js';
import { unpackSampleTable } from '../sample-table/unpack.js';

/** @import { SampleTable } from '../facts/sample-table.d.ts' */
/** @import { OwnLine } from '../text/alerts.js' */

/**
 * A sample counts for the innermost function of the application on its stack, so that shares sum to 1 at most.
 * @param {SampleTable} table
 * @param {(file: string) => boolean} isOwn
 * @returns {Promise<OwnLine[]>} biggest first, with a share of all active samples; `line`: most of its samples
 */
export async function findOwnLines(table, isOwn) {
  const samples = await unpackSampleTable(table);
  const { tree, stacks } = samples;
  const counts = selectSamples(samples);
  const own = table.frames.map(({ file }) => isOwn(file));
  /** By frame. @type {Map<number, {samples: number, lines: Map<number, number>}>} */
  const found = new Map();
  for (const [stack, count] of counts.stacks.entries()) {
    const category = table.categories[stacks.category[stack] ?? -1]?.id ?? '';
    if (count === 0 || NOT_OF_A_VIEW.includes(category)) continue;
    let node = stacks.node[stack] ?? 0;
    while (node > 0 && !own[tree.frame[node] ?? -1]) node = tree.parent[node] ?? 0;
    if (node === 0) continue;
    const frame = tree.frame[node] ?? 0;
    const line = tree.line[node] ?? 0;
    const entry = found.get(frame) ?? { samples: 0, lines: new Map() };
    found.set(frame, entry);
    entry.samples += count;
    entry.lines.set(line, (entry.lines.get(line) ?? 0) + count);
  }
  const effect = Math.max(1, table.designEffect);
  return [...found]
    .sort(([, a], [, b]) => b.samples - a.samples)
    .map(([frame, { samples: count, lines }]) => ({
      function: table.frames[frame]?.function ?? '',
      file: table.frames[frame]?.file ?? '',
      line: [...lines].sort(([, a], [, b]) => b - a)[0]?.[0] || null,
      share: {
        value: count / counts.total,
        ...wilsonInterval(count / effect, counts.total / effect),
      },
    }));
}
