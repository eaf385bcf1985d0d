/** A chain of segments without gaps: the next py-spy samples before the previous one stops. */
import { setTimeout as sleep } from 'node:timers/promises';

/** @import { Segment, SegmentEnd } from './start-py-spy.js' */

/** Gives up after this many failures in a row. */
const MOST_FAILURES = 5;
const RETRY_MS = 200;
/**
 * The first sample comes 7 ms after the line "Sampling process", and the last one 6 to 11 ms before SIGINT.
 * Without this overlap the gap is 20 ms (median of 28 at 200 Hz on two busy cores; 2 to 108), with it 0; with
 * 30 ms both sample for 17 ms. In 60 hand-overs within a minute no sample was missing.
 */
const OVERLAP_MS = 15;
/** Assumed time from the start of py-spy to its first sample, until one was measured. */
const FIRST_LEAD_MS = 100;
/** Weight of the last start in the estimate for the next (exponential smoothing). */
const LEAD_LEARNING = 0.3;
/** The reason if the caller stopped the chain. */
const STOPPED = 'stopped';

/**
 * @typedef {object} ChainOptions
 * @property {number} segmentMs hand-overs happen at its multiples since the epoch, so that windows of whole seconds
 *   contain whole segments; a segment that starts between them lasts 0.5 to 1.5 times as long
 * @property {(n: number) => Segment} startSegment
 * @property {(end: SegmentEnd) => void} onSegment a segment has its file
 * @property {(end: SegmentEnd) => void} onLost a segment was sampling and left no file
 * @property {(reason: string) => void} onDied py-spy ended by itself, or failed to start
 * @property {() => string | null} whyOver called when py-spy ended by itself: why there is nothing left to record;
 *   null to continue
 */

/**
 * @typedef {object} Chain
 * @property {Promise<string | null>} started null when the first segment samples, else why it does not
 * @property {() => Promise<void>} roll hands over now; resolves when that is done, or the chain has ended
 * @property {(reason?: string) => Promise<string>} stop idempotent; the first reason counts
 * @property {Promise<string>} ended why it ended; never rejects
 * @property {() => number[]} pids of the running py-spy processes
 */

/**
 * During the few milliseconds of a hand-over both py-spy processes sample, so a moment may be in both segments.
 * This is not corrected: in a minute it added 0.3 % to the samples that the rate implies.
 * @param {ChainOptions} options
 * @returns {Chain}
 */
export function startChain({ segmentMs, startSegment, onSegment, onLost, onDied, whyOver }) {
  let n = 0;
  let failures = 0;
  /** @type {Set<Segment>} */
  const running = new Set();
  /** @type {string | null} */
  let stopReason = null;
  /** @type {(() => void)[]} */
  const rolls = [];
  let wake = () => {};
  /** Why the last segment that should have begun does not sample. */
  let failedStart = '';
  let leadMs = FIRST_LEAD_MS;

  /** Starts the next and waits until it samples. @returns {Promise<Segment | null>} */
  const begin = async () => {
    const startedMs = Date.now();
    try {
      const segment = startSegment(++n);
      running.add(segment);
      segment.ended.then(() => running.delete(segment));
      if (await segment.sampling) {
        leadMs += (Date.now() - startedMs - leadMs) * LEAD_LEARNING;
        return segment;
      }
      failedStart = (await segment.ended).reason;
    } catch (error) {
      // A full disk must not end the measurement.
      failedStart = /** @type {Error} */ (error).message;
    }
    failures++;
    return null;
  };

  /** @param {SegmentEnd} end */
  const settle = end => {
    if (end.isWritten) {
      failures = 0;
      onSegment(end);
    } else {
      failures++;
      onLost(end);
      onDied(end.reason);
    }
  };

  /**
   * Waits until the next segment is due or requested.
   * @param {Segment} segment
   * @returns {Promise<boolean>} true if this segment ended by itself meanwhile
   */
  const waitFor = segment =>
    new Promise(resolve => {
      const endMs = findBeat(segment.startMs() ?? Date.now(), segmentMs);
      // The middle of the hand-over falls on the beat.
      const wakeMs = endMs - leadMs - OVERLAP_MS / 2;
      const timer = setTimeout(() => resolve(false), Math.max(0, wakeMs - Date.now()));
      wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
      segment.ended.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
      if (stopReason !== null || rolls.length > 0) wake();
    });

  /** Starts a new segment after one that ended by itself. @returns {Promise<Segment | null>} */
  const recover = async () => {
    while (failures < MOST_FAILURES && stopReason === null && whyOver() === null) {
      const segment = await begin();
      if (segment) return segment;
      onDied(failedStart);
      await sleep(RETRY_MS * failures);
    }
    return null;
  };

  /** @param {Segment | null} first @returns {Promise<string>} */
  const run = async first => {
    let current = first;
    while (current) {
      const hasEnded = await waitFor(current);
      const waiting = rolls.splice(0);
      if (hasEnded) {
        settle(await current.ended);
        current = await recover();
      } else if (stopReason !== null) {
        settle(await current.end());
        current = null;
      } else {
        const next = await begin();
        if (next) {
          await sleep(OVERLAP_MS);
          settle(await current.end());
          current = next;
        } else {
          current = await retryLater(current);
        }
      }
      for (const done of waiting) done();
    }
    for (const done of rolls.splice(0)) done();
    return stopReason ?? whyOver() ?? `py-spy failed ${MOST_FAILURES} times in a row`;
  };

  /** The next segment did not start: the current one continues, well within its bound. @param {Segment} current */
  const retryLater = async current => {
    if (whyOver() === null && stopReason === null) onDied(failedStart);
    if (failures >= MOST_FAILURES) {
      settle(await current.end());
      return null;
    }
    await Promise.race([sleep(RETRY_MS * failures), current.ended]);
    return current;
  };

  const first = begin();
  const started = first.then(segment => (segment ? null : failedStart));
  const ended = first.then(run);
  return {
    started,
    ended,
    pids: () => [...running].flatMap(segment => segment.pid() ?? []),
    stop: (reason = STOPPED) => {
      stopReason ??= reason;
      wake();
      return ended;
    },
    roll: async () => {
      /** @type {PromiseWithResolvers<void>} */
      const { promise, resolve } = Promise.withResolvers();
      rolls.push(resolve);
      wake();
      await Promise.race([ended, promise]);
    },
  };
}

/**
 * The first multiple of a length that is at least half a length away.
 * @param {number} startMs epoch
 * @param {number} lengthMs
 */
export function findBeat(startMs, lengthMs) {
  return Math.ceil((startMs + lengthMs / 2) / lengthMs) * lengthMs;
}
