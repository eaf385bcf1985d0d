/** Starts everything that is recorded during the load: profile, CPU times and memory, logs. */
import path from 'node:path';
import { makeFolder } from '../base/files/own-files.js';
import { isClusterNamed } from '../base/kubernetes/permissions.js';
import { attempt } from '../base/process/attempt.js';
import { startLogRecorder } from '../record/logs/recorder.js';
import { startProbes } from '../record/probes/probe-recorder.js';
import { startPodProfiler } from '../record/profiler/pod-recorder.js';
import { startProfiler } from '../record/profiler/recorder.js';
import { startResourceRecorder } from '../record/resources/recorder.js';
import { createServiceFinder } from '../record/target/listening-socket.js';
import { listServing } from '../record/target/process-family.js';
import { taskWorkerFiles, WORKER_CHILDREN, WORKER_SERVICES } from '../run/run-folder.js';

/** @import { Config } from '../base/config/read-config.js' */
/** @import { NdjsonWriter } from '../run/ndjson.js' */
/** @import { Redactor } from '../base/files/redaction.js' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { TaskWorkers } from '../record/target/find-task-workers.js' */
/** @import { PreparedScript } from '../load/prepare-script.js' */
/** @import { LoadOptions } from '../load/load.d.ts' */
/** @import { RecordedProbe } from '../record/probes/read-probe.js' */
/** @import { PodServer } from '../record/profiler/pod-recorder.js' */
/** @import { RecordedGroup } from '../record/resources/watch-groups.js' */
/** @import { Profiler, ProfilerOptions } from '../record/profiler/recorder.js' */

/**
 * @typedef {Pick<ProfilerOptions, 'pySpy'> & {server: ProfilerOptions['server'] | null, pods?: PodServer[],
 *   taskWorkers?: TaskWorkers | null, source?: boolean}} ProfileTarget `server`: null if the servers run in `pods`;
 *   `taskWorkers` are recorded at the same time, as a separate group; `source`: passed on to the profiler
 */

/**
 * @typedef {object} RecordingOptions
 * @property {Config} config
 * @property {{script: string, options: LoadOptions} | null} load
 *   what to send; null records a profile until stopped
 * @property {ProfileTarget | null} profile what to record; null sends load only
 * @property {RecordedGroup[]} [processes] groups of processes whose CPU time and memory are recorded under a name
 * @property {RecordedProbe[]} [probes] figures that services report about themselves
 * @property {ProfilerOptions['server'][]} [servers] their processes are recorded even without a profile
 * @property {(text: string) => void} onProgress the current activity
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
 * Starts what a run records during the load.
 * @param {RecordedRun} run
 * @throws {LoadflameError} what the recorders throw; none is running then
 */
export async function startRecorders(run) {
  const { files, config, profile, onProgress, onWriteError, joined, redactor } = run;
  const servers = run.servers ?? (profile?.server ? [profile.server] : []);
  const taskWorkers = profile?.taskWorkers ?? null;
  let generatorPid = 0;
  const serving = () => servers.flatMap(listServing);
  /** @returns {{pid: number, role: string}[]} */
  const roles = () => [
    ...servers.flatMap(({ masterPid: pid }) => (pid ? [{ pid, role: 'master' }] : [])),
    ...serving().map(pid => ({ pid, role: 'worker' })),
    ...profilers.flatMap(profiler => profiler.pids()).map(pid => ({ pid, role: 'py-spy' })),
    ...(generatorPid ? [{ pid: generatorPid, role: 'generator' }] : []),
    ...(joined ? [] : [{ pid: process.pid, role: 'loadflame' }]),
  ];
  /** The server's profiler, then one for each task worker. @type {Profiler[]} */
  const profilers = [];
  const logs = startLogRecorder({ ...run, logFiles: config.get('LOG_FILES') });
  const cluster = await startCluster({ ...run, openLog: logs.openPod }).catch(async error => {
    await logs.stop();
    throw error;
  });
  const probes = startProbes(run.probes ?? [], run);
  const groups = [...(run.processes ?? [])];
  if (taskWorkers) {
    const find = () => taskWorkers.roots.map(({ rootPid }) => rootPid);
    groups.push({ name: taskWorkers.name, selector: { find }, members: 'all' });
  }
  // Last: a process belongs to the first group that has it.
  if (servers.length > 0) {
    groups.push({ name: WORKER_CHILDREN, selector: { find: serving }, members: 'children' });
    const findServices = createServiceFinder();
    const find = () => findServices(serving());
    groups.push({ name: WORKER_SERVICES, selector: { find }, members: 'all' });
  }
  const resources = run.load?.options.inside
    ? // The load runs elsewhere, so this machine's resources say nothing about it.
      { sampleNow: () => {}, stop: () => {} }
    : startResourceRecorder({ roles, groups, helpers: probes.pids, files, onWriteError });
  const note = (/** @type {string} */ line) => {
    const message = redactor.redactText(line);
    run.events.append('recorder-died', { source: 'session', message });
    run.onNote(message);
  };
  const end = (/** @type {{stop: () => unknown}} */ recorder) =>
    attempt('the end of a recorder', () => recorder.stop(), note);
  const stop = async () => {
    await Promise.all([...profilers, logs, probes, cluster].map(end));
    await end(resources);
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
        // Their waits are not part of any request.
        profilers.push(await startProfiler({ ...options, server: root, files: own, waits: false }));
      }
    } catch (error) {
      await stop();
      throw error;
    }
  }
  // From now on, the server is idle.
  resources.sampleNow();
  return {
    profiler: profilers[0] ?? null,
    /** null if no samples are taken */
    stats: () => (profile?.pySpy || profile?.pods ? (profilers[0]?.stats() ?? null) : null),
    /** The load begins: takes a resource sample and starts a new segment here. @param {number} pid of the generator */
    markLoad: async pid => {
      generatorPid = pid;
      resources.sampleNow();
      const roll = () => Promise.all(profilers.map(profiler => profiler.roll()));
      await attempt('a new segment of the profile', roll, note);
    },
    stop,
  };
}

/**
 * The recorder is imported only if the run names a cluster; most runs do not.
 * @param {Parameters<typeof import('../record/cluster/recorder.js').startClusterRecorder>[0]} options
 */
async function startCluster(options) {
  if (!isClusterNamed(options.config)) return { stop: async () => {} };
  const { startClusterRecorder } = await import('../record/cluster/recorder.js');
  return startClusterRecorder(options);
}
