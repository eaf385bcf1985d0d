/** @import { Call } from '../io.js' */
import path from 'node:path';
import { findSettingsFolder, readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { createRedactor } from '../../base/files/redaction.js';
import { statOrNull } from '../../base/files/regular-file.js';
import { lastRun, locateRun, runFiles } from '../../run/run-folder.js';
import { exitCode } from '../exit-code.js';
import { concludeRun } from '../gates.js';
import { startProgress } from '../io.js';
import { prepareGates } from '../prepare-gates.js';
import { readSavedReport } from '../saved-report.js';
import { showReport } from '../show-report.js';

/** Takes seconds to read. */
const BIG_MB = 3;

/** @param {Call} call */
export async function run({ args: [what], options, flags, io }) {
  const root = options.profiles;
  /** @type {string[]} */
  const named = what;
  const places = named.length > 0 ? named.map(one => locateRun(one, root)) : [lastRun(root)];
  const [first = ''] = places;
  const config = readConfig({ flags, env: io.env, folder: findSettingsFolder(places) });
  // Only the user knows which code an earlier run measured.
  const gates = await prepareGates(config, { commit: null, ...options });
  const { rulesFile } = gates;
  const progress = startProgress(io);
  progress.update('reading …');
  const isRun = isFolder(first);
  if (isRun && (places.length > 2 || !places.every(isFolder)))
    throw new LoadflameError('REPORT_MIXED', { folder: first });
  const isPair = isRun && places.length === 2;
  const merging = isPair && (await import('../merge-folders.js'));
  const run = merging ? await merging.mergeFolders(places, options) : first;
  for (const file of isRun ? [] : places) {
    const megabytes = Math.round((statOrNull(file)?.size ?? 0) / 1e6);
    // Reading does not yield to what shows progress.
    if (megabytes >= BIG_MB) progress.say(`reading ${file} (${megabytes} MB) …`);
  }
  const redactor = createRedactor(config.secrets);
  // Half of this program: a report that is up to date needs none of it.
  const outputs = () => import('../write-outputs.js');
  const { report, folder } = isRun
    ? {
        report:
          readSavedReport(run, rulesFile) ??
          (await (await outputs()).writeOutputs(run, { rulesFile, io, redactor })),
        folder: run,
      }
    : await (await outputs()).writeImport(what, { rulesFile, root, io });
  progress.stop();
  const files = runFiles(path.normalize(folder));
  showReport(report, files, { io, full: options.full });
  const ending = await concludeRun(gates, { report, files, io });
  // A report of a run that is not valid is a good report; only a user who set limits needs its exit code.
  const hasGates = gates.thresholds.length + gates.baseline.length > 0 || gates.junit !== undefined;
  return exitCode(hasGates ? ending : {});
}

/** @param {string} place */
const isFolder = place => statOrNull(place)?.isDirectory() ?? false;
