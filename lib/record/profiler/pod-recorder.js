/** Records the profile of servers in pods: py-spy runs in each pod, and its segments arrive over the connection. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../base/errors.js';
import { appendText } from '../../base/files/own-files.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { LIST_PROCESSES, listListedWorkers, readProcessList } from '../target/process-list.js';
import { startChain } from './segment-chain.js';
import { startSegment } from './start-py-spy.js';

/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { Redact } from './clean-segment.js' */
/** @import { PySpy } from './find-py-spy.js' */
/** @import { Profiler } from './recorder.js' */
/** @import { Launch } from './start-py-spy.js' */

/**
 * @typedef {object} PodServer
 * @property {string} pod
 * @property {StartInPod} start
 * @property {PySpy} pySpy `path` is in the pod
 * @property {number} rootPid its first process, in the pod's pid namespace
 * @property {number | null} masterPid the same if that process only waits for its workers
 * @property {number} startTicks of the first process
 * @property {string} kind
 * @property {'blocking' | 'nonblocking'} mode
 * @property {string | null} python
 */

/**
 * @callback StartInPod
 * @param {string[]} command
 * @param {{onOutput: (bytes: Buffer) => void, onError: (bytes: Buffer) => void, reads?: boolean}} options
 * @returns {Promise<{ended: Promise<{exitCode: number | null, reason: string}>, endInput: () => void, leave: () => void}>}
 */

/** Each pod counts its processes from 1 and has fewer than this, so the pids of pod n start at n times this. */
const PIDS_OF_POD = 10_000_000;
/** Masters that only wait for their workers: those of all pods are recorded as one process. */
const MASTER_OF_PODS = PIDS_OF_POD;
const GONE = 'the pod, or its server, is gone';
/** Lists the processes every second, as on this machine, with a mark after each list. */
const END_OF_LIST = '\n==> end <==\n';
const WATCH = `while ${LIST_PROCESSES}; printf '${END_OF_LIST.replaceAll('\n', '\\n')}'; do sleep 1; done`;
const MOST_LIST_CHARS = 1 << 20;
/** Connections that may break in a row: then the pod counts as gone. */
const TRIES = 3;
const RETRY_MS = 500;
/**
 * py-spy writes to a pipe made by the shell, which belongs to our user; the pipe of the connection may not. A line
 * on the input, or its end, makes py-spy write its file.
 */
const RECORD = `exec 4<&0
{ "$@" 3>&1 >&2 4<&- </dev/null &
  p=$!
  { read x <&4; kill -INT $p; } >/dev/null 2>&1 &
  w=$!
  wait $p
  kill $w
} | cat`;
/** The path of the shell's pipe in the pod. */
const OUTPUT = '/dev/fd/3';

/**
 * @param {object} options
 * @param {PodServer[]} options.pods at least one
 * @param {RunFiles} options.files
 * @param {Redact} options.redact
 * @param {number} options.rateHz
 * @param {number} [options.segmentMs]
 * @returns {Promise<Profiler>}
 * @throws {LoadflameError} PYSPY_FAILED if it starts in no pod
 */
export async function startPodProfiler({ pods, files, redact, rateHz, segmentMs = 5000 }) {
  const index = createNdjsonWriter(files.segments);
  const events = createNdjsonWriter(files.events);
  const stats = { samples: 0, segments: 0 };
  let count = 0;
  const recordings = pods.map((server, at) =>
    recordPod(server, {
      rename: pid => (pid === server.masterPid ? MASTER_OF_PODS : (at + 1) * PIDS_OF_POD + pid),
      rateHz,
      segmentMs,
      redact,
      nextFile: () => path.resolve(files.segment(++count)),
      logFile: files.pySpyLog,
      index,
      processes: createNdjsonWriter(files.processes),
      tell: (kind, message) => events.append(kind, { source: 'profiler', message }),
      stats,
    }),
  );

  const failures = await Promise.all(recordings.map(({ chain }) => chain.started));
  const { rootPid, kind: server, pySpy, mode, python } = /** @type {PodServer} */ (pods[0]);
  if (failures.every(failure => failure !== null)) {
    await Promise.all(recordings.map(({ chain }) => chain.stop()));
    throw new LoadflameError('PYSPY_FAILED', { pid: rootPid, tail: failures[0] });
  }
  index.append('recording-start', {
    ...{ rootPid: null, masterPid: findPodMaster(pods), server, rateHz, python, sudo: false },
    recorder: { name: 'py-spy', version: pySpy.version, pausesTarget: mode === 'blocking' },
    ...{ pods: pods.map(({ pod }) => pod), notRemote: 'it runs in a pod' },
  });
  const ended = Promise.all(recordings.map(one => one.ended)).then(([reason = GONE]) => {
    index.append('recording-end', { reason });
    return { reason };
  });
  return {
    stats: () => ({ ...stats }),
    pids: () => [],
    roll: async () => {
      await Promise.all(recordings.map(({ chain }) => chain.roll()));
    },
    stop: async () => {
      await Promise.all(recordings.map(({ chain }) => chain.stop()));
      return ended;
    },
    ended,
  };
}

/**
 * @typedef {object} PodContext
 * @property {(pid: number) => number} rename
 * @property {number} rateHz
 * @property {number} segmentMs
 * @property {Redact} redact
 * @property {() => string} nextFile
 * @property {string} logFile
 * @property {import('../../run/ndjson.js').NdjsonWriter} index
 * @property {import('../../run/ndjson.js').NdjsonWriter} processes
 * @property {(kind: string, message: string) => void} tell an event
 * @property {{samples: number, segments: number}} stats
 */

