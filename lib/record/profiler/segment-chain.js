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
export function startChain(options) {
  const chain = new SegmentChain(options);
  const first = chain.begin();
  const ended = first.then(segment => chain.run(segment));
  return {
    started: first.then(segment => (segment ? null : chain.failedStart)),
    ended,
    pids: () => chain.pids(),
    stop: reason => {
      chain.stop(reason);
      return ended;
    },
    roll: () => Promise.race([ended.then(() => {}), chain.roll()]),
  };
}

class SegmentChain {
  /** Why the last segment that should have begun does not sample. */
  failedStart = '';
  #options;
  #n = 0;
  #failures = 0;
  /** @type {Set<Segment>} */
  #running = new Set();
  /** @type {string | null} */
  #stopReason = null;
  /** @type {(() => void)[]} */
  #rolls = [];
  #wake = () => {};
  #leadMs = FIRST_LEAD_MS;

  /** @param {ChainOptions} options */
  constructor(options) {
    this.#options = options;
  }

  pids() {
    return [...this.#running].flatMap(segment => segment.pid() ?? []);
  }

  stop(reason = STOPPED) {
    this.#stopReason ??= reason;
    this.#wake();
  }

  /** @returns {Promise<void>} resolves after the next hand-over */
  roll() {
    return new Promise(resolve => {
      this.#rolls.push(resolve);
      this.#wake();
    });
  }

  /** Starts the next and waits until it samples. @returns {Promise<Segment | null>} */
  async begin() {
    const startedMs = Date.now();
    try {
      const segment = this.#options.startSegment(++this.#n);
      this.#running.add(segment);
      segment.ended.then(() => this.#running.delete(segment));
      if (await segment.sampling) {
        this.#leadMs += (Date.now() - startedMs - this.#leadMs) * LEAD_LEARNING;
        return segment;
      }
      this.failedStart = (await segment.ended).reason;
    } catch (error) {
      // A full disk must not end the measurement.
      this.failedStart = /** @type {Error} */ (error).message;
    }
    this.#failures++;
    return null;
  }

  /** @param {Segment | null} first @returns {Promise<string>} why it ended */
  async run(first) {
    let current = first;
    while (current) {
      const hasEnded = await this.#waitFor(current);
      const waiting = this.#rolls.splice(0);
      if (hasEnded) {
        this.#settle(await current.ended);
        current = await this.#recover();
      } else if (this.#stopReason !== null) {
        this.#settle(await current.end());
        current = null;
      } else current = await this.#handOver(current);
      for (const done of waiting) done();
    }
    for (const done of this.#rolls.splice(0)) done();
    const { whyOver } = this.#options;
    return this.#stopReason ?? whyOver() ?? `py-spy failed ${MOST_FAILURES} times in a row`;
  }

  /** @param {SegmentEnd} end */
  #settle(end) {
    const { onSegment, onLost, onDied } = this.#options;
    this.#failures = end.isWritten ? 0 : this.#failures + 1;
    if (end.isWritten) return onSegment(end);
    onLost(end);
    onDied(end.reason);
  }

  /**
   * Waits until the next segment is due or requested.
   * @param {Segment} segment
   * @returns {Promise<boolean>} true if this segment ended by itself meanwhile
   */
  #waitFor(segment) {
    return new Promise(resolve => {
      const endMs = findBeat(segment.startMs() ?? Date.now(), this.#options.segmentMs);
      // The middle of the hand-over falls on the beat.
      const wakeMs = endMs - this.#leadMs - OVERLAP_MS / 2;
      const timer = setTimeout(() => resolve(false), Math.max(0, wakeMs - Date.now()));
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
      segment.ended.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
      if (this.#stopReason !== null || this.#rolls.length > 0) this.#wake();
    });
  }

  /** Starts a new segment after one that ended by itself. @returns {Promise<Segment | null>} */
  async #recover() {
    const { whyOver, onDied } = this.#options;
    while (this.#failures < MOST_FAILURES && this.#stopReason === null && whyOver() === null) {
      const segment = await this.begin();
      if (segment) return segment;
      onDied(this.failedStart);
      await sleep(RETRY_MS * this.#failures);
    }
    return null;
  }

  /** @param {Segment} current continues, well within its bound, if the next one does not start */
  async #handOver(current) {
    const next = await this.begin();
    if (next) {
      await sleep(OVERLAP_MS);
      const end = await current.end();
      const other = end.isWritten ? null : await Promise.race([next.ended, sleep(RETRY_MS, null)]);
      // A kill that meets both is one loss: up to then, the next one recorded for a moment.
      const hasLostBoth = other?.isWritten === false;
      this.#settle(hasLostBoth ? { ...end, endMs: other.endMs } : end);
      return hasLostBoth ? this.#recover() : next;
    }
    const { whyOver, onDied } = this.#options;
    if (whyOver() === null && this.#stopReason === null) onDied(this.failedStart);
    if (this.#failures >= MOST_FAILURES) {
      this.#settle(await current.end());
      return null;
    }
    await Promise.race([sleep(RETRY_MS * this.#failures), current.ended]);
    return current;
  }
}

/**
 * The first multiple of a length that is at least half a length away.
 * @param {number} startMs epoch
 * @param {number} lengthMs
 */
export function findBeat(startMs, lengthMs) {
  return Math.ceil((startMs + lengthMs / 2) / lengthMs) * lengthMs;
}
