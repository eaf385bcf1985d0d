/** Gives each tool its turn, in another order each round, so that no tool has the quiet minutes. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { rotate } from './statistics.js';

/**
 * @param {import('./bench.d.ts').Work} work
 * @param {readonly import('./bench.d.ts').Tool[]} tools
 * @param {object} options
 * @param {number} options.rounds
 * @param {number | null} [options.seconds]
 * @param {boolean} options.quick
 * @param {import('./cores.js').Cores} options.cores
 * @param {string} options.folder for whatever tools and servers write
 * @param {(line: string) => void} options.say
 * @returns {Promise<{results: import('./bench.d.ts').ToolResult[], failed: number}>} `rounds` of
 *   a result has null where the tool failed; what it can't do is no failure and not in the results
 */
export async function runRounds(work, tools, { rounds, folder, say, ...setting }) {
  const able = work.tools.flatMap(name => tools.filter(tool => tool.name === name));
  /** @type {Map<string, (import('./bench.d.ts').Figures | null)[]>} */
  const figures = new Map(able.map(({ name }) => [name, []]));
  let failed = 0;
  for (let round = 0; round < rounds; round++) {
    for (const tool of rotate(able, round)) {
      const dir = path.join(folder, work.name, String(round), tool.name.replace(/\W+/g, '-'));
      mkdirSync(dir, { recursive: true });
      const title = `  ${round + 1}/${rounds}  ${tool.name}`;
      try {
        const measured = await work.measure(tool, { ...setting, dir });
        if (!measured) {
          figures.delete(tool.name);
          continue;
        }
        figures.get(tool.name)?.push(measured);
        say(`${title.padEnd(40)} ${describe(work, measured)}`);
      } catch (error) {
        failed += 1;
        figures.get(tool.name)?.push(null);
        say(`${title.padEnd(40)} failed: ${/** @type {Error} */ (error).message}`);
      }
    }
  }
  return { results: [...figures].map(([tool, rounds]) => ({ tool, rounds })), failed };
}

/** @param {import('./bench.d.ts').Work} work @param {import('./bench.d.ts').Figures} figures */
function describe({ columns }, figures) {
  return columns
    .filter(({ key }) => Number.isFinite(figures[key]))
    .map(({ key, title, digits = 0 }) => `${figures[key]?.toFixed(digits)} ${title}`)
    .join(' · ');
}
