/** Records the profile of a server, with our own recorder or py-spy, and the events around it. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { LoadflameError, orThrow } from '../../base/errors.js';
import { createRedactor } from '../../base/files/redaction.js';
import {
  isProcessAlive,
  isSameProcess,
  readCommandLine,
  readStartTicks,
} from '../../base/process/process-table.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { areOwnPeersLocal } from '../target/listening-socket.js';
import { listServing } from '../target/process-family.js';
import { recordCalls } from './call-recorder.js';
import { obtainPrivileges } from './privileges.js';
import { startChain } from './segment-chain.js';
import { startSegment } from './start-py-spy.js';
import { startUnwinder } from './unwinder/start-unwinder.js';
import { startWaits } from './waits.js';

/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { ServerDescription } from '../target/describe-server.js' */
/** @import { Redact } from './clean-segment.js' */
/** @import { PySpy } from './find-py-spy.js' */

const SERVER_GONE = 'the server is gone';

/**
 * @typedef {object} ProfilerOptions
 * @property {Pick<ServerDescription, 'rootPid' | 'masterPid' | 'kind' | 'workerClass' | 'threads' | 'front'>} server
 * @property {PySpy | null} pySpy null if it takes no samples
 * @property {RunFiles} files
 * @property {Redact} [redact] takes secrets out of command lines
 * @property {number} [rateHz] samples per second and thread
 * @property {number} [segmentMs] length of a segment: the most that a kill -9 loses
 * @property {boolean} [waits] also record what threads wait for; default true
 * @property {boolean} [source] keep the lines of the app's functions with samples; default false
 * @property {'auto' | 'py-spy' | 'remote' | 'none'} [profiler] `remote` is our own recorder, for Python 3.15 and
 *   newer; `auto` uses it if it starts, and py-spy otherwise; `none` takes no samples
 */

/**
 * @typedef {object} ProfilerStats
 * @property {number} samples in the segments that are written
 * @property {number} segments written
 */

/**
 * @typedef {object} Profiler
 * @property {() => ProfilerStats} stats
 * @property {() => number[]} pids of the running recorders
 * @property {() => Promise<void>} roll begins a new segment now, so that the profile has the same boundary as the load
 * @property {() => Promise<{reason: string}>} stop writes the last segment; idempotent
 * @property {Promise<{reason: string}>} ended `stopped`, or why it ended by itself
 */

/**
 * Starts recording; resolves when it samples. It writes measurements continuously, and records what happens to the
 * recorder or the server as events in the run folder.
 * @param {ProfilerOptions} options
 * @returns {Promise<Profiler>}
 * @throws {LoadflameError} PROFILER_REFUSED, PYSPY_PERMISSION, PYSPY_NO_PROCESS, PYSPY_NOT_PYTHON,
 *   PYSPY_PTRACE_BLOCKED, PYSPY_FAILED, RUN_FOLDER_UNWRITABLE
 */
export async function startProfiler(options) {
  const { server, files, rateHz = 50, profiler = 'auto' } = options;
  const { redact = createRedactor().redactText } = options;
  const { rootPid, masterPid, kind, workerClass, threads } = server;
  // py-spy notices an unwritable folder only at the end, when everything it measured is lost.
  checkWritable(path.dirname(files.segments));
  const index = createNdjsonWriter(files.segments);
  const events = createNdjsonWriter(files.events);
  const source = options.source ? { file: files.source, redact } : null;
  const calls = recordCalls({ pid: rootPid, file: files.calls, source });
  const stats = { samples: 0, segments: 0 };
  /** @type {ReturnType<typeof watchWorkers> | null} */
  let watch = null;
  /** @type {SourceContext} */
  const context = {
    ...{ rateHz, index, calls, redact },
    onSegment: ({ file, ...segment }) => {
      index.append('segment', { file: path.basename(file), ...segment });
      stats.segments++;
      stats.samples += segment.samples;
    },
    onDied: message => events.append('recorder-died', { source: 'profiler', message }),
    whyOver: () => (watch?.isServerAlive() === false ? SERVER_GONE : null),
  };
  const pySpy = profiler === 'none' ? null : options.pySpy;
  const sampler = await startSampler({ ...options, pySpy }, context);
  index.append('recording-start', {
    ...{ rootPid, masterPid, server: kind, ...sampler.about, workerClass, threads },
    ...(pySpy && { rateHz }),
  });
  const waits = 'startWaits' in sampler ? sampler.startWaits() : null;
  watch = watchWorkers({
    server,
    onWorkerStart: pid => index.append('worker-start', { pid }),
    onWorkerEnd: pid => index.append('worker-end', { pid }),
    // Idle workers end within a second, busy ones may continue to serve without their master. The figures of a load
    // test on such a target mean nothing, but the samples up to now are kept.
    onServerGone: () => void sampler.stop(SERVER_GONE),
  });
  const ended = sampler.ended.then(async reason => {
    watch?.stop();
    // If all its processes end together, the recorder may notice before the watch does.
    if (reason === SERVER_GONE) {
      const message = `${SERVER_GONE} (process ${rootPid})`;
      events.append('target-gone', { source: 'profiler', message, pid: rootPid });
    }
    await waits?.stop();
    await calls.stop();
    index.append('recording-end', { reason, localPeers: watch?.areOwnPeersLocal() ?? null });
    return { reason };
  });
  return {
    stats: () => ({ ...stats }),
    pids: () => [...sampler.pids(), ...(waits?.pids() ?? [])],
    roll: async () => {
      if ('roll' in sampler) await Promise.all([sampler.roll(), waits?.roll()]);
    },
    stop: async () => {
      await Promise.all([sampler.stop(), waits?.stop()]);
      return ended;
    },
    ended,
  };
}

