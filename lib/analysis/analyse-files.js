/** Turns loose files into a Report. */
import path from 'node:path';
import { LoadflameError } from '../base/errors.js';
import { describeVersions } from '../run/host.js';
import { loadRules } from './hotpath/load-rules.js';
import { judge } from './judge/judge-run.js';
import { NOTHING_BESIDES } from './judge/quality/index.js';
import { buildPeriodTimeline, importArtillery } from './load/import-artillery.js';
import { buildProfileReport } from './profile/profile-report.js';
import { readArtillery } from './read/read-run.js';
import { mergeProfiles } from './stacks/merge-profiles.js';
import { detectFile, readProfile } from './stacks/read-profile.js';

/** @import { Report } from '../run/facts/report.d.ts' */
/** @import { Profile } from './stacks/profile.d.ts' */
/** @import { Analysis } from './analyse-run.js' */

/**
 * A report of loose files: an Artillery JSON and/or profiles.
 * @param {string[]} files
 * @param {{rulesFile?: string | null}} [options]
 * @returns {Promise<Analysis>}
 * @throws {LoadflameError} PROFILE_…, ARTILLERY_JSON_BROKEN, REPORT_TWO_LOADS, RULES_…
 */
export async function analyseFiles(files, { rulesFile = null } = {}) {
  /** @type {{load: import('../run/facts/load-report.d.ts').LoadReport, timeline: Report['timeline']} | null} */
  let artillery = null;
  /** @type {Profile[]} */
  const profiles = [];
  for (const file of files) {
    const detected = detectFile(file);
    if (!detected.isLoad) profiles.push(await readProfile(file, detected));
    else if (artillery) throw new LoadflameError('REPORT_TWO_LOADS', { file });
    else {
      const json = readArtillery(file, 'ARTILLERY_JSON_BROKEN');
      artillery = { load: importArtillery(json), timeline: buildPeriodTimeline(json) };
    }
  }
  const load = artillery?.load ?? null;
  const [only] = profiles;
  const profile = profiles.length > 1 ? mergeProfiles(profiles) : (only ?? null);
  const source = files.map(file => path.basename(file)).join(', ');
  const analysed =
    profile && buildProfileReport({ profile, rules: await loadRules(rulesFile), source });
  const run = {
    id: `import of ${source}`,
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
  const report = judge(
    {
      run,
      load,
      cpu: analysed?.cpu ?? null,
      profile: analysed?.report ?? null,
      timeline: artillery?.timeline ?? null,
      costs: analysed?.costs ?? null,
      taskWorkers: null,
      balance: null,
      logs: null,
      cluster: null,
    },
    NOTHING_BESIDES,
  );
  return { report, profile, serverPid: null, colors: analysed?.colors ?? null };
}
