/** A study whose target runs on another machine, and what was recorded there meanwhile: a study of both. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { throwIfInterrupted } from '../process/interruptible.js';
import { readManifest } from '../run/manifest.js';
import { runFiles } from '../run/run-folder.js';
import { measureCell } from '../study/measure/measure-cell.js';
import {
  createStudyFolder,
  openJournal,
  readJournal,
  readPlan,
  redactorOf,
  studyFiles,
} from '../study/run/study-folder.js';
import { mergeFolders } from './merge-folders.js';

/** @import { JournalRecord } from '../facts/study-records.d.ts' */

/** @typedef {Extract<JournalRecord, {kind: 'cell-end', outcome: 'measured'}> & {folder: string}} MeasuredCell */

/**
 * Each cell is measured again, with what was recorded at its time. Both folders are only read.
 * @param {string} folder of the study
 * @param {string} recording folder of a run, of all the time of the study
 * @param {Parameters<typeof mergeFolders>[1] & {writeReport: (run: string) => Promise<unknown>,
 *   onProgress: (text: string) => void, signal: AbortSignal}} options `profiles`: where the new study goes;
 *   `writeReport`: of a cell's run folder
 * @returns {Promise<string>} folder of the new study
 * @throws {import('../errors.js').LoadflameError} STUDY_FOLDER_NOT_ONE, RUN_FOLDER_UNWRITABLE, INTERRUPTED, and what
 *   merging and measuring throw; no new folder is left then
 */
export async function mergeStudy(folder, recording, options) {
  const plan = readPlan(folder);
  const records = await readJournal(studyFiles(folder).journal);
  const { profile } = readManifest(runFiles(recording).manifest);
  const measured = records.filter(isMeasured);
  // A study profiles each variant once, at its highest throughput.
  const best = new Map(
    measured
      .toSorted((a, b) => a.figures.throughputPerSec - b.figures.throughputPerSec)
      .map(cell => [cell.variant, cell]),
  );
  const files = createStudyFolder(options.profiles, plan);
  try {
    const journal = await openJournal(files.journal, redactorOf(plan.study));
    for (const record of records) {
      if (!isMeasured(record)) {
        journal.append(record);
        continue;
      }
      options.onProgress(`cell ${measured.indexOf(record) + 1} of ${measured.length} …`);
      const pair = [path.join(folder, record.folder), recording];
      const run = await mergeFolders(pair, { ...options, profiles: files.runs, isPart: true });
      await options.writeReport(run);
      throwIfInterrupted(options.signal);
      const { components } = record.figures;
      const componentsMost = Object.fromEntries(components.map(one => [one.name, one.mostCores]));
      const figures = await measureCell(run, { componentsMost, throughput: plan.study.throughput });
      const merged = { ...record, folder: path.relative(files.folder, run), figures };
      journal.append(merged);
      if (profile?.rateHz && best.get(record.variant) === record)
        journal.append({ ...merged, purpose: 'profile' });
    }
  } catch (error) {
    rmSync(files.folder, { recursive: true, force: true });
    throw error;
  }
  return files.folder;
}

/** @param {JournalRecord} record @returns {record is MeasuredCell} */
function isMeasured(record) {
  return record.kind === 'cell-end' && record.outcome === 'measured' && record.folder !== null;
}
