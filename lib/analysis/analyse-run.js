/** Turns a run folder into its Report, in four stages: read, load, profile, judge. */

import { ofKind } from '../run/ndjson.js';
import { judgeRun } from './judge/judge-run.js';
import { analyseLoad } from './load/analyse-load.js';
import { analyseCalls } from './load/calls.js';
import { addDatabaseTimes } from './load/database-stats.js';
import { LoadTotals } from './load/load-totals.js';
import { analyseRecording } from './profile/analyse-recording.js';
import { readFolder } from './read/read-folder.js';

/** @typedef {import('../facts/report.d.ts').Report} Report */
/** @typedef {import('../profile/profile.d.ts').Profile} Profile */

/**
 * @typedef {object} Analysis
 * @property {Report} report
 * @property {Profile | null} profile everything that was recorded, merged
 * @property {number | null} serverPid first process of the recorded server
 * @property {import('./profile/profile-report.js').NodeColors | null} colors of the profile's nodes, by category
 */

/**
 * @typedef {object} AnalysisOptions
 * @property {string | null} [rulesFile]
 * @property {(profile: Profile) => void} [onProfile] gets the profile as soon as it is read: analysing it
 *   takes about as long as writing it to disk
 * @property {boolean} [isProvisional] the caller knows that the run is still going, so its Report is not partial
 */

/**
 * @param {string} folder of a run
 * @param {AnalysisOptions} [options]
 * @returns {Promise<Analysis>}
 * @throws {import('../errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseRun(folder, options) {
  return analyse(await readFolder(folder), options);
}

/**
 * Analyses what was read, or only a part of its load.
 * @param {import('./read/read-folder.js').RunFolder} whole
 * @param {AnalysisOptions & {part?: import('./load/load-totals.js').LoadPart}} [options]
 * @returns {Promise<Analysis>}
 * @throws {import('../errors.js').LoadflameError} RULES_…
 */
export async function analyse(whole, { rulesFile = null, onProfile, isProvisional, part } = {}) {
  const load = part ? LoadTotals.ofPart(part) : whole.records.load;
  const read = { ...whole, records: { ...whole.records, load, isProvisional } };
  const loaded = await analyseLoad(read.records);
  const { profile, colors, facts } = await analyseRecording(read, loaded, {
    rulesFile,
    onProfile,
  });
  const { calls, torn } = await analyseCalls(read.records, facts.timeline);
  const records = { ...read.records, torn: read.records.torn + torn };
  const { profile: server } = records.manifest;
  const bare = (/** @type {any} */ { t: _t, kind: _kind, ...record }) => record;
  const plans = ofKind(records.plans, 'plan').map(bare);
  const [databaseStats] = ofKind(records.plans, 'database-stats').map(bare);
  return {
    report: {
      ...judgeRun(records, loaded, nameRelations(facts, addDatabaseTimes(calls, databaseStats))),
      ...(plans.length > 0 && { plans }),
      ...(databaseStats && { databaseStats }),
    },
    profile,
    serverPid: server?.rootPid ?? server?.masterPid ?? null,
    colors,
  };
}

/**
 * The calls say which relations a line loads; its source only says which attributes it reads.
 * @template {Pick<Report, 'profile'>} F
 * @param {F} facts @param {Report['calls']} calls
 * @returns {F & Pick<Report, 'calls'>}
 */
export function nameRelations({ profile, ...facts }, calls) {
  const loaded = (calls?.statements ?? []).filter(({ relation }) => relation);
  const causes = profile?.causes.map(cause => {
    const places = cause.places?.map(place => {
      const own = loaded.filter(({ file, line }) => file === place.file && line === place.line);
      const touches = [...new Set(own.map(({ relation }) => relation ?? ''))];
      return place.touches && own.length > 0 ? { ...place, touches } : place;
    });
    return { ...cause, ...(places && { places }) };
  });
  return /** @type {any} */ ({ ...facts, calls, profile: profile && { ...profile, causes } });
}
