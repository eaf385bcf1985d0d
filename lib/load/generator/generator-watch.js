/**
 * Watches one thread of the generator, per second: a measurement that the generator limited must be recognisable.
 */

import { PerformanceObserver } from 'node:perf_hooks';
import { Sketch } from '../../base/math/sketch.js';
import { quantile } from '../../base/math/summary.js';
import { startAlignedInterval } from '../../base/process/aligned-interval.js';
import { readText } from '../../base/process/process-table.js';
import { floorToSecond } from '../metrics/second-recorder.js';

/** @import { SketchJson } from '../../base/math/sketch.js' */
/** @import { PerformanceEntry } from 'node:perf_hooks' */

const SECOND_MS = 1000;
/** A second that begins within this time is the one that the record is about. */
const EARLY_MS = 50;

/**
 * A line of `load/metrics.ndjson` of kind `generator`, without its `t`.
 * @typedef {object} GeneratorRecord
 * @property {number} fromMs epoch, a whole second
 * @property {number} lengthMs length that the record covers: about 1000, more if the thread stalled at the end of a
 *   second, less in the first and the last second
 * @property {number} worker 1 … N
 * @property {number | null} cpuMs CPU time of this thread; null if the system does not report it
 * @property {number | null} queuedMs time in which this thread waited for a core; null if the system does not report it
 * @property {number} utilization of the event loop, 0 … 1
 * @property {LoopDelay} delayMs delay of the event loop
 * @property {SketchJson} [lagMs] of arrivals against the schedule; absent if no scheduled user arrived
 * @property {number} arrivals started users
 * @property {number} skipped arrivals above `maxVusers`
 * @property {number} sockets open now
 * @property {number} gcMaxMs longest pause of the garbage collector
 * @property {number} rssBytes of the whole process
 */

/**
 * @param {object} options
 * @param {number} options.worker 1 … N
 * @param {{open: number}} options.sockets read once a second
 * @param {(record: GeneratorRecord) => void} options.write called once a second, and by `stop`
 */
export function createGeneratorWatch({ worker, sockets, write }) {
  const delay = startLoopDelay();
  const gc = watchGc();
  let current = begin();
  const stopTimer = startAlignedInterval(() => {
    if (performance.now() - current.beganMs > EARLY_MS) writeRecord();
  }, SECOND_MS);

  return {
    /** A user was started. @param {number | null} lagMs against the schedule; null in a closed loop */
    arrived(lagMs) {
      current.arrivals += 1;
      if (lagMs === null) return;
      current.lag.accept(Math.max(0, lagMs));
      delay.touch();
    },
    /** An arrival was not started, because `maxVusers` were running. */
    skipped() {
      current.skipped += 1;
    },
    /** Writes the rest of the last second. */
    stop() {
      stopTimer();
      writeRecord();
      delay.stop();
      gc.stop();
    },
  };

  function writeRecord() {
    const late = delay.take();
    const { beganMs, cpuMs, queuedMs, loop, lag, ...counts } = current;
    current = begin();
    write({
      worker,
      ...counts,
      lengthMs: round(current.beganMs - beganMs),
      cpuMs: subtract(current.cpuMs, cpuMs),
      queuedMs: subtract(current.queuedMs, queuedMs),
      utilization: round(performance.eventLoopUtilization(current.loop, loop).utilization),
      delayMs: { p50: round(late.p50), p99: round(late.p99), max: round(late.max) },
      ...(lag.count > 0 && { lagMs: lag.toJson() }),
      sockets: sockets.open,
      gcMaxMs: gc.take(),
      rssBytes: process.memoryUsage.rss(),
    });
  }
}

/** The state at the beginning of a second, and what is counted in it. */
function begin() {
  return {
    fromMs: floorToSecond(Date.now() + EARLY_MS),
    beganMs: performance.now(),
    cpuMs: readThreadCpuMs(),
    queuedMs: readThreadSchedstat().queuedMs,
    loop: performance.eventLoopUtilization(),
    lag: new Sketch(),
    arrivals: 0,
    skipped: 0,
  };
}

