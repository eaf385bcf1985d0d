/** What limits the throughput, and what a fix would buy. */
import type { Estimate } from './report.d.ts';

/**
 * `workers`: their CPU; `gil`: one core per worker though it has more threads; `database`,
 * `external-call`: requests wait for it and CPU is idle; `slots`: workers × threads are all taken
 * while CPU is idle; `imbalance`: some workers or instances are full, others idle; `generator`;
 * `machine`; `none`: not saturated; `unknown`: not enough data
 */
export type LimitId =
  | 'workers'
  | 'gil'
  | 'database'
  | 'external-call'
  | 'slots'
  | 'imbalance'
  | 'generator'
  | 'machine'
  | 'none'
  | 'unknown';

export interface Limit {
  id: LimitId;
  /** one sentence with its numbers */
  text: string;
  evidence: { label: string; value: string }[];
}

/** Where the time of request threads goes, CPU or not, from slow samples that include waiting threads. */
export interface Waits {
  samples: number;
  rateHz: number;
  /** workers × threads that can serve a request; null where it is not known (gevent) */
  slots: number | null;
  /** threads inside a request, mean */
  busySlots: number;
  /** of busy threads; sum to 1, biggest first */
  kinds: {
    id: 'cpu' | 'database' | 'external-call' | 'lock' | 'pool' | 'sleep' | 'other';
    label: string;
    share: Estimate;
    /** functions of the API that wait there, biggest first, at most 3 */
    where: { function: string; file: string; share: number }[];
  }[];
}

export interface WhatIf {
  cause: string;
  title: string;
  share: Estimate;
  /** requests/s at CPU saturation, now and without the cause; null where CPU does not limit */
  capacityPerSec: Estimate | null;
  capacityAfterPerSec: Estimate | null;
  /** capacity after ÷ now − 1 */
  gain: Estimate | null;
  /** when it holds, or why nothing can be said */
  condition: string;
}
