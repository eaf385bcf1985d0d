/** The flags of `node scripts/run.js research/bench-load.js`. */
import { parseArgs } from 'node:util';

export const HELP = `node scripts/run.js research/bench-load.js [flags]

  --only <name,…>    works, and tools if any is named; all of both without it
  --rounds <n>       how often each tool is measured (3)
  --seconds <n>      how long a load of a rate lasts (paced, latency, stall) instead of what its table
                     says: many short rounds, of which a stall of the machine spoils a few
  --quick            a minute: this engine against Artillery's, and exit code 1 when it is less
                     ahead than it should be
  --help

The goals beside the floor, each with one command:
  users: N against a loop   --only "closed-loop,loadflame,loadflame (users: N),floor"
                            (its columns are memory at the peak and start-up, too)
  150 requests/s            --only paced,loadflame,floor
  p99 at a true 20 ms       --only latency,loadflame,floor --seconds 10 --rounds 15

Works: closed-loop, ten-gets, one-get, https, https-one-get, workers, paced, latency, stall, sockets-idle, sockets-emit
Tools: loadflame, "loadflame (users: N)", "loadflame on 2 workers" (4, 8), artillery, "loadflame --engine artillery", locust,
       autocannon, wrk, floor`;

const QUICK_WORKS = ['closed-loop', 'ten-gets', 'one-get'];
const QUICK_TOOLS = ['loadflame', 'artillery'];

/**
 * @param {string[]} args
 * @param {{works: readonly {name: string}[], tools: readonly {name: string}[]}} known
 * @returns {{works: string[], tools: string[], rounds: number,
 *   seconds: number | null, quick: boolean, help: boolean}}
 * @throws {Error} on a flag, number or name that is not known
 */
export function parseOptions(args, known) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, quick, help } = values;
  const works = known.works.map(({ name }) => name);
  const tools = known.tools.map(({ name }) => name);
  const wanted = splitNames(only);
  const unknown = wanted.find(name => !works.includes(name) && !tools.includes(name));
  if (unknown) throw new Error(`--only does not know "${unknown}"; see --help`);
  const pick = (/** @type {string[]} */ all, /** @type {string[]} */ otherwise) => {
    const named = all.filter(name => wanted.includes(name));
    return named.length > 0 ? named : otherwise;
  };
  return {
    works: pick(works, quick ? QUICK_WORKS : works),
    tools: pick(tools, quick ? QUICK_TOOLS : tools),
    rounds: parseCount('--rounds', values.rounds, quick ? 1 : 3),
    seconds: values.seconds === undefined ? null : parseCount('--seconds', values.seconds, 1),
    quick,
    help,
  };
}

/** @param {string | undefined} list */
export function splitNames(list = '') {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(Boolean);
}

/** @param {string} flag @param {string | undefined} text @param {number} otherwise */
export function parseCount(flag, text, otherwise) {
  if (text === undefined) return otherwise;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${flag} ${text}: a whole number above 0`);
  return count;
}
