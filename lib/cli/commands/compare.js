import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { buildComparison } from '../../compare/build-comparison.js';
import { checkTwice, expandRuns, readReports } from '../../compare/read-runs.js';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { createStampedFolder } from '../../run/run-folder.js';
import { settingFlags } from '../flags.js';
import { concludeComparison, outcomeFlags, prepareOutcome } from '../outcome.js';
import { startProgress } from '../progress.js';
import { profilesOption } from '../runs.js';

/** @param {import('commander').Command} program */
export function addCompareCommand(program) {
  const command = program
    .command('compare')
    .argument('[runs...]', 'run folders: two, or several a side with -- between the sides')
    .description('put two groups of runs beside each other: did a change help, and is that sure?')
    .option('--labels <before,after>', 'what the sides are called', parseLabels)
    .option('--json', 'print compare.json instead of the tables')
    .addHelpText(
      'after',
      `
A run is one measurement: two runs that differ may differ by chance. Four runs a side are the least
that can show a difference; alternate them (A B B A …), so that nothing else comes between.

Exit codes: 0 good, 5 a threshold failed, 6 a side has no valid run.

Examples:
  loadflame compare profiles/20261120-214503-csr-all profiles/20261120-220011-csr-all
  loadflame compare A1 A2 A3 A4 -- B1 B2 B3 B4 --labels main,cached-keys
  loadflame compare runs-of-main/ runs-of-branch/ --thresholds thresholds.yaml --markdown summary.md`,
    );
  settingFlags(command, ['RULES_FILE', 'THRESHOLDS']);
  outcomeFlags(command);
  profilesOption(command);
  command.action(async (/** @type {string[]} */ runs, options) => {
    const config = readConfig({ flags: options.settings() });
    const sides = splitSides(
      runs,
      /** @type {{rawArgs: string[]}} */ (/** @type {unknown} */ (program)).rawArgs,
    );
    const folders = { before: expandRuns(sides.before), after: expandRuns(sides.after) };
    checkTwice([...folders.before, ...folders.after]);
    const outcome = await prepareOutcome(config, options);
    const progress = startProgress();
    const onProgress = (/** @type {string} */ folder) => progress.update(`reading ${folder} …`);
    const read = { rulesFile: outcome.rulesFile, onProgress };
    const before = await readReports(folders.before, read);
    const after = await readReports(folders.after, read);
    progress.update('comparing …');
    const comparison = await buildComparison(before, after, { labels: options.labels });
    const files = createStampedFolder(options.profiles, 'compare');
    progress.stop();
    process.exitCode = await concludeComparison(outcome, {
      comparison,
      reports: after,
      files: {
        compareJson: path.normalize(files.compareJson),
        compareHtml: path.normalize(files.compareHtml),
      },
      quiet: Boolean(options.json),
    });
    if (options.json) process.stdout.write(`${JSON.stringify(comparison, null, 2)}\n`);
  });
}

/** @param {string} text */
function parseLabels(text) {
  const [before, after, ...more] = text.split(',').map(label => label.trim());
  if (!before || !after || more.length > 0)
    throw new InvalidArgumentError('Two names with a comma between are allowed: main,branch');
  return { before, after };
}

/**
 * `A B`, or `A1 A2 -- B1 B2`. Commander gives one list without the dashes, so what was typed is asked.
 * @param {string[]} runs
 * @param {string[]} typed all arguments
 * @returns {{before: string[], after: string[]}}
 * @throws {LoadflameError} COMPARE_SIDES
 */
function splitSides(runs, typed) {
  const dashes = typed.lastIndexOf('--');
  if (dashes >= 0) {
    const after = typed.length - dashes - 1;
    const sides = {
      before: runs.slice(0, runs.length - after),
      after: runs.slice(runs.length - after),
    };
    if (after === 0 || sides.before.length === 0)
      throw new LoadflameError('COMPARE_SIDES', {
        problem: `there is no run ${after === 0 ? 'after' : 'before'} the --`,
      });
    return sides;
  }
  const [before, after, ...more] = runs;
  if (before === undefined || after === undefined)
    throw new LoadflameError('COMPARE_SIDES', {
      problem: `a comparison has two sides, and ${before === undefined ? 'no run was' : 'one run was'} named`,
    });
  if (more.length > 0)
    throw new LoadflameError('COMPARE_SIDES', {
      problem: `${runs.length} runs were named, and nothing says which are of which side`,
    });
  return { before: [before], after: [after] };
}
