/** One axis for everything that was measured over time. */

import type { Packed } from './sample-table.d.ts';

/** Arrays have one entry per window; `null` in them means "not known". */
export interface Timeline {
  /**
   * n + 1 edges of n windows, ascending, epoch ms; at most 240 windows, but for Artillery's periods,
   * whose percentiles can't be merged
   */
  edgesMs: number[];
  /**
   * what decides about their length: whole seconds, or Artillery's periods. Samples whose second is not known are
   * spread evenly over the segment of the profiler that they are of
   */
  basis: 'seconds' | 'periods';
  load: {
    requests: number[];
    errors: number[];
    /** answers, over which CPU time is divided; null where they are as many as `requests` everywhere */
    answered: number[] | null;
    /** the most at once in a second, mean over the seconds; of older runs those at its end */
    usersActive: (number | null)[];
    /** whose percentiles these are: total time where the engine knows it */
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
       * what answers told of thread CPU in the worker: how many, and its sum; `aroundMs` of it is what the server
       * spent between requests; null where none did
       */
      measured: { answers: number[]; cpuMs: number[]; aroundMs: number[] } | null;
    }[];
    /** absent in reports of older versions */
    spike?: Spike | null;
    /**
     * Sketches (DDSketch, relative accuracy 0.01), per endpoint, per window: time to first byte, then
     * total. A sketch: 0 for nothing, else 1 + number of bins, then minimum, maximum and sum in µs,
     * count of zeros, first key (zigzag), first count, then per further bin distance of the key and count.
     * Null where only Artillery's own periods are known.
     */
    latency: Packed | null;
  } | null;
  workers: { pid: number; cpuMs: (number | null)[]; rssBytes: (number | null)[] }[];
  /** cores in use on the machine, all processes */
  hostCores: (number | null)[] | null;
  /** of them by processes that were recorded: the server, groups beside it, the generator, the profiler */
  recordedCores: (number | null)[];
  /** of the busiest thread, 0…1: event-loop utilisation, or time that it ran or waited for a core */
  generator: { utilization: (number | null)[] } | null;
}

/** One endpoint that came much more often for a while, while the others came as before: who was slower. */
export interface Spike {
  endpoint: string;
  perSec: { usual: number; spike: number };
  startMs: number;
  lengthMs: number;
  /** of the timeline: in the spike, and neither in it nor shortly after */
  windows: number[];
  outside: number[];
  /** endpoints beside it */
  others: number;
  /** the slowest first; none: nobody was clearly slower */
  victims: { endpoint: string; p95Ms: { outside: number; during: number } }[];
}
