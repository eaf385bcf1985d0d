/** Records what threads wait for: a second, slow py-spy that also samples threads that are not running. */
import path from 'node:path';
import { startChain } from './segment-chain.js';
import { startSegment } from './start-py-spy.js';

/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { recordCalls } from './call-recorder.js' */
/** @import { PySpy } from './find-py-spy.js' */
/** @import { Chain } from './segment-chain.js' */

/**
 * Samples per second, on average: py-spy samples at random times, so that e^(−10 · 0.5) = 0.7 % of the requests that wait
 * for 0.5 s have no sample, and 8 % at half the rate. A sample of a thread takes 0.1 ms of CPU, on a busy machine 0.5.
 * `--subprocesses` costs 0.02 of a core at any rate: it searches for new processes all the time.
 */
const RATE_HZ = 10;
/** With more threads in a worker, half of it. */
const MANY_THREADS = 8;
/** The most that a kill -9 of py-spy loses. Each start costs 0.04 to 0.08 CPU-s. */
const SEGMENT_MS = 20_000;

/**
 * @param {object} options
 * @param {number} options.masterPid
 * @param {PySpy} options.pySpy
 * @param {boolean} options.sudo
 * @param {RunFiles} options.files
 * @param {import('./clean-segment.js').Redact} options.redact
 * @param {NdjsonWriter} options.index `profile/segments.ndjson`
 * @param {ReturnType<typeof recordCalls>} [options.calls] reads the written files
 * @param {string | null} [options.workerClass] of gunicorn
 * @param {number | null} [options.threads] of a worker
 * @param {number} [options.segmentMs]
 * @returns {Chain | null} null if the workers have no threads of their own. Nothing rejects: a profile without waits
 *   is still a profile, and the index records what is missing
 */
export function startWaits(options) {
  const { files, index, calls, workerClass = null, threads, segmentMs = SEGMENT_MS } = options;
  const rateHz = (threads ?? 0) > MANY_THREADS ? RATE_HZ / 2 : RATE_HZ;
  // They serve many requests in one thread: waiting requests have no stack that py-spy could see.
  if (workerClass === 'tornado') {
    const reason = 'tornado workers serve requests without threads of their own';
    index.append('waits-lost', { reason });
    return null;
  }
  const chain = startChain({
    segmentMs,
    startSegment: n => {
      const file = path.resolve(files.waits(n));
      const segment = startSegment({
        ...{ ...options, rateHz, segmentMs, idle: true, file },
        // Two py-spy processes that pause the target disturb each other: 29 of 30 samples of this one failed, and
        // 2 % of the other's. Without pauses 1 of 30 failed, and none of the other's.
        mode: 'nonblocking',
        logFile: files.pySpyLog,
      });
      // Recorded before the segment ends: py-spy outlives a kill -9 of loadflame long enough to write its file.
      segment.sampling.then(isSampling => {
        const about = { file: path.basename(file), startMs: segment.startMs(), rateHz };
        if (isSampling) index.append('waits-start', about);
      });
      return segment;
    },
    onSegment: ({ file, startMs, endMs, samples, errors }) => {
      index.append('waits', { file: path.basename(file), startMs, endMs, samples, errors });
      calls?.look(file);
    },
    onLost: () => {},
    onDied: reason => index.append('waits-lost', { reason }),
    whyOver: () => null,
  });
  chain.started.then(reason => {
    if (reason !== null) index.append('waits-lost', { reason });
  });
  return chain;
}
