/** @import { Call } from '../io.js' */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { findSettingsFolder, readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { createRedactor } from '../../run/redaction.js';
import { locateRun, runFiles } from '../../run/run-folder.js';
import { exitCode } from '../exit-code.js';
import { concludeRun, isAsked, prepareGates } from '../gates.js';
import { printJson } from '../io.js';
import { startProgress } from '../progress.js';
import { lastRun } from '../runs.js';
import { showReport, writeImport, writeOutputs } from '../write-outputs.js';

/** @param {Call} call */
export async function run({ args: [what], options, flags, io }) {
  const [named] = what;
  const first = named ? locateRun(named, options.profiles) : lastRun(options.profiles);
  const config = readConfig({ flags, env: io.env, folder: findSettingsFolder([first]) });
  const gates = await prepareGates(config, options);
  const { rulesFile } = gates;
  const progress = startProgress(io);
  progress.update('reading …');
  const isFolder = existsSync(first) && statSync(first).isDirectory();
  if (isFolder && what.length > 1) throw new LoadflameError('REPORT_MIXED', { folder: first });
  const { report, folder } = isFolder
    ? {
        report: await writeOutputs(first, {
          rulesFile,
          io,
          redactor: createRedactor(config.secrets),
        }),
        folder: first,
      }
    : await writeImport(what, { rulesFile, root: options.profiles, io });
  progress.stop();
  const files = runFiles(path.normalize(folder));
  if (options.json) printJson(io, report);
  else showReport(report, files, io);
  const ending = await concludeRun(gates, { report, files, quiet: Boolean(options.json), io });
  // A report of a run that is not valid is a good report; only who asks about it hears of it.
  return isAsked(gates) ? exitCode(ending) : exitCode({});
}
