/** `loadflame test --find`: searches, prints the result and writes it. */
import path from 'node:path';
import { createRedactor } from '../base/files/redaction.js';
import { replaceFile } from '../base/files/replace-file.js';
import { quoteForShell } from '../base/format.js';
import { chooseLoad } from '../experiment/choose-load.js';
import { runFind } from '../experiment/find/run-find.js';
import { printMarkdown } from '../report/print/markdown.js';
import { printTerminal } from '../report/print/terminal.js';
import { describeFind, describeFindStep } from '../text/find.js';
import { exitCode } from './exit-code.js';
import { continueCommand, createNamer, printWide } from './io.js';

/** @import { Search } from '../experiment/find/run-find.js' */
/** @import { Call, Io, Progress } from './io.js' */
/** @import { Gates } from './prepare-gates.js' */

/**
 * @param {Omit<Search['session'], 'onProgress' | 'onNote'>} session
 * @param {{options: Call['options'], gates: Gates, durationSec: number, progress: Progress, io: Io}} context
 *   `durationSec` of each step; 0: as long as necessary
 * @returns {Promise<number>} exit code
 */
export async function find(session, { options, gates, durationSec, progress, io }) {
  const { script, options: own } = session.load;
  const { thresholds: limits, rulesFile } = gates;
  const chosen = chooseLoad(script, session.config, { options: own, warmUpSec: 0, durationSec });
  const expressions = limits.map(({ expression }) => expression);
  const { load } = chosen;
  const { report, failure, folder } = await runFind({
    ...{ load, limits, rulesFile, maxMs: options.maxDuration * 1000 },
    plan: { ...chosen, limits: expressions, profile: session.profile !== null },
    ...{ root: options.profiles, name: path.parse(script).name, earlier: options.continue },
    redactor: session.redactor ?? createRedactor(),
    describe: step => describeFindStep(step, load.model),
    session: { ...session, onProgress: progress.update, onNote: progress.say },
  });
  progress.stop();
  const [document, named] = [describeFind(report), createNamer(io)];
  replaceFile(path.join(folder, document.page), `${JSON.stringify(report)}\n`);
  printWide(io, terminal => printTerminal(document, terminal));
  const run = report.steps.findLast(({ level }) => level === report.above?.level)?.folder;
  const place = path.join(folder, 'runs');
  const more = run ? `more: loadflame report ${quoteForShell(path.join(place, run))}\n` : '';
  io.stdout.write(named(`\nruns: ${folder}\n${more}`));
  if (options.markdown)
    replaceFile(options.markdown, named(printMarkdown(document)), { shared: true });
  const { end, keeps } = report;
  const again = continueCommand(session.command, 'test', folder);
  if (['time', 'interrupted', 'failed'].includes(end))
    io.stderr.write(named(`\nto continue, type: ${again}\n`));
  if (failure) throw failure;
  const invalid = end === 'generator' || (end !== 'found' && end !== 'fails' && keeps === null);
  return exitCode({ interrupted: session.signal.aborted, invalid, failed: end === 'fails' });
}
