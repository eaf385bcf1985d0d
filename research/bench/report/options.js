/** The flags of `node scripts/run.js research/bench-report.js`. */
import { parseArgs } from 'node:util';
import { choose } from '../../choose.js';
import { parseCount, splitNames } from '../options.js';

export const HELP = `node scripts/run.js research/bench-report.js [flags]

  --only <part,…>    hour, growth, demo; all without it
  --rounds <n>       how often the hour's report is built (3)
  --keep <folder>    where the runs are made, and stay; a folder that is removed without it
  --help

hour: an hour of load and 2,000,000 samples with 50,000 stacks on 8 workers; time, memory, size of the
page, first paint and selections in Chromium. growth: the same with one thing more at a time.
demo: the size of the report that npm start makes. It needs about 3 GB of disk, and Chromium.
Exit code 1 when a limit is not kept.`;

const PARTS = ['hour', 'growth', 'demo'];

/**
 * @param {string[]} args
 * @returns {{parts: string[], rounds: number, keep: string | null, help: boolean}}
 * @throws {Error} on a flag, number or name that is not known
 */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      keep: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, keep = null, help } = values;
  const parts = choose(PARTS, splitNames(only));
  return { parts, rounds: parseCount('--rounds', values.rounds, 3), keep, help };
}
