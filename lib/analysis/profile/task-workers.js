/** Workers of a task queue, recorded beside the server: a group of its own, in none of the API's figures. */

import { mean, sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { markDroppedLogs } from '../hotpath/dropped-logs.js';
import { nameCalls } from '../hotpath/name-calls.js';
import { createCpuReader, measureProcesses, withUnseen } from '../read/cpu.js';
import { isWithin, totalLengthMs } from '../read/load/load-totals.js';
import { mergeProfiles } from '../stacks/merge-profiles.js';
import { analyseProfile } from './analyse-profile.js';
import { mendStacks } from './mend-stacks.js';
import { costOf } from './profile-costs.js';
import { measureSamplingCoverage } from './profile-report.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { RunRead } from '../read/read-folder.js' */
/** @import { TaskWorkers } from '../../run/facts/profile-report.d.ts' */
/** @import { TimeRange } from '../../base/math/estimate.d.ts' */

/** Cores per worker above which they take no more tasks. */
const FULL = 0.9;

/**
 * @param {RunRead} read
 * @param {import('../../run/facts/rules.d.ts').Rules} rules
 * @param {number | null} requests of the whole API in the windows
 * @returns {TaskWorkers | null} null where none were recorded
 */
export function analyseTaskWorkers({ records, scope, taskWorkers: recordings }, rules, requests) {
  const known = records.manifest.profile?.taskWorkers;
  if (!known) return null;
  const { name, rootPids } = known;
  const { windows } = scope;
  const profiles = recordings.flatMap(({ profile, calls }) =>
    profile ? markDroppedLogs(nameCalls(profile, calls, rules), calls) : [],
  );
  const samples = withUnseen(records.processes);
  const uses = measureProcesses(samples, windows).filter(({ role }) => role === name);
  const cpu = measureCpu(records.processes, { name, rootPids, uses, windows });
  const segments = recordings.flatMap(recording => recording.segments);
  const pids = uses.map(({ pid }) => pid);
  const analysis =
    profiles.length === 0
      ? null
      : analyseProfile({
          profile: mendStacks(mergeProfiles(profiles)),
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

/**
 * CPU time of all task workers, including those that came and went between two readings (RQ starts a process per job).
 * @param {RecordOf<'processes'>[]} records of `resources/processes.ndjson`
 * @param {{name: string, rootPids: number[], uses: import('../read/cpu.js').ProcessUse[], windows: TimeRange[]}} group
 * @returns {TaskWorkers['cpu']} null where it was not recorded
 */
function measureCpu(records, { name, rootPids, uses, windows }) {
  const lengthMs = totalLengthMs(windows);
  const inside = ofKind(records, 'group').filter(
    group => group.name === name && isWithin(windows, group.t),
  );
  if (lengthMs === 0 || inside.length === 0) return null;
  const cpuMs = sum(uses.map(use => use.cpuMs));
  const below = Math.max(0, mean(inside.map(group => group.processes)) - rootPids.length);
  // The first process hands tasks out if others run all the time. Otherwise it runs the tasks, or waits for the
  // process that does.
  const areBelow = below >= rootPids.length;
  const rootsMs = sum(uses.filter(({ pid }) => rootPids.includes(pid)).map(use => use.cpuMs));
  const [ranMs, running] = areBelow ? [cpuMs - rootsMs, below] : [cpuMs, rootPids.length];
  const [cores, coresEach] = [cpuMs / lengthMs, ranMs / lengthMs / running];
  return { cpuMs, cores, running, areBelow, coresEach, isFull: coresEach >= FULL };
}
