/** Everything that is recorded beside the load: profile, CPU times and memory, logs. */
import { listServing } from '../target/process-family.js';
import { startLogRecorder } from './logs/recorder.js';
import { startProbes } from './probes/probe-recorder.js';
import { startProfiler } from './profiler/recorder.js';
import { startResourceRecorder } from './resources/recorder.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { NdjsonWriter } from '../run/ndjson.js' */
/** @import { Redactor } from '../run/redaction.js' */
/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { SessionOptions } from '../session.js' */
/** @import { PreparedScript } from './load/prepare-script.js' */

/**
 * @typedef {Pick<SessionOptions, 'config' | 'profile' | 'processes' | 'probes' | 'server' | 'onProgress'> & {
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
  const { files, config, profile, onProgress, onWriteError, joined, events, redactor } = run;
  const server = profile?.server ?? run.server ?? null;
  let generatorPid = 0;
  /** @returns {{pid: number, role: string}[]} */
  const roles = () => [
    ...(server?.masterPid ? [{ pid: server.masterPid, role: 'master' }] : []),
    ...(server ? listServing(server) : []).map(pid => ({ pid, role: 'worker' })),
    ...(profiler?.pids() ?? []).map(pid => ({ pid, role: 'py-spy' })),
    ...(generatorPid ? [{ pid: generatorPid, role: 'generator' }] : []),
    ...(joined ? [] : [{ pid: process.pid, role: 'loadflame' }]),
  ];
  /** @type {Awaited<ReturnType<typeof startProfiler>> | null} */
  let profiler = null;
  const logs = await startLogRecorder({
    settings: readLogSettings(config),
    files,
    redactor,
    events,
    onWriteError,
  });
  const probes = startProbes(run.probes ?? [], { files, redactor, onWriteError });
  const resources = startResourceRecorder({
    roles,
    groups: run.processes,
    helpers: probes.pids,
    files,
    onWriteError,
  });
  if (profile) {
    onProgress('attaching the profiler …');
    try {
      profiler = await startProfiler({
        ...profile,
        rateHz: config.get('PROFILE_RATE'),
        profiler: config.get('PROFILER'),
        files,
      });
    } catch (error) {
      resources.stop();
      await Promise.all([logs.stop(), probes.stop()]);
      throw error;
    }
  }
  return {
    profiler,
    /** The load begins: CPU times and a new segment exactly here. @param {number} pid of the generator */
    markLoad: async pid => {
      generatorPid = pid;
      resources.sampleNow();
      await profiler?.roll();
    },
    stop: async () => {
      await Promise.all([profiler?.stop(), logs.stop(), probes.stop()]);
      resources.stop();
    },
  };
}

/** @param {Config} config */
export function readLogSettings(config) {
  return { files: config.get('LOG_FILES'), command: config.get('LOG_COMMAND') };
}
