/** The report that a run folder holds, if a new analysis would give the same one. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { hashRules } from '../analysis/hotpath/hash-rules.js';
import { readRegularJson, statOrNull } from '../base/files/regular-file.js';
import { tryOr } from '../base/files/try-or.js';
import { describeVersions } from '../run/host.js';
import { runFiles } from '../run/run-folder.js';

/** @import { WordedReport } from '../text/worded-report.d.ts' */

const OWN_CODE = path.join(import.meta.dirname, '..');
/** What is written after the analysis, beside the manifest. */
const OUTPUT = /^(?:report|compare|profile|speedscope|live)[^/]*\.(?:json|html|raw|svg)$/;
/** Large reports take this long from their analysis to the disk. A copied or unpacked report has a later time. */
const MOST_WRITING_MS = 60_000;
/** The kernel gives a file the time of its last tick. */
const TICK_MS = 10;

/**
 * @param {string} folder of a run
 * @param {string | null} rulesFile
 * @returns {WordedReport | null} null if it is older than a record, the rules or this code, came from elsewhere, or
 *   lacks an output
 */
export function readSavedReport(folder, rulesFile) {
  const files = runFiles(folder);
  // What is older than the report was checked when that was made; checking takes longer than reading.
  if ((read(files.manifest)?.status ?? 'running') === 'running') return null;
  const saved = read(files.reportJson);
  const { generator, createdAtMs: madeMs } = saved ?? {};
  const isSame =
    generator?.version === describeVersions().loadflame &&
    generator.rulesSha256 === hashRules(rulesFile);
  const writingMs = changedMs(files.reportJson) - madeMs;
  const isOwn = writingMs > -TICK_MS && writingMs < MOST_WRITING_MS;
  if (!isSame || !isOwn) return null;
  const records = listAll(folder).filter(place => !OUTPUT.test(path.relative(folder, place)));
  const isNewest = [...records, ...listAll(OWN_CODE)].every(place => changedMs(place) <= madeMs);
  const listed = saved.run.files.map((/** @type {{path: string}} */ own) => own.path);
  const outputs = [runFiles('').reportHtml, ...listed];
  return isNewest && outputs.every(name => existsSync(path.join(folder, name))) ? saved : null;
}

/** @param {string} file */
const read = file => tryOr(null, () => readRegularJson(file));

/** @param {string} folder */
const listAll = folder =>
  readdirSync(folder, { recursive: true }).map(name => path.join(folder, `${name}`));

/** Unlike the time of the last modification, it cannot be set. @param {string} place */
const changedMs = place => statOrNull(place)?.ctimeMs ?? Number.NaN;
