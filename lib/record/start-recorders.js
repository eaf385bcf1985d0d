/** Everything that is recorded beside the load: profile, CPU times and memory, logs. */
import { createRandom } from '../random.js';
import { listWorkers } from '../target/list-workers.js';
import { startLogRecorder } from './logs/recorder.js';
import { startProbes } from './probes/probe-recorder.js';
import { startProfiler } from './profiler/recorder.js';
import { startResourceRecorder } from './resources/recorder.js';

/** @typedef {import('../session.js').SessionOptions} SessionOptions */
/** @typedef {import('./resources/watch-groups.js').RecordedGroup} RecordedGroup */
/** @typedef {import('./probes/read-probe.js').RecordedProbe} RecordedProbe */

/**
 * @typedef {Pick<SessionOptions, 'config' | 'profile' | 'processes' | 'probes' | 'gunicornPid' | 'measureOverhead' | 'onProgress'> & {
 *   files: import('../run/run-folder.js').RunFiles,
 *   events: import('../run/ndjson.js').NdjsonWriter,
 *   redactor: import('../run/redaction.js').Redactor,
 *   prepared: import('./load/prepare-script.js').PreparedScript | null,
 *   joined: boolean,
 *   onWriteError: (error: Error) => void,
 * }} RecordedRun
 */

/**
 * Starts what a run records beside the load.
 * @param {RecordedRun} run
 * @throws {import('../errors.js').LoadflameError} what the recorders throw; none is at work then
 */
export async function startRecorders(run) {
  const { files, config, profile, onProgress, onWriteError, joined, events, redactor } = run;
  const masterPid = profile?.masterPid ?? run.gunicornPid ?? null;
  let generatorPid = 0;
  /** @returns {{pid: number, role: string}[]} */
  const roles = () => [
    ...(masterPid
      ? [
          { pid: masterPid, role: 'master' },
          ...listWorkers(masterPid).map(pid => ({ pid, role: 'worker' })),
        ]
      : []),
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
    onProgress('attaching py-spy …');
    try {
      profiler = await startProfiler({
        ...profile,
        rateHz: config.get('PROFILE_RATE'),
        files,
        alternate: run.measureOverhead ? planWindows(run.prepared) : null,
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

/**
 * A dozen pairs of windows where the load is long enough for it; shorter ones than 3 s hold too little.
 * @param {RecordedRun['prepared']} prepared
 */
function planWindows(prepared) {
  const seconds = (prepared?.phases ?? []).map(phase => Number(phase.duration) || 0);
  const windowSec = Math.floor(Math.max(0, ...seconds) / 26);
  const seed = Date.now() % 2 ** 31;
  const windowMs = Math.min(10, Math.max(3, windowSec)) * 1000;
  return { windowMs, seed, random: createRandom(seed) };
}

/** @param {import('../config/read-config.js').Config} config */
export function readLogSettings(config) {
  return { files: config.get('LOG_FILES'), command: config.get('LOG_COMMAND') };
}
