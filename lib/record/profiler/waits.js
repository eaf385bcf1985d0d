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
 * Samples per second. With 64 threads a second py-spy at this rate costs 0.03 of a core, and 20 s give 100 samples of
 * each thread. With one worker of 8 threads, sampling costs 0.005 and `--subprocesses` 0.02: it searches for new
 * processes all the time, at any rate.
 */
const RATE_HZ = 5;
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
 * @param {number} [options.segmentMs]
 * @returns {Chain | null} null if the workers have no threads of their own. Nothing rejects: a profile without waits
 *   is still a profile, and the index records what is missing
 */
export function startWaits(options) {
  const { files, index, calls, workerClass = null, segmentMs = SEGMENT_MS } = options;
  const { masterPid, pySpy, sudo, redact } = options;
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
        ...{ masterPid, pySpy, sudo, redact, rateHz: RATE_HZ, segmentMs, idle: true, file },
        // Two py-spy processes that pause the target disturb each other: 29 of 30 samples of this one failed, and
        // 2 % of the other's. Without pauses 1 of 30 failed, and none of the other's.
        mode: 'nonblocking',
        logFile: files.pySpyLog,
      });
      // Recorded before the segment ends: py-spy outlives a kill -9 of loadflame long enough to write its file.
      segment.sampling.then(isSampling => {
        const startMs = segment.startMs();
        if (!isSampling) return;
        index.append('waits-start', { file: path.basename(file), startMs, rateHz: RATE_HZ });
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