/** @param {number | null} nowMs @param {number | null} beforeMs @returns {number | null} null if either is not known */
const subtract = (nowMs, beforeMs) =>
  nowMs === null || beforeMs === null ? null : round(nowMs - beforeMs);

/** @typedef {ReturnType<typeof createGeneratorWatch>} GeneratorWatch */

/** Keeps the longest pause of this thread's garbage collector. */
function watchGc() {
  let gcMaxMs = 0;
  const add = (/** @type {PerformanceEntry[]} */ entries) => {
    for (const { duration } of entries) gcMaxMs = Math.max(gcMaxMs, duration);
  };
  const observer = new PerformanceObserver(list => add(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return {
    /** In milliseconds, since the last call. */
    take() {
      add(observer.takeRecords());
      const longestMs = round(gcMaxMs);
      gcMaxMs = 0;
      return longestMs;
    },
    stop() {
      observer.disconnect();
    },
  };
}

/** To a thousandth: digits beyond it are noise and enlarge the file. @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

// -- The delay of a thread's event loop, from our own timer. `monitorEventLoopDelay` does the same in C++, but its
//    `reset` forgets the current interval, and with it every stall that ends after a record is written (Node 24:
//    JavaScript timers run first after a stall).

/**
 * A shorter interval detects more of the short stalls. Waking an idle thread costs 0.1 ms of CPU (measured on a virtual
 * machine), so code that runs anyway probes when it is nearly due (`touch`).
 */
const PROBE_MS = 20;
const IN_TIME_MS = PROBE_MS / 2;
/** Timers count whole milliseconds: on an idle loop they are up to this late. */
const TIMER_GRAIN_MS = 1;

/** @typedef {{p50: number, p99: number, max: number}} LoopDelay ms; zeros when nothing was probed */

/** Starts probing; this does not keep a thread alive. */
export function startLoopDelay() {
  /** At most 100 a second. @type {number[]} */
  let delays = [];
  let dueMs = 0;
  /** @type {NodeJS.Timeout} */
  let timer;
  arm();

  return {
    /** Returns the delays since the last call. @returns {LoopDelay} */
    take() {
      // A stall that has just ended belongs to the current second.
      if (readDelay() > 0) probe();
      const own = delays;
      delays = [];
      return {
        p50: quantile(own, 0.5) || 0,
        p99: quantile(own, 0.99) || 0,
        max: quantile(own, 1) || 0,
      };
    },
    /** The event loop is running: probes now if a probe is nearly due. */
    touch() {
      if (dueMs - performance.now() < IN_TIME_MS) probe();
    },
    stop() {
      clearTimeout(timer);
    },
  };

  function probe() {
    clearTimeout(timer);
    delays.push(Math.max(0, readDelay()));
    arm();
  }

  function readDelay() {
    return performance.now() - dueMs - TIMER_GRAIN_MS;
  }

  function arm() {
    dueMs = performance.now() + PROBE_MS;
    timer = setTimeout(probe, PROBE_MS);
    timer.unref();
  }
}

// -- CPU time of the calling thread.

const NS_PER_MS = 1e6;
const US_PER_MS = 1000;

/**
 * @returns {number | null} ms since the thread began; null if the system does not report it
 */
export function readThreadCpuMs() {
  // Node 22 does not have it.
  const usage = process.threadCpuUsage?.();
  return usage ? (usage.user + usage.system) / US_PER_MS : readThreadSchedstat().runMs;
}

/**
 * Time of this thread on a core, and in the queue for one while ready to run (Linux,
 * Documentation/scheduler/sched-stats.rst). `thread-self` is the thread that opens the file, so the call has to be
 * synchronous: an asynchronous one opens it in a thread of libuv's pool.
 * @returns {{runMs: number | null, queuedMs: number | null}} since the thread began
 */
export function readThreadSchedstat() {
  const [runMs = null, queuedMs = null] = (readText('/proc/thread-self/schedstat') ?? '')
    .split(' ', 2)
    .flatMap(ns => (/^\d+$/.test(ns) ? Number(ns) / NS_PER_MS : []));
  return { runMs, queuedMs };
}
