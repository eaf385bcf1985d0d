/** When something counts as full, busy, idle or uneven: each threshold once, with its reason. */
import { jainIndex, mean } from '../../base/math/summary.js';

export const THRESHOLDS = Object.freeze({
  /** Share of the machine's cores in use. Above it, programs take CPU time from each other. */
  fullMachine: 0.9,
  /** Utilisation of a part with a known number of cores: the queue grows with ρ ÷ (1 − ρ), which is 9 at 0.9. */
  fullPart: 0.9,
  /** The same where throughput still rose with the load. */
  fullWhileRising: 0.95,
  /** Workers that use more than this of a core each are CPU-bound (docs/terminology.md, what-if). */
  cpuBoundCores: 0.8,
  /**
   * They are CPU-bound, too, if each always has a thread that runs or is runnable, or, on a machine with idle CPU,
   * a request that runs or waits for the GIL. The profiler and the switches between threads take the rest of the core.
   */
  wantingThreads: 0.9,
  wantingCores: 0.5,
  /** Mean number of threads of a worker that run or wait for a core, from which one nearly always does. */
  severalWanting: 1.5,
  /**
   * Mean time on a core. Beside other programs, threads that shared a GIL had 0.05 to 0.56 ms, and those that computed
   * in C 0.76 to 2.6 ms.
   */
  longSliceMs: 0.7,
  /** A process that uses this much has a core to itself, even on a saturated machine. */
  ownCore: 0.9,
  /** A process that uses less of a core sleeps more than it waits for CPU. */
  hardlyAnyCores: 0.3,
  /** At least this much of a core must be idle for another thread or worker to help. */
  idleCores: 0.5,
  /** Workers that use less of a core each do not cause a queue. */
  idleProcess: 0.6,
  /** Share of the machine's cores in use. Below it, its CPU is idle. */
  idleMachine: 0.75,
  /** One worker is full, and the others do at most half as much. */
  fullWorker: 0.85,
  halfOfFullest: 0.5,
  /** Workers race for connections. Uneven shares matter only if one worker is busy. */
  busyWorker: 0.7,
  /** Cores that a full process uses: with one thread, and with more, where less may be the hand-over of the GIL. */
  oneThread: [0.9, 1.05],
  oneOfManyThreads: [0.95, 1.03],
  /** Utilisation of a pool of threads: its queue grows in the same way. */
  fullSlots: 0.9,
  /** Workers' threads are used unevenly when the mean is below this share of the fullest worker's. */
  unevenSlots: 0.75,
  /** Share of the response time. Below it, a saturated CPU is not what requests wait for. */
  smallPart: 1 / 3,
  /** The same for its time in the queue for a core: below it, other programs do not change what a client measures. */
  hardlyQueued: 0.1,
  /** Share of their time that requests spend on their main activity. */
  mostOfTime: 0.5,
  /** The same for what they do nearly always, and hardly ever. */
  nearlyAllTime: 0.75,
  hardlyAnyTime: 0.15,
  /** Utilisation of an event loop: at 0.85 a request waits nearly six times its own time. */
  fullLoop: 0.85,
  /** Requests that wait for a lock or a connection at that utilisation, where they come at random (M/M/1). */
  longQueue: 5,
  /** Threads per worker, at least: one is inside the lock that the others wait for. */
  oneInside: 0.5,
  /** At most: more than one runnable thread would queue for the GIL or for a core. */
  oneWanting: 1.25,
  /** Share of the CPU quota's periods (mostly 100 ms) that were throttled: noticeable, and the bottleneck. */
  throttledOften: 0.01,
  throttledBottleneck: 0.25,
  /** Cores that other programs use; the recorders and the kernel alone take about a tenth. */
  backgroundCores: 0.3,
  /**
   * Uneven work: one member does 1.5 times the mean, and Jain's index shows that the others are uneven, too. By chance
   * a count is hardly ever five standard deviations (√mean) above the mean. CPU time is not a count: it must exceed
   * what idle processes use.
   */
  unevenMostOfMean: 1.5,
  unevenJain: 0.85,
  unevenSigmas: 5,
  unevenLeastCpuMs: 1000,
  /** Ratio to the true number: N* = X_max·R_min counts the time on the network as service, so it is too high. */
  nearKnee: [0.8, 1.35],
  /** The same for requests in progress, which are counted. */
  nearStuck: [0.9, 1.1],
  /** Requests in progress at the client ÷ those that workers have started: half of them wait outside. */
  manyOutside: 2,
  /** Share of requests whose connection failed. */
  refused: 0.01,
  /** Rates of variants that differ by less count as equal. */
  alikeRates: 0.15,
});

/** @param {{cores: number, cpus: number} | null} host */
export const isMachineFull = host =>
  host !== null && host.cores >= host.cpus * THRESHOLDS.fullMachine;

/**
 * Does one member do much more than the others?
 * @param {number[]} counts of each member
 * @param {'requests' | 'cpuMs'} unit
 */
export function isUneven(counts, unit) {
  const average = mean(counts);
  const max = Math.max(...counts);
  if (counts.length < 2 || (jainIndex(counts) ?? 1) > THRESHOLDS.unevenJain) return false;
  const isChance =
    unit === 'cpuMs'
      ? average < THRESHOLDS.unevenLeastCpuMs
      : max < average + THRESHOLDS.unevenSigmas * Math.sqrt(average);
  return !isChance && max >= average * THRESHOLDS.unevenMostOfMean;
}
