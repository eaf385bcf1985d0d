/** `loadflame test --find`: searches, prints the result and writes it. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../files/replace-file.js';
import { runFind } from '../find/run-find.js';
import { printMarkdown } from '../report/print/markdown.js';
import { printTerminal } from '../report/print/terminal.js';
import { createStampedFolder } from '../run/run-folder.js';
import { describeFind, describeFindStep } from '../text/find.js';
import { chooseLoad } from '../try/choose-load.js';
import { createNamer, exitCode, printWide, quoteForShell } from './io.js';

/** @import { Search } from '../find/run-find.js' */
/** @import { Call, Io, Progress } from './io.js' */
/** @import { Gates } from './prepare-gates.js' */

/**
 * @param {Omit<Search['session'], 'root' | 'onProgress' | 'onNote'>} session
 * @param {{options: Call['options'], gates: Gates, durationSec: number, progress: Progress, io: Io}} context
 *   `durationSec` of each step; 0: as long as necessary
 * @returns {Promise<number>} exit code
 */
export async function find(session, { options, gates, durationSec, progress, io }) {
  const { script, options: own } = session.load;
  const times = { warmUpSec: 0, durationSec };
  const { load } = chooseLoad(script, session.config, { options: own, ...times });
  const name = `find-${path.parse(script).name}`;
  const { folder } = createStampedFolder(options.profiles, name, { wings: ['runs'] });
  const root = path.join(folder, 'runs');
  const { report, failure } = await runFind({
    ...{ load, limits: gates.thresholds, maxMs: options.maxDuration * 1000 },
    rulesFile: gates.rulesFile,
    describe: step => describeFindStep(step, load.model),
    session: { ...session, root, onProgress: progress.update, onNote: progress.say },
  }).catch(error => {
    if (readdirSync(root).length === 0) rmSync(folder, { recursive: true });
    throw error;
  });
  progress.stop();
  const [document, named] = [describeFind(report), createNamer(io)];
  replaceFile(path.join(folder, document.page), `${JSON.stringify(report)}\n`);
  printWide(io, terminal => printTerminal(document, terminal));
  const run = report.steps.findLast(({ level }) => level === report.above?.level)?.folder;
  const more = run ? `more: loadflame report ${quoteForShell(path.join(root, run))}\n` : '';
  io.stdout.write(named(`\nruns: ${folder}\n${more}`));
  if (options.markdown)
    replaceFile(options.markdown, named(printMarkdown(document)), { shared: true });
  if (failure) throw failure;
  const { end, keeps } = report;
  const invalid = end === 'generator' || (end !== 'found' && end !== 'fails' && keeps === null);
  return exitCode({ interrupted: session.signal.aborted, invalid, failed: end === 'fails' });
}
