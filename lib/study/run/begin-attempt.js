/** A study is run by one process at a time. */
import path from 'node:path';
import { readStartTicks } from '../../process-table.js';
import { describeVersions } from '../../run/host.js';
import { refuseIfRunning } from './find-unfinished.js';

/**
 * Begins an attempt. The journal is the lock: lines are appended one after the other, and of attempts
 * that live the first one has the study. A killed process leaves nothing behind that has to be removed.
 * @param {import('./journal.js').Journal} journal
 * @param {object} options
 * @param {string} options.folder of the study
 * @param {import('../study-file.d.ts').Study} options.study
 * @param {string} options.work its temporary folder
 * @throws {import('../../errors.js').LoadflameError} STUDY_RUNNING
 */
export async function beginAttempt(journal, { folder, study, work }) {
  const root = path.dirname(folder);
  await refuseIfRunning(root, study);
  journal.append({
    kind: 'attempt',
    pid: process.pid,
    pidStartTicks: readStartTicks(process.pid),
    version: describeVersions().loadflame ?? '',
    work,
  });
  // Another may have begun between the two.
  await refuseIfRunning(root, study);
}
