/** One time axis for everything that was measured. */

import type { Packed } from './sample-table.d.ts';

/** Arrays have one entry per window; `null` in them means "not known". */
export interface Timeline {
  /**
   * n + 1 edges of n windows, ascending, epoch ms; at most 240 windows. Artillery's periods can exceed that, because
   * their percentiles cannot be merged.
   */
  edgesMs: number[];
  /**
   * the unit of the windows: whole seconds, or Artillery's periods. Samples without a time are spread evenly over
   * their profiler segment.
   */
  basis: 'seconds' | 'periods';
  load: {
    requests: number[];
    errors: number[];
    /** responses, the divisor of CPU time; null if equal to `requests` everywhere */
    answered: number[] | null;
    /** maximum at a time within a second, mean over the seconds; older runs: the number at the end of each second */
    usersActive: (number | null)[];
    /** what the percentiles refer to: total time if the engine measures it */
    latencyOf: 'total' | 'time-to-first-byte';
    p50Ms: (number | null)[];
    p95Ms: (number | null)[];
    p99Ms: (number | null)[];
    /** in the order of `load.endpoints` */
    endpoints: {
      name: string;
      requests: number[];
      errors: number[];
      answered: number[] | null;
      /** sums over the responses; their means are in `load.endpoints` */
      sums?: Record<string, number[]>;
      /**
       * CPU in the worker, as responses report it: number of responses and sum; `aroundMs` is the part that the server
       * spent between requests, `endedMs` that of threads that ended during a request, where nearly all requests were
       * alone in their worker, so that it is known; null if none reported it
       */
      measured: {
        answers: number[];
        cpuMs: number[];
        aroundMs: number[];
        endedMs?: number[];
      } | null;
      /** CPU of garbage collections that its responses report, in requests and outside; absent if none does */
      collectedMs?: number[];
    }[];
    /** absent in reports of older versions */
    spike?: Spike | null;
    /**
     * Sketches (DDSketch, relative accuracy 0.01), per endpoint, per window: time to first byte, then total time.
     * Encoding of a sketch: 0 if empty, else 1 + number of bins, then minimum, maximum and sum in µs, count of zeros,
     * first key (zigzag), first count, then per further bin the difference of the key, and the count. Null if only
     * Artillery's periods are known.
     */
    latency: Packed | null;
  } | null;
  workers: { pid: number; cpuMs: (number | null)[]; rssBytes: (number | null)[] }[];
  /** cores in use on the machine, by all processes */
  hostCores: (number | null)[] | null;
  /** cores of recorded processes: the server, other groups, the generator, the profiler */
  recordedCores: (number | null)[];
  /** of the busiest thread, 0…1: event-loop utilisation, or time in which it ran or waited for a core */
  generator: { utilization: (number | null)[] } | null;
}

/** One endpoint was requested much more often for a while, while the other endpoints were not: which were slower. */
export interface Spike {
  endpoint: string;
  perSec: { usual: number; spike: number };
  startMs: number;
  lengthMs: number;
  /** windows of the timeline: during the spike; neither during it nor shortly after */
  windows: number[];
  outside: number[];
  /** number of other endpoints */
  others: number;
  /** the slowest first; empty: no endpoint was clearly slower */
  victims: { endpoint: string; p95Ms: { outside: number; during: number } }[];
}
