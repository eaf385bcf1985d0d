/** The file of a history: one line per run, appended by each measurement and kept with the code. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { appendText, makeFolder } from '../../base/files/own-files.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { findMistake } from '../../run/folder-shapes.js';
import { streamNdjson } from '../../run/ndjson.js';
import { OF_ONE_RUN, pickHost } from '../compare/comparability.js';
import { readFigures } from '../compare/figures.js';

/** @import { HistoryEntry } from '../../run/facts/history.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */

/** The commit of the measured code. @typedef {Pick<HistoryEntry, 'commit' | 'branch' | 'isDirty'>} Commit */

/** @param {Report} report @param {Commit} commit @returns {HistoryEntry} */
export function makeEntry(report, { commit, branch, isDirty }) {
  const { run, load, profile } = report;
  const machines = [run.host, run.mergedFrom?.host].flatMap(host => (host ? pickHost(host) : []));
  const target = findTargetHost(run.target);
  const figures = readFigures(report).filter(({ scope }) => scope === 'overall');
  return {
    ...{ schema: 'loadflame-history/1', kind: 'run', id: run.id },
    t: run.startedAtMs ?? report.createdAtMs,
    ...{ commit, branch, isDirty },
    reliability: report.reliability.level,
    isPartial: run.status === 'partial',
    of: {
      ...{ script: run.script, machines, target, kind: run.kind },
      engine: load?.engine ?? null,
      phases: (load?.phases ?? []).map(({ plan, model }) => ({ plan, model })),
      profiler: profile?.profiler ? `${profile.profiler.name} ${profile.rateHz}` : null,
    },
    fingerprint: shortHash([machines, target]),
    settings: run.settings.filter(
      ({ name, source }) => !['default', 'not set'].includes(source) && !OF_ONE_RUN.test(name),
    ),
    versions: run.versions,
    measures: Object.fromEntries(figures.map(({ measure, value }) => [measure, value])),
  };
}

/** @param {string | null} target @returns {string | null} null: this machine, where each run may have another port */
function findTargetHost(target) {
  const host = target && URL.parse(target)?.hostname;
  return host && !/^(localhost|127\..*|\[::1\])$/.test(host) ? host : null;
}

/** @param {unknown} value */
const shortHash = value => hash('sha256', JSON.stringify(value)).slice(0, 12);

/**
 * Appends with one write, so that runs that end at the same time do not mix their lines.
 * @param {string} file created with its folder if missing
 * @param {HistoryEntry} entry
 * @throws {NodeJS.ErrnoException} as `appendText`
 */
export function appendEntry(file, entry) {
  makeFolder(path.dirname(file));
  // A killed writer may have left half a line.
  const start = existsSync(file) && /[^\n]$/.test(readRegularFile(file)) ? '\n' : '';
  appendText(file, `${start}${JSON.stringify(entry)}\n`, { flush: true });
}

/**
 * If a run was added twice, the later line counts.
 * @param {string} file
 * @returns {Promise<{entries: HistoryEntry[], torn: number}>} in order of time
 * @throws {LoadflameError} HISTORY_UNREADABLE, also if it has no entry
 */
export async function readHistory(file) {
  const complain = (/** @type {string} */ reason, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('HISTORY_UNREADABLE', { file, reason }, { cause });
  if (!existsSync(file)) throw complain('no such file');
  /** @type {Map<string, HistoryEntry>} */
  const entries = new Map();
  let torn = 0;
  const check = (/** @type {unknown} */ line) =>
    findMistake('history', line) === null ? /** @type {HistoryEntry} */ (line) : null;
  try {
    for await (const entry of streamNdjson(file, { check, onTorn: () => torn++ }))
      entries.set(`${entry.t} ${entry.id} ${entry.fingerprint}`, entry);
  } catch (cause) {
    throw complain(`${/** @type {LoadflameError} */ (cause).data.reason}`, cause);
  }
  if (entries.size === 0) throw complain('no run');
  return { entries: [...entries.values()].sort((a, b) => a.t - b.t), torn };
}
