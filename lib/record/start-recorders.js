/** Everything that is recorded beside the load: profile, CPU times and memory, logs. */
import path from 'node:path';
import { makeFolder } from '../files/own-files.js';
import { taskWorkerFiles } from '../run/run-folder.js';
import { listServing } from '../target/process-family.js';
import { isClusterNamed } from './cluster/permissions.js';
import { startLogRecorder } from './logs/recorder.js';
import { startProbes } from './probes/probe-recorder.js';
import { startPodProfiler } from './profiler/pod-recorder.js';
import { startProfiler } from './profiler/recorder.js';
import { startResourceRecorder } from './resources/recorder.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { NdjsonWriter } from '../run/ndjson.js' */
/** @import { Redactor } from '../files/redaction.js' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { TaskWorkers } from '../target/find-task-workers.js' */
/** @import { PreparedScript } from './load/prepare-script.js' */
/** @import { LoadOptions } from './load/load.d.ts' */
/** @import { RecordedProbe } from './probes/read-probe.js' */
/** @import { PodServer } from './profiler/pod-recorder.js' */
/** @import { RecordedGroup } from './resources/watch-groups.js' */
/** @import { Profiler, ProfilerOptions } from './profiler/recorder.js' */

/**
 * @typedef {Pick<ProfilerOptions, 'pySpy'> & {server: ProfilerOptions['server'] | null, pods?: PodServer[],
 *   taskWorkers?: TaskWorkers | null, source?: boolean}} ProfileTarget `server`: null where `pods` have them;
 *   `taskWorkers` are recorded at the same time, as a group of their own; `source`: as the profiler takes it
 */

/**
 * @typedef {object} RecordingOptions
 * @property {Config} config
 * @property {{script: string, options: LoadOptions} | null} load
 *   what to send; null records a profile until it is stopped
 * @property {ProfileTarget | null} profile what to record; null sends load only
 * @property {RecordedGroup[]} [processes] groups of processes whose CPU time and memory are recorded under a name
 * @property {RecordedProbe[]} [probes] figures that services report about themselves
 * @property {ProfilerOptions['server'][]} [servers] whose processes are recorded without a profile, too
 * @property {(text: string) => void} onProgress what is going on now
 * @property {(line: string) => void} onNote shown once
 */

/**
 * @typedef {RecordingOptions & {
 *   files: RunFiles,
 *   events: NdjsonWriter,
 *   redactor: Redactor,
 *   prepared: PreparedScript | null,
 *   joined: boolean,
 *   onWriteError: (error: Error) => void,
 * }} RecordedRun
 */

/**
 * Starts what a run records beside the load.
 * @param {RecordedRun} run
 * @throws {LoadflameError} what the recorders throw; none is at work then
 */
export async function startRecorders(run) {
  const { files, config, profile, onProgress, onWriteError, joined, redactor } = run;
  const servers = run.servers ?? (profile?.server ? [profile.server] : []);
  const taskWorkers = profile?.taskWorkers ?? null;
  let generatorPid = 0;
  /** @returns {{pid: number, role: string}[]} */
  const roles = () => [
    ...servers.flatMap(({ masterPid: pid }) => (pid ? [{ pid, role: 'master' }] : [])),
    ...servers.flatMap(listServing).map(pid => ({ pid, role: 'worker' })),
    ...profilers.flatMap(profiler => profiler.pids()).map(pid => ({ pid, role: 'py-spy' })),
    ...(generatorPid ? [{ pid: generatorPid, role: 'generator' }] : []),
    ...(joined ? [] : [{ pid: process.pid, role: 'loadflame' }]),
  ];
  /** The server's own, then one for each of the task workers. @type {Profiler[]} */
  const profilers = [];
  const logs = startLogRecorder({ ...run, logFiles: config.get('LOG_FILES') });
  const cluster = await startCluster({ ...run, openLog: logs.openPod }).catch(async error => {
    await logs.stop();
    throw error;
  });
  const probes = startProbes(run.probes ?? [], run);
  const groups = [...(run.processes ?? [])];
  const pids = taskWorkers?.roots.map(({ rootPid }) => rootPid);
  if (pids) groups.push({ name: taskWorkers?.name ?? '', selector: { pids }, members: 'all' });
  const resources = run.load?.options.inside
    ? // What this machine has to do is no part of the load.
      { sampleNow: () => {}, stop: () => {} }
    : startResourceRecorder({ roles, groups, helpers: probes.pids, files, onWriteError });
  const stop = async () => {
    await Promise.all([...profilers, logs, probes, cluster].map(recorder => recorder.stop()));
    resources.stop();
  };
  if (profile) {
    onProgress('attaching the profiler …');
    try {
      const options = {
        pySpy: profile.pySpy,
        redact: redactor.redactText,
        rateHz: config.get('PROFILE_RATE'),
        profiler: config.get('PROFILER'),
      };
      const { pods, server: first, source = false } = profile;
      if (pods) profilers.push(await startPodProfiler({ ...options, pods, files }));
      if (first) profilers.push(await startProfiler({ ...options, server: first, source, files }));
      for (const [index, root] of (taskWorkers?.roots ?? []).entries()) {
        const own = taskWorkerFiles(files, index + 1);
        makeFolder(path.dirname(own.segments));
        // What they wait for is no request's time.
        profilers.push(await startProfiler({ ...options, server: root, files: own, waits: false }));
      }
    } catch (error) {
      await stop();
      throw error;
    }
  }
  return {
    profiler: profilers[0] ?? null,
    /** null where no samples are taken */
    stats: () => (profile?.pySpy || profile?.pods ? (profilers[0]?.stats() ?? null) : null),
    /** The load begins: CPU times and a new segment exactly here. @param {number} pid of the generator */
    markLoad: async pid => {
      generatorPid = pid;
      resources.sampleNow();
      await Promise.all(profilers.map(profiler => profiler.roll()));
    },
    stop,
  };
}

/**
 * Most runs have none, and load nothing for it.
 * @param {Parameters<typeof import('./cluster/recorder.js').startClusterRecorder>[0]} options
 */
async function startCluster(options) {
  if (!isClusterNamed(options.config)) return { stop: async () => {} };
  const { startClusterRecorder } = await import('./cluster/recorder.js');
  return startClusterRecorder(options);
}
