/** Turns a run folder into its Report, in four stages: read, load, profile, judge. */

import { ofKind } from '../run/ndjson.js';
import { hashRules } from './hotpath/hash-rules.js';
import { judgeRun } from './judge/judge-run.js';
import { analyseLoad } from './load/analyse-load.js';
import { analyseCalls } from './load/calls.js';
import { addDatabaseTimes } from './load/database-stats.js';
import { findMeasurementWindow } from './load/measurement-window.js';
import { boundCauses, readSlowest } from './load/slowest.js';
import { analyseRecording } from './profile/analyse-recording.js';
import { readFolder, readInside } from './read/read-folder.js';

/** @typedef {import('../run/facts/report.d.ts').Report} Report */
/** @typedef {import('./stacks/profile.d.ts').Profile} Profile */

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
 * @throws {import('../base/errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseRun(folder, options) {
  return analyse(await readFolder(folder), options);
}

/**
 * Analyses what was read, or only a part of its load; the phase that the run was made to measure, if it has one.
 * @param {import('./read/read-folder.js').RunFolder} whole
 * @param {AnalysisOptions & {part?: import('./read/load/load-totals.js').LoadPart}} [options]
 * @returns {Promise<Analysis>}
 * @throws {import('../base/errors.js').LoadflameError} RULES_…
 */
export async function analyse(whole, { rulesFile = null, onProfile, isProvisional, ...own } = {}) {
  const { measuredPhase } = whole.records.manifest;
  const measured = measuredPhase ? findMeasurementWindow(whole.records, measuredPhase) : null;
  const read = await readInside(whole, { part: own.part ?? measured, isProvisional });
  const loaded = await analyseLoad(read);
  const { calls, names, torn } = await analyseCalls(read.records, loaded.timeline);
  const { profile, colors, facts, countSamples } = await analyseRecording(read, loaded, {
    rulesFile,
    onProfile,
    openers: (calls?.statements ?? []).filter(
      ({ kind, perRequest }) => kind === 'connect' && perRequest >= NEARLY_EACH,
    ),
  });
  const slow = await readSlowest(read.records, { names, countSamples });
  const records = { ...read.records, torn: read.records.torn + torn + slow.torn };
  const { profile: server } = records.manifest;
  const bare = (/** @type {any} */ { t: _t, kind: _kind, ...record }) => record;
  const plans = ofKind(records.plans, 'plan').map(bare);
  const [sameWork] = ofKind(records.plans, 'same-work').map(bare);
  const [databaseStats] = ofKind(records.plans, 'database-stats').map(bare);
  const seen = facts.profile && sameWork ? { ...facts.profile, sameWork } : facts.profile;
  const named = nameRelations({ ...facts, profile: seen }, addDatabaseTimes(calls, databaseStats));
  const judged = judgeRun({ ...read, records }, loaded, named);
  const slowest = judged.calls?.bound ? boundCauses(slow.slowest) : slow.slowest;
  const rulesSha256 = hashRules(rulesFile);
  return {
    report: {
      ...judged,
      ...(rulesSha256 && { generator: { ...judged.generator, rulesSha256 } }),
      ...(slowest.length > 0 && { slowest }),
      ...(plans.length > 0 && { plans }),
      ...(databaseStats && { databaseStats }),
    },
    profile,
    serverPid: server?.rootPid ?? server?.masterPid ?? null,
    colors,
  };
}

/** Connections per request: the function that opens them does so in each. */
const NEARLY_EACH = 0.9;

/** Stacks show that they send queries, and only calls show how many. */
const COUNTED = ['lazy-loading', 'query-in-loop'];

/**
 * The calls say which relations a line loads, and how often; its source only says which attributes it reads.
 * @template {Pick<Report, 'profile'>} F
 * @param {F} facts @param {Report['calls']} calls
 * @returns {F & Pick<Report, 'calls'>}
 */
export function nameRelations({ profile, ...facts }, calls) {
  const sent = (calls?.statements ?? []).filter(({ kind }) => kind === 'sql');
  const sentAt = (/** @type {{file: string, line: number | null}} */ at) =>
    sent.filter(({ file, line }) => file === at.file && line === at.line);
  const causes = profile?.causes.map(cause => {
    const places = cause.places?.map(place => {
      const touches = [...new Set(sentAt(place).flatMap(({ relation }) => relation ?? []))];
      return place.touches && touches.length > 0 ? { ...place, touches } : place;
    });
    const isAt = (/** @type {{file: string | null, line: number | null}} */ { file, line }) =>
      places?.some(own => own.file === file && own.line !== null && own.line === line) ?? false;
    const acts = (calls?.acts ?? []).filter(isAt).map(({ kind, text, perRequest }) => {
      return { kind, text, perRequest };
    });
    const counted = COUNTED.includes(cause.id) ? (places?.map(sentAt) ?? []) : [];
    const isSingle =
      counted.length > 0 &&
      counted.every(own => own.length > 0 && own.every(({ most }) => most <= 1));
    const single = isSingle && { isSingle, severity: /** @type {const} */ ('info') };
    return { ...cause, ...(places && { places }), ...(acts.length > 0 && { acts }), ...single };
  });
  return /** @type {any} */ ({ ...facts, calls, profile: profile && { ...profile, causes } });
}
