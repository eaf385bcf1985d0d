import { statSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { runFiles } from '../../run/run-folder.js';
import { settingFlags } from '../flags.js';
import { baselineFlag, concludeRun, isAsked, outcomeFlags, prepareOutcome } from '../outcome.js';
import { startProgress } from '../progress.js';
import { lastRun, profilesOption } from '../runs.js';
import { showReport, writeImport, writeOutputs } from '../write-outputs.js';

/** @param {import('commander').Command} program */
export function addReportCommand(program) {
  const command = program
    .command('report')
    .argument('[what...]', 'a run folder, or loose files; the last run without it')
    .description(
      "(re)build the report of a run, or of loose files: Artillery's JSON, a py-spy raw, speedscope or SVG file",
    )
    .option('--json', 'print report.json instead of the summary')
    .addHelpText(
      'after',
      `
Examples:
  loadflame report
  loadflame report profiles/20261120-214503-csr-all
  loadflame report artillery.json profile.svg
  loadflame report --thresholds thresholds.yaml --junit junit.xml
  loadflame report profile.raw --json | jq .profile.categories`,
    );
  settingFlags(command, ['RULES_FILE', 'THRESHOLDS']);
  baselineFlag(command);
  outcomeFlags(command);
  profilesOption(command);
  command.action(async (what, options) => {
    const config = readConfig({ flags: options.settings() });
    const outcome = await prepareOutcome(config, options);
    const { rulesFile } = outcome;
    const progress = startProgress();
    progress.update('reading …');
    const [first = lastRun(options.profiles)] = what;
    const isFolder = statSync(first, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder && what.length > 1) throw new LoadflameError('REPORT_MIXED', { folder: first });
    const { report, folder } = isFolder
      ? { report: await writeOutputs(first, { rulesFile }), folder: first }
      : await writeImport(what, { rulesFile, root: options.profiles });
    progress.stop();
    const files = runFiles(path.normalize(folder));
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else showReport(report, files);
    const exit = await concludeRun(outcome, { report, files, quiet: Boolean(options.json) });
    // A report of a run that is not valid is a good report; only who asks about it hears of it.
    if (isAsked(outcome)) process.exitCode = exit;
  });
}
