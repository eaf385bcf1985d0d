/** Workers of a task queue, recorded beside the server: a group of its own, in none of the API's figures. */

import { nameCalls } from '../../hotpath/name-calls.js';
import { mean, sum } from '../../math/summary.js';
import { mergeProfiles } from '../../profile/merge-profiles.js';
import { ofKind } from '../../run/ndjson.js';
import { taskWorkerFiles } from '../../run/run-folder.js';
import { totalLengthMs } from '../load/load-totals.js';
import { createCpuReader, measureProcesses, withUnseen } from '../read/cpu.js';
import { readRecords } from '../read/read-run.js';
import { readRunProfile } from '../read/read-run-profile.js';
import { analyseProfile } from './analyse-profile.js';
import { costOf } from './profile-costs.js';
import { measureSamplingCoverage } from './profile-report.js';

/** @import { RecordOf } from '../../facts/records.d.ts' */
/** @import { RunRecords } from '../read/read-run.js' */
/** @import { TaskWorkers } from '../../facts/profile-report.d.ts' */
/** @import { TimeRange } from '../../facts/estimate.d.ts' */

/** Cores per worker above which they take no more tasks. */
const FULL = 0.9;

/**
 * @param {RunRecords} records
 * @param {object} known
 * @param {TimeRange[]} known.windows in which samples and CPU time count
 * @param {import('../../facts/rules.d.ts').Rules} known.rules
 * @param {number | null} known.requests of the whole API in the windows
 * @returns {Promise<TaskWorkers | null>} null where none were recorded
 */
export async function analyseTaskWorkers(records, { windows, rules, requests }) {
  const known = records.manifest.profile?.taskWorkers;
  if (!known) return null;
  const { name, rootPids } = known;
  const recordings = await Promise.all(
    rootPids.map((_, index) => readRecording(records, index + 1, rules)),
  );
  const profiles = recordings.flatMap(({ profile }) => profile ?? []);
  const samples = withUnseen(records.processes);
  const uses = measureProcesses(samples, windows).filter(({ role }) => role === name);
  const cpu = measureCpu(records.processes, { name, rootPids, uses, windows });
  const segments = recordings.flatMap(recording => recording.segments);
  const pids = uses.map(({ pid }) => pid);
  const analysis =
    profiles.length === 0
      ? null
      : analyseProfile({
          profile: mergeProfiles(profiles),
          rules,
          windows,
          workersMs: cpu?.cpuMs ?? null,
          sampledShare: measureSamplingCoverage(
            segments,
            pids,
            createCpuReader(records.processes, windows),
          ),
          failedLooks: sum(ofKind(segments, 'segment').map(({ errors = 0 }) => errors)),
        });
  const per = cpu && requests ? { cpuMs: cpu.cpuMs / requests, requests } : null;
  return {
    name,
    rootPids,
    ended: recordings.filter(({ reason }) => reason !== null && reason !== 'stopped').length,
    cpu,
    perRequest: per,
    samples: analysis?.samples ?? null,
    samplesToCpu: analysis?.cpu.samplesToCpu ?? null,
    categories: (analysis?.categories ?? []).map(category => ({
      ...category,
      cpuMsPerRequest: costOf(per && { value: per.cpuMs, low: null, high: null }, category.share),
    })),
    hotPaths: analysis?.hotPaths ?? [],
    causes: analysis?.causes ?? [],
  };
}

/** @param {RunRecords} records @param {number} n from 1 on @param {import('../../facts/rules.d.ts').Rules} rules */
async function readRecording({ files: all, manifest }, n, rules) {
  const files = taskWorkerFiles(all, n);
  const { records: segments } = await readRecords(files, manifest, 'segments');
  const { records: calls } = await readRecords(files, manifest, 'calls');
  const profile = await readRunProfile({ files, segments });
  const { reason = null } = ofKind(segments, 'recording-end')[0] ?? {};
  return { segments, profile: profile && nameCalls(profile, calls, rules), reason };
}

/**
 * CPU time of all task workers, including those that came and went between two readings (RQ starts a process per job).
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`
 * @param {{name: string, rootPids: number[], uses: import('../read/cpu.js').ProcessUse[], windows: TimeRange[]}} group
 * @returns {TaskWorkers['cpu']} null where it was not recorded
 */
function measureCpu(records, { name, rootPids, uses, windows }) {
  const lengthMs = totalLengthMs(windows);
  const inside = ofKind(records, 'group').filter(
    group =>
      group.name === name &&
      windows.some(({ startMs, endMs }) => group.t >= startMs && group.t <= endMs),
  );
  if (lengthMs === 0 || inside.length === 0) return null;
  const cpuMs = sum(uses.map(use => use.cpuMs));
  const processes = mean(inside.map(group => group.processes));
  const below = Math.max(0, processes - rootPids.length);
  // The first process hands tasks out if others run all the time. Otherwise it runs the tasks, or waits for the
  // process that does.
  const areBelow = below >= rootPids.length;
  const rootsMs = sum(uses.filter(({ pid }) => rootPids.includes(pid)).map(use => use.cpuMs));
  const [ranMs, running] = areBelow ? [cpuMs - rootsMs, below] : [cpuMs, rootPids.length];
  const [cores, coresEach] = [cpuMs / lengthMs, ranMs / lengthMs / running];
  return { cpuMs, cores, running, areBelow, coresEach, isFull: coresEach >= FULL };
}