/**
 * @typedef {Pick<import('./unwinder/start-unwinder.js').UnwinderOptions, 'rateHz' | 'onDied' | 'whyOver'> & {
 *   index: import('../../run/ndjson.js').NdjsonWriter,
 *   calls: ReturnType<typeof recordCalls>,
 *   redact: Redact,
 *   onSegment: (segment: {file: string, samples: number, [figure: string]: unknown}) => void,
 * }} SourceContext what a recorder reports to
 */

/**
 * Starts our own recorder if it works here, else py-spy.
 * @param {ProfilerOptions} options
 * @param {SourceContext} context
 * @throws {LoadflameError} PROFILER_REFUSED, PYSPY_…
 */
async function startSampler(options, context) {
  const { server, files, pySpy, profiler = 'auto' } = options;
  const { rootPid } = server;
  const own =
    profiler === 'py-spy' || !pySpy
      ? { refusal: 'PROFILER=py-spy' }
      : await startUnwinder({
          ...context,
          rootPid,
          files,
          onCode: context.calls.count,
          onProcess: pid => {
            const command = context.redact((readCommandLine(pid) ?? []).join(' '));
            context.index.append('process', { pid, command });
          },
        });
  if (!('refusal' in own)) return own;
  if (profiler === 'remote')
    throw new LoadflameError('PROFILER_REFUSED', { pid: rootPid, reason: own.refusal });
  return pySpy ? startPySpy({ ...options, pySpy }, context, own.refusal) : takeNoSamples();
}

/** Only the processes are watched, until the server ends. */
function takeNoSamples() {
  /** @type {PromiseWithResolvers<string>} */
  const { promise: ended, resolve: end } = Promise.withResolvers();
  return {
    about: {},
    pids: () => [],
    stop: (reason = 'stopped') => {
      end(reason);
      return ended;
    },
    ended,
  };
}

/**
 * Runs py-spy in a chain of segments, and a second one for waiting threads.
 * @param {ProfilerOptions & {pySpy: PySpy}} options
 * @param {SourceContext} context
 * @param {string} notRemote why our own recorder is not used
 */
async function startPySpy(
  { server, pySpy, files, segmentMs = 5000, waits = true },
  { rateHz, index, calls, redact, onSegment, onDied, whyOver },
  notRemote,
) {
  const { rootPid } = server;
  const { sudo, python, mode } = await obtainPrivileges({ pySpy, pid: rootPid });
  const chain = startChain({
    segmentMs,
    startSegment: n =>
      startSegment({
        ...{ pySpy, masterPid: rootPid, rateHz, segmentMs, sudo, mode, redact },
        file: path.resolve(files.segment(n)),
        logFile: files.pySpyLog,
      }),
    onSegment: ({ file, startMs, endMs, samples, errors, lateMs }) => {
      onSegment({ file, startMs, endMs, samples, errors, lateMs });
      calls.look(file);
    },
    onLost: ({ startMs, endMs, reason }) =>
      index.append('segment-lost', { startMs, endMs, reason }),
    onDied,
    whyOver,
  });
  const failure = await chain.started;
  if (failure !== null) throw new LoadflameError('PYSPY_FAILED', { pid: rootPid, tail: failure });
  const recorder = { name: 'py-spy', version: pySpy.version, pausesTarget: mode === 'blocking' };
  const ofWaits = { ...server, masterPid: rootPid, pySpy, sudo, files, redact, index, calls };
  return {
    ...chain,
    about: { recorder, notRemote, sudo, python },
    startWaits: () => (waits ? startWaits(ofWaits) : null),
  };
}

/** @param {string} folder @throws {LoadflameError} RUN_FOLDER_UNWRITABLE */
function checkWritable(folder) {
  const mode = constants.W_OK | constants.X_OK;
  orThrow('RUN_FOLDER_UNWRITABLE', { folder }, () => accessSync(folder, mode));
}

// -- Watches the profiled processes: workers that start and end, and the end of the first process.

/** py-spy itself looks for new processes every 100 ms; the time of a restart need not be exact. */
const POLL_MS = 250;
/** Connections are checked at every nth poll. */
const PEERS_EVERY = 4;

/**
 * @typedef {object} WatchOptions
 * @property {ProfilerOptions['server']} server
 * @property {(pid: number) => void} onWorkerStart also called for workers that exist at the start
 * @property {(pid: number) => void} onWorkerEnd
 * @property {() => void} onServerGone once; workers that outlive the first process are not reported
 */

/**
 * @param {WatchOptions} options
 * @returns {{isServerAlive: () => boolean, areOwnPeersLocal: () => boolean | null, stop: () => void}}
 */
function watchWorkers({ server, onWorkerStart, onWorkerEnd, onServerGone }) {
  const startTicks = readStartTicks(server.rootPid);
  const isServerAlive = () => isSameProcess(server.rootPid, startTicks);
  /** @type {Set<number>} */
  let known = new Set();
  /** @type {boolean | null} */
  let local = null;
  let looks = 0;
  const look = () => {
    const found = new Set(listServing(server));
    if (!isServerAlive()) {
      clearInterval(timer);
      onServerGone();
      return;
    }
    for (const pid of found.difference(known)) onWorkerStart(pid);
    for (const pid of known.difference(found)) {
      // When a master dies, its children get another parent before it is gone: they have not ended.
      if (isProcessAlive(pid)) found.add(pid);
      else onWorkerEnd(pid);
    }
    known = found;
    // One remote peer settles the question.
    if (local !== false && looks++ % PEERS_EVERY === 0)
      local = areOwnPeersLocal([...found]) ?? local;
  };
  const timer = setInterval(look, POLL_MS);
  look();
  return { isServerAlive, areOwnPeersLocal: () => local, stop: () => clearInterval(timer) };
}
