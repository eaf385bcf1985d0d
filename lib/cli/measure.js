/** One run from preflight to the printed report, for `test`, `profile` and `start`. */

import { createRedactor } from '../base/files/redaction.js';
import { attempt } from '../base/process/attempt.js';
import { runSession } from '../experiment/session.js';
import { isRunActive, readManifest } from '../run/manifest.js';
import { NO_GATES } from './prepare-gates.js';

/** @import { SessionOptions } from '../experiment/session.js' */
/** @import { Ending } from './exit-code.js' */
/** @import { Io, Progress } from './io.js' */
/** @import { Gates } from './prepare-gates.js' */

/** @typedef {{progress: Progress, gates?: Gates, full?: boolean, source?: boolean, live?: boolean, sameWork?: boolean, explain?: {url: string, dbStats: boolean, plans: boolean, own: import('../record/explain/explain-sql.js').Asked[]} | null, io: Io}} Showing `gates`: limits that the run has to pass; `full`: print the whole report;
 *   `source`: keep lines of the recorded app for the page; `live`: serve the page during the run; `sameWork`: compare calls; `explain`: the database to ask for plans */

/**
 * @param {Omit<SessionOptions, 'onProgress' | 'onNote'> & Showing} options
 * @returns {Promise<Ending>}
 */
export async function measure({ live = false, ...options }) {
  const rulesFile = options.config.get('RULES_FILE');
  const page = live
    ? (await import('./live-page.js')).makeLivePage({ say: options.progress.say, rulesFile })
    : null;
  try {
    const onFolder = (/** @type {string} */ folder) =>
      void attempt('the live page', () => page?.start(folder), options.progress.say);
    return await measureRun({ ...options, onFolder, steering: page?.steering });
  } finally {
    await attempt('the end of the live page', () => page?.stop(), options.progress.say);
  }
}

/** @param {Omit<SessionOptions, 'onProgress' | 'onNote'> & Omit<Showing, 'live'>} options @returns {Promise<Ending>} */
async function measureRun({ progress, gates = NO_GATES, full, io, ...options }) {
  const onLog = options.load?.options.log === false ? undefined : progress.say;
  const talk = { onProgress: progress.update, onNote: progress.say, ...(onLog && { onLog }) };
  const profile = options.profile && { ...options.profile, source: options.source ?? false };
  const { explain, signal } = options;
  const stats = explain?.dbStats && (await import('../record/explain/database-stats.js'));
  const before = stats && (await stats.readStats(explain.url, signal));
  const { files, joined, loadEnd } = await runSession({ ...options, profile, ...talk });
  if (before && !signal.aborted) {
    const ask = async () =>
      stats.writeStats(files, before, await stats.readStats(explain.url, signal));
    await attempt('--db-stats', ask, progress.say);
  }
  if (explain?.plans && !signal.aborted) {
    progress.update('asking the database for plans …');
    const { explainSql } = await import('../record/explain/explain-sql.js');
    const ask = () => explainSql({ files, ...explain, signal });
    await attempt('--explain-sql', ask, progress.say);
  }
  const { load, redactor = createRedactor() } = options;
  if (options.sameWork && load && !signal.aborted) {
    progress.update('comparing calls …');
    const { compareCalls } = await import('../experiment/same-work.js');
    const ask = () => compareCalls(files, { ...options, ...talk, load, redactor });
    await attempt('--same-work', ask, progress.say);
  }
  progress.update('writing the report …');
  // Half of this program, needed only after the load.
  const [{ concludeRun }, { showReport }, { writeOutputs }] = await Promise.all([
    import('./gates.js'),
    import('./show-report.js'),
    import('./write-outputs.js'),
  ]);
  const rulesFile = options.config.get('RULES_FILE');
  const report = await writeOutputs(files.folder, { rulesFile, io, redactor });
  progress.stop();
  showReport(report, files, { io, full });
  if (joined && isRunActive(readManifest(files.manifest))) {
    io.stderr.write(
      `\nThe profiler is still recording: Ctrl+C there writes the merged report to ${files.folder}\n`,
    );
  }
  const { invalid, failed } = await concludeRun(gates, { report, files, io });
  return {
    invalid: invalid || loadEnd?.reason === 'crashed',
    // Artillery ends with 1 when a threshold of `ensure` or an expectation failed.
    failed: failed || Boolean(loadEnd?.exitCode),
  };
}