/** Records one pod until it, or its server, is gone. @param {PodServer} server @param {PodContext} context */
function recordPod(server, context) {
  const { pod, rootPid: masterPid, pySpy, mode } = server;
  const { rename, rateHz, segmentMs, redact, nextFile, logFile } = context;
  const { index, processes, tell, stats } = context;
  const watch = watchPod(server, { rename, index, processes });
  const about = { pySpy, masterPid, rateHz, segmentMs, mode, redact, rename, logFile };
  const launch = launchInPod(server);
  const chain = startChain({
    segmentMs,
    startSegment: () => startSegment({ ...about, sudo: false, file: nextFile(), launch }),
    onSegment: ({ isWritten: _, reason: __, file, ...figures }) => {
      index.append('segment', { file: path.basename(file), ...figures });
      stats.segments++;
      stats.samples += figures.samples;
    },
    onLost: ({ startMs, endMs, reason }) =>
      index.append('segment-lost', { startMs, endMs, reason }),
    onDied: reason => {
      if (!watch.isGone()) tell('recorder-died', `${pod}: ${reason}`);
    },
    whyOver: () => (watch.isGone() ? GONE : null),
  });
  void watch.ended.then(() => watch.isGone() && void chain.stop(GONE));
  void chain.started.then(
    failure => failure !== null && tell('recorder-died', `${pod}: ${failure}`),
  );
  const ended = chain.ended.then(reason => {
    watch.stop();
    if (reason === GONE) tell('target-gone', `${pod}: ${GONE}`);
    return reason;
  });
  return { chain, ended };
}

/** @param {Pick<PodServer, 'masterPid'>[]} pods */
export function findPodMaster(pods) {
  return pods.some(({ masterPid }) => masterPid !== null) ? MASTER_OF_PODS : null;
}

/** @param {PodServer} server @returns {Launch} */
function launchInPod({ start }) {
  return (commandFor, file, logFile) => {
    appendText(logFile, '');
    /** @type {Error | null} */
    let unwritten = null;
    const writeTo = (/** @type {string} */ name) => (/** @type {Buffer} */ bytes) => {
      try {
        appendText(name, bytes);
      } catch (error) {
        // A full disk: the file is incomplete.
        unwritten ??= /** @type {Error} */ (error);
      }
    };
    const command = ['sh', '-c', RECORD, 'sh', ...commandFor(OUTPUT)];
    const starting = start(command, {
      reads: true,
      onOutput: writeTo(file),
      onError: writeTo(logFile),
    });
    const ended = starting
      .then(program => program.ended)
      .catch(({ message }) => ({ exitCode: null, reason: String(message) }))
      .then(async ({ exitCode, reason }) => {
        // If the pod is gone, its watch needs this time to notice.
        if (exitCode !== 0) await sleep((TRIES + 1) * RETRY_MS);
        const error = unwritten ?? (exitCode === 0 ? null : new Error(reason));
        return { exitCode, signal: null, error };
      });
    return {
      pid: () => null,
      signal: name =>
        starting.then(
          program => (name === 'INT' ? program.endInput() : program.leave()),
          () => {},
        ),
      ended,
    };
  };
}

/**
 * Records CPU time and memory of the server's processes every second, and workers that start and end.
 * @param {PodServer} server
 * @param {{rename: (pid: number) => number, index: import('../../run/ndjson.js').NdjsonWriter, processes: import('../../run/ndjson.js').NdjsonWriter}} context
 */
function watchPod({ pod, start, rootPid, masterPid, startTicks }, { rename, index, processes }) {
  let [isStopped, isGone, tries] = [false, false, 0];
  let leave = () => {};
  /** @type {Set<number>} */
  let known = new Set();
  /** @param {string} text */
  const look = text => {
    const list = readProcessList(text);
    const root = list.find(one => one.pid === rootPid && one.startTicks === startTicks);
    const all = root ? [root, ...listListedWorkers(list, rootPid)] : [];
    const found = new Set(all.map(({ pid }) => pid).filter(pid => pid !== masterPid));
    const name = (/** @type {number} */ pid) => ({ pid: rename(pid), name: `${pod}/${pid}` });
    for (const pid of found.difference(known)) index.append('worker-start', name(pid));
    for (const pid of known.difference(found)) index.append('worker-end', name(pid));
    known = found;
    isGone = !root;
    for (const { pid: own, cpuMs, rssBytes, threads, startTicks: ticks } of all) {
      const role = own === masterPid ? 'master' : 'worker';
      const pid = rename(own);
      processes.append('sample', { pid, role, cpuMs, rssBytes, threads, startTicks: ticks });
    }
    if (isGone) leave();
  };
  const run = async () => {
    for (; !isStopped && !isGone && tries < TRIES; tries++) {
      let text = '';
      const onOutput = (/** @type {Buffer} */ bytes) => {
        const lists = (text + bytes.toString('latin1')).split(END_OF_LIST);
        text = lists.pop()?.slice(-MOST_LIST_CHARS) ?? '';
        for (const list of lists) look(list);
        if (lists.length > 0) tries = 0;
      };
      const command = ['sh', '-c', WATCH];
      const program = await start(command, { onOutput, onError: () => {} }).catch(() => null);
      leave = program?.leave ?? leave;
      if (isStopped) leave();
      await program?.ended;
      if (!isStopped && !isGone) await sleep(RETRY_MS);
    }
    if (!isStopped && !isGone) look('');
  };
  return {
    isGone: () => isGone,
    ended: run(),
    stop: () => {
      isStopped = true;
      leave();
    },
  };
}
