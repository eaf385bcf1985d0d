/** Recording the profile of a server: a chain of py-spy segments and what happened around them. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { isProcessAlive, isSameProcess, readProgram, readStartTicks } from '../../process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { listServing } from '../../target/process-family.js';
import { recordCalls } from './call-recorder.js';
import { checkPausing } from './check-pausing.js';
import { keepSudoFresh, obtainPrivileges } from './privileges.js';
import { startSegment } from './segment.js';
import { startChain } from './segment-chain.js';
import { startWaits } from './waits.js';

/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { ServerDescription } from '../../target/describe-server.js' */
/** @import { PySpy } from './find-py-spy.js' */

const SERVER_GONE = 'the server is gone';

/**
 * @typedef {object} ProfilerOptions
 * @property {Pick<ServerDescription, 'rootPid' | 'masterPid' | 'kind' | 'workerClass' | 'threads'>} server
 * @property {PySpy} pySpy
 * @property {RunFiles} files
 * @property {number} [rateHz] samples per second and thread
 * @property {number} [segmentMs] length of a segment: what a kill -9 loses at most
 * @property {boolean} [waits] also record what threads wait for; true
 */

/**
 * @typedef {object} ProfilerStats
 * @property {number} samples in the segments that are written
 * @property {number} segments written
 */

/**
 * @typedef {object} Profiler
 * @property {() => ProfilerStats} stats
 * @property {() => number[]} pids of the py-spies that run
 * @property {() => Promise<void>} roll begins a new segment now, so that a boundary of the load is one
 *   of the profile too
 * @property {() => Promise<{reason: string}>} stop writes the last segment; may be called again
 * @property {Promise<{reason: string}>} ended `stopped`, or why it ended by itself
 */

/**
 * Starts recording; resolves when the first segment samples. What it measures is on disk segment by
 * segment, and whatever happens to py-spy or to the server is an event in the run folder.
 * @param {ProfilerOptions} options
 * @returns {Promise<Profiler>}
 * @throws {LoadflameError} PYSPY_PERMISSION, PYSPY_NO_PROCESS, PYSPY_NOT_PYTHON, PYSPY_PTRACE_BLOCKED,
 *   PYSPY_FAILED, RUN_FOLDER_UNWRITABLE
 */
export async function startProfiler({
  server,
  pySpy,
  files,
  rateHz = 50,
  segmentMs = 5000,
  waits: withWaits = true,
}) {
  const { rootPid, masterPid, kind, workerClass, threads } = server;
  // py-spy notices a folder that it can't write to at the end, with everything measured lost.
  checkWritable(path.dirname(files.segments));
  const access = await obtainPrivileges({ pySpy, pid: rootPid });
  const { sudo, mode, asksPassword } = access;
  const program = mode === 'blocking' ? readProgram(rootPid) : null;
  const pausing = program && (await checkPausing(pySpy, program, { pauses: true }));
  const index = createNdjsonWriter(files.segments);
  const events = createNdjsonWriter(files.events);
  const calls = recordCalls({ pid: rootPid, file: files.calls });
  const stats = { samples: 0, segments: 0 };
  /** @type {ReturnType<typeof watchWorkers> | null} */
  let watch = null;

  const chain = startChain({
    segmentMs,
    startSegment: n =>
      startSegment({
        pySpy,
        masterPid: rootPid,
        rateHz,
        segmentMs,
        sudo,
        mode,
        file: path.resolve(files.segment(n)),
        logFile: files.pySpyLog,
      }),
    onSegment: ({ file, startMs, endMs, samples, errors, lateMs }) => {
      const name = path.basename(file);
      index.append('segment', { file: name, startMs, endMs, samples, errors, lateMs });
      stats.segments++;
      stats.samples += samples;
      calls.look(file);
    },
    onLost: ({ startMs, endMs, reason }) =>
      index.append('segment-lost', { startMs, endMs, reason }),
    onDied: message => events.append('recorder-died', { source: 'profiler', message }),
    whyOver: () => (watch?.isServerAlive() === false ? SERVER_GONE : null),
  });
  const failure = await chain.started;
  if (failure !== null) throw new LoadflameError('PYSPY_FAILED', { pid: rootPid, tail: failure });
  index.append('recording-start', {
    rootPid,
    masterPid,
    server: kind,
    rateHz,
    pySpy: pySpy.version,
    sudo,
    mode,
    python: access.python,
    pausing,
    workerClass,
    threads,
  });
  const waits = withWaits
    ? startWaits({ masterPid: rootPid, pySpy, sudo, files, index, calls, workerClass })
    : null;
  watch = watchWorkers({
    server,
    onWorkerStart: pid => index.append('worker-start', { pid }),
    onWorkerEnd: pid => index.append('worker-end', { pid }),
    onServerGone: () => {
      events.append('target-gone', {
        source: 'profiler',
        message: `${SERVER_GONE} (process ${rootPid})`,
        pid: rootPid,
      });
      // Idle workers end within a second, busy ones may serve on without it; no number of a load test
      // on such a target means anything. What was sampled up to now is kept.
      void chain.stop(SERVER_GONE);
    },
  });
  const stopKeeping = asksPassword ? keepSudoFresh() : () => {};
  const ended = chain.ended.then(async reason => {
    watch?.stop();
    await waits?.stop();
    await calls.stop();
    stopKeeping();
    index.append('recording-end', { reason });
    return { reason };
  });
  return {
    stats: () => ({ ...stats }),
    pids: () => [
      ...chain.segments().flatMap(segment => segment.pid() ?? []),
      ...(waits?.pids() ?? []),
    ],
    roll: async () => {
      await Promise.all([chain.roll(), waits?.roll()]);
    },
    stop: async () => {
      await Promise.all([chain.stop(), waits?.stop()]);
      return ended;
    },
    ended,
  };
}

/** @param {string} folder @throws {LoadflameError} RUN_FOLDER_UNWRITABLE */
function checkWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    throw new LoadflameError('RUN_FOLDER_UNWRITABLE', { folder, reason }, { cause });
  }
}

// -- Watches the processes that are profiled: workers that come and go, and the end of the first process.

/** py-spy itself looks for new processes every 100 ms; a restart need not be known to the moment. */
const POLL_MS = 250;

/**
 * @typedef {object} WatchOptions
 * @property {ProfilerOptions['server']} server
 * @property {(pid: number) => void} onWorkerStart also for those that are there from the start
 * @property {(pid: number) => void} onWorkerEnd
 * @property {() => void} onServerGone once; workers that outlive the first process are not reported
 */

/**
 * @param {WatchOptions} options
 * @returns {{isServerAlive: () => boolean, stop: () => void}}
 */
function watchWorkers({ server, onWorkerStart, onWorkerEnd, onServerGone }) {
  const startTicks = readStartTicks(server.rootPid);
  const isServerAlive = () => isSameProcess(server.rootPid, startTicks);
  /** @type {Set<number>} */
  let known = new Set();
  const look = () => {
    const found = new Set(listServing(server));
    if (!isServerAlive()) {
      clearInterval(timer);
      onServerGone();
      return;
    }
    for (const pid of found.difference(known)) onWorkerStart(pid);
    for (const pid of known.difference(found)) {
      // When a master dies its children go to another parent before it is gone: they have not ended.
      if (isProcessAlive(pid)) found.add(pid);
      else onWorkerEnd(pid);
    }
    known = found;
  };
  const timer = setInterval(look, POLL_MS);
  look();
  return { isServerAlive, stop: () => clearInterval(timer) };
}
