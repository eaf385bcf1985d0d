/** `--same-work`: after the load, the companion compares calls of the most expensive functions. */
import { analyseFolder } from '../analysis/analyse-folder.js';
import { listHeavy } from '../analysis/judge/findings/same-work.js';
import { openJournal } from '../run/ndjson.js';
import { runOnce } from './run-once.js';

/** @import { RunFiles } from '../run/run-folder.js' */

/** Of each scenario, within the time that the start of a generator on a busy machine leaves. */
const MOST_TIMES = 200;
const MOST_MS = 15_000;
const MOST_FUNCTIONS = 20;
/** What a header can carry. */
const NAME = /^[\w./+<>-]{1,100}$/;

/**
 * Repeats the script's scenarios, one user after the other, and writes what was counted to `load/plans.ndjson`.
 * @param {RunFiles} files of the run that has ended
 * @param {Omit<Parameters<typeof runOnce>[0], 'say'> & {onNote: (line: string) => void}} run
 * @throws {Error} nothing was compared
 */
export async function compareCalls(files, { onNote, ...run }) {
  const rulesFile = run.config.get('RULES_FILE');
  const { report } = await analyseFolder(files.folder, { rulesFile });
  const functions = listHeavy(report.profile)
    .filter(own => NAME.test(own.file) && NAME.test(own.function))
    .map(own => [own.file, own.function]);
  if (functions.length === 0) throw new Error('no function of a Python file has 5 % of the CPU');
  const { requests } = await runOnce({
    ...run,
    say: { onNote },
    times: MOST_TIMES,
    asks: JSON.stringify(functions.slice(0, MOST_FUNCTIONS)),
    signal: AbortSignal.any([run.signal, AbortSignal.timeout(MOST_MS)]),
  });
  const { same: lines } = requests.findLast(({ same }) => same) ?? {};
  if (!lines) throw new Error('no response has a report of the companion on it');
  openJournal(files.plans).append('same-work', { requests: requests.length, lines });
}
