/** When a thing is called full, busy, idle or uneven: each number once, with its reason. */
import { jainIndex, mean } from '../math/summary.js';

export const THRESHOLDS = Object.freeze({
  /** Share of the machine's cores in use above which everything on it takes CPU from everything else. */
  fullMachine: 0.9,
  /** Of a part with a known number of cores: queueing grows with 1 ÷ (1 − utilisation), nine times at 0.9. */
  fullPart: 0.9,
  /** Where throughput still rose with the load, only what has next to nothing left is called full. */
  fullWhileRising: 0.95,
  /** Workers that use more than this of a core each are CPU-bound (docs/terminology.md, what-if). */
  cpuBoundCores: 0.8,
  /**
   * Or there is always a thread in each of them that has a core or waits in the scheduler's queue for one; or,
   * on a machine with idle CPU, always a request that runs or wants to. A core
   * that they don't use then is what the profiler and the hand-over between threads take.
   */
  wantingThreads: 0.9,
  wantingCores: 0.5,
  /** A process that has a core to itself, however full the machine is. */
  ownCore: 0.9,
  /** Less of a core than this sleeps more than it waits for CPU. */
  hardlyAnyCores: 0.3,
  /** So much of a core must be idle before one can say that another thread or worker would use it. */
  idleCores: 0.5,
  /** Workers that use less than this of a core each are no reason for a queue. */
  idleProcess: 0.6,
  /** With less of the machine in use its CPU is idle. */
  idleMachine: 0.75,
  /** One worker is full, and the others have half of its work at most. */
  fullWorker: 0.85,
  halfOfFullest: 0.5,
  /** Workers race for connections: their unevenness matters when one of them is busy. */
  busyWorker: 0.7,
  /** A process with one thread is full from here on; with more, only where it uses a core and nothing else. */
  oneThread: [0.9, 1.05],
  oneOfManyThreads: [0.95, 1.03],
  /** Queueing at a pool of threads grows alike: at 0.9 a request waits nine times its service. */
  fullSlots: 0.9,
  /** Slots of workers are taken unevenly when the mean is below this share of the fullest. */
  unevenSlots: 0.75,
  /** What requests do most of the time. */
  mostOfTime: 0.5,
  /** One thing that they do next to always, and another next to never. */
  nearlyAllTime: 0.75,
  hardlyAnyTime: 0.15,
  /** Of the time of an event loop: at 0.85 a request waits nearly six times its own. */
  fullLoop: 0.85,
  /** Of each worker's threads, at least: one is inside of a lock for which the others wait. */
  oneInside: 0.5,
  /** At most: more of them than one would queue for the GIL, or for a core. */
  oneWanting: 1.25,
  /** Share of the periods of a CPU quota (100 ms mostly) in which it ran out: it is felt; it is the bottleneck. */
  throttledOften: 0.01,
  throttledBottleneck: 0.25,
  /** Cores: the recorders and the kernel take about a tenth. */
  backgroundCores: 0.3,
  /**
   * Traffic that does not spread: a member that does 1.5 times the mean, and an index that
   * says the rest is not even either. By chance alone a member is hardly ever five standard deviations
   * (√mean) above the mean; CPU time is no count, so it must be more than processes use when idle.
   */
  unevenMostOfMean: 1.5,
  unevenJain: 0.85,
  unevenSigmas: 5,
  unevenLeastCpuMs: 1000,
  /** N* = X_max·R_min counts the way there and back as served, so it lies above the true number. */
  nearKnee: [0.8, 1.35],
  /** What is in progress is counted, and not computed from two ends of a curve. */
  nearStuck: [0.9, 1.1],
  /** Requests under way for the client, for each that the workers have begun with: as many wait outside. */
  manyOutside: 2,
  /** Share of requests whose connection failed. */
  refused: 0.01,
  /** Rates of variants that are this near to each other are one rate. */
  alikeRates: 0.15,
});

/** @param {{cores: number, cpus: number} | null} host */
export function isMachineFull(host) {
  return host !== null && host.cores >= host.cpus * THRESHOLDS.fullMachine;
}

/** Work that does not spread. */

/**
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
