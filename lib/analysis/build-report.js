/** From a run folder, or from loose files, to the Report. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { loadRules } from '../hotpath/load-rules.js';
import { mergeProfiles } from '../profile/combine-profiles.js';
import { detectFile, readProfile } from '../profile/read-profile.js';
import { describeVersions } from '../run/host.js';
import { measureHost, measureProcesses } from './cpu.js';
import { collectFindings } from './findings/index.js';
import { importArtillery } from './import-artillery.js';
import { buildLoadReport } from './load-report.js';
import { splitLoadTests } from './load-windows.js';
import { findPartialReasons } from './partial-reasons.js';
import { buildProfileReport } from './profile-report.js';
import { judgeQuality } from './quality.js';
import { readRun } from './read-run.js';
import { measureSegments, readRunProfile } from './read-run-profile.js';
import { judge } from './verdict.js';

/** @typedef {import('./report.d.ts').Report} Report */
/** @typedef {import('../profile/profile.d.ts').Profile} Profile */

/**
 * @typedef {object} Analysis
 * @property {Report} report
 * @property {Profile | null} profile all that was recorded, merged
 * @property {number | null} masterPid
 * @property {(node: number) => string | null} colorOf colour of a node of the profile by its category
 */

/**
 * @param {string} folder of a run
 * @param {{rulesFile?: string | null}} [options]
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE, RULES_…
 */
export async function analyseRun(folder, { rulesFile = null } = {}) {
  const records = await readRun(folder);
  const { manifest } = records;
  const load = buildLoadReport(records);
  const windows = load?.windows ?? [];
  const profile = await readRunProfile(records);
  const analysed = profile && (await analyseRecorded(records, profile, load, rulesFile));
  const reasons = findPartialReasons(records);
  const run = {
    id: manifest.id,
    kind: manifest.kind,
    status:
      reasons.length > 0 ? /** @type {const} */ ('partial') : /** @type {const} */ ('complete'),
    reasons,
    startedAtMs: manifest.startedAtMs,
    endedAtMs: manifest.endedAtMs,
    target: manifest.target,
    command: manifest.command,
    script: manifest.script,
    versions: manifest.versions,
    host: manifest.host,
    settings: manifest.settings,
    files: [],
  };
  const report = assemble(
    { run, load, profile: analysed?.report ?? null },
    {
      torn: records.torn,
      totalRequests: windows.length > 0 ? countOfGenerator(records.metrics) : null,
    },
  );
  return {
    report,
    profile,
    masterPid: manifest.profile?.masterPid ?? null,
    colorOf: analysed?.colorOf ?? (() => null),
  };
}

/**
 * A report of loose files: an Artillery JSON and/or profiles.
 * @param {string[]} files
 * @param {{rulesFile?: string | null}} [options]
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} PROFILE_…, ARTILLERY_JSON_BROKEN, REPORT_TWO_LOADS, RULES_…
 */
export async function analyseFiles(files, { rulesFile = null } = {}) {
  /** @type {import('./report.d.ts').LoadReport | null} */
  let load = null;
  /** @type {Profile[]} */
  const profiles = [];
  for (const file of files) {
    if ((await detectFile(file)) !== 'artillery-json') profiles.push(await readProfile(file));
    else if (load) throw new LoadflameError('REPORT_TWO_LOADS', { file });
    else load = await readArtillery(file);
  }
  const [only] = profiles;
  const profile = profiles.length > 1 ? mergeProfiles(profiles) : (only ?? null);
  const analysed =
    profile &&
    buildProfileReport({
      profile,
      rules: await loadRules(rulesFile),
      source: describeFiles(files),
    });
  const run = {
    id: `import of ${describeFiles(files)}`,
    kind: /** @type {const} */ ('import'),
    status: /** @type {const} */ ('complete'),
    reasons: [],
    startedAtMs: load?.window.startMs ?? null,
    endedAtMs: load?.window.endMs ?? null,
    target: null,
    command: null,
    script: null,
    versions: { loadflame: describeVersions().loadflame ?? '' },
    host: null,
    settings: [],
    files: [],
  };
  const report = assemble(
    { run, load, profile: analysed?.report ?? null },
    { torn: 0, totalRequests: null },
  );
  return { report, profile, masterPid: null, colorOf: analysed?.colorOf ?? (() => null) };
}

/**
 * @param {import('./read-run.js').RunRecords} records
 * @param {Profile} profile
 * @param {import('./report.d.ts').LoadReport | null} load
 * @param {string | null} rulesFile
 */
async function analyseRecorded(records, profile, load, rulesFile) {
  const { window, ...segments } = measureSegments(
    records.segments,
    load?.windows[0] ? load.window : null,
  );
  const windows = load && load.windows.length > 0 ? load.windows : window ? [window] : [];
  return buildProfileReport({
    profile,
    rules: await loadRules(rulesFile),
    source: 'py-spy',
    recording: {
      window,
      windows,
      segments,
      records: records.segments,
      masterPid: records.manifest.profile?.masterPid ?? null,
      processes: measureProcesses(records.processes, windows),
      host: measureHost(records.processes, windows),
      requests: load ? load.http.responses : null,
    },
  });
}

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile'>} measured
 * @param {Parameters<typeof judgeQuality>[1]} data
 * @returns {Report}
 */
function assemble(measured, data) {
  const facts = { ...measured, limit: null, whatIf: [] };
  const findings = collectFindings(facts);
  return {
    schema: 'loadflame-report/1',
    generator: { name: 'loadflame', version: describeVersions().loadflame ?? '' },
    createdAtMs: Date.now(),
    run: facts.run,
    verdict: judge({ ...facts, findings }),
    findings,
    limit: facts.limit,
    whatIf: facts.whatIf,
    load: facts.load,
    profile: facts.profile,
    quality: judgeQuality(facts, data),
  };
}

/** The generator's own count of requests over all load tests. @param {Record<string, any>[]} metrics */
function countOfGenerator(metrics) {
  const counts = splitLoadTests(metrics).map(({ end }) => end?.counters?.['http.requests']);
  return counts.every(count => typeof count === 'number')
    ? counts.reduce((sum, n) => sum + n, 0)
    : null;
}

/** @param {string} file */
async function readArtillery(file) {
  try {
    return importArtillery(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('ARTILLERY_JSON_BROKEN', { file, reason }, { cause });
  }
}

/** @param {string[]} files */
function describeFiles(files) {
  return files.map(file => path.basename(file)).join(', ');
}
