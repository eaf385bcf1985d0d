/** @import { Call } from '../io.js' */
import { findSettingsFolder, readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import {
  describeExplanation,
  explainRun,
  listNames,
  writeExplanation,
} from '../../text/explain.js';
import { wordReport } from '../../text/index.js';
import { startProgress } from '../io.js';
import { expandRuns, readOneReport } from '../read-runs.js';

/** @param {Call} call */
export async function run({ args: [what, name], options, flags, io }) {
  const folder = expandRuns([what], options.profiles).at(-1) ?? '';
  const config = readConfig({ flags, env: io.env, folder: findSettingsFolder([folder]) });
  const progress = startProgress(io);
  progress.update('reading …');
  const report = wordReport(await readOneReport(folder, config.get('RULES_FILE')));
  progress.stop();
  const explanation = explainRun(report, name);
  if (!explanation) {
    const known = listNames(report).join(', ');
    throw new LoadflameError('EXPLAIN_UNKNOWN', { run: report.run.id, name, known });
  }
  io.stdout.write(
    options.json ? `${writeExplanation(explanation)}` : `${describeExplanation(explanation)}\n`,
  );
}
