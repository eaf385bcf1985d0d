/** What limits the throughput, and what a fix would buy. */
import type { Estimate } from './report.d.ts';

/**
 * `workers`: their CPU; `gil`: one core per worker though it has more threads; `database`,
 * `external-call`: requests wait for it and CPU is idle; `slots`: workers × threads are all taken
 * while CPU is idle; `pool`: of connections to the database or another service; `lock`; `imbalance`:
 * some workers or instances are full, others idle; `quota`: the CPU that a container may use;
 * `generator`; `machine`; `none`: not saturated; `unknown`: not enough data
 */
export type LimitId =
  | 'workers'
  | 'gil'
  | 'database'
  | 'external-call'
  | 'slots'
  | 'pool'
  | 'lock'
  | 'imbalance'
  | 'quota'
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
  /** looks at all threads of a worker, summed over workers: what the shares rest on */
  looks: number;
  rateHz: number;
  /** workers × threads that can serve a request; null where it is not known (gevent) */
  slots: number | null;
  /** of these inside a request, mean */
  busySlots: number;
  /** of the worker with the most: connections stay with the worker that took them */
  busySlotsOfFullest: number;
  /** all threads inside a request, mean: slots, and threads that handle events of WebSockets */
  busyThreads: number;
  /** of busy threads; sum to 1, biggest first; none where no thread was busy */
  kinds: {
    /** `client`: slow to send or to receive; `socket`: an open WebSocket that waits for a message */
    id:
      | 'cpu'
      | 'database'
      | 'external-call'
      | 'lock'
      | 'pool'
      | 'sleep'
      | 'client'
      | 'socket'
      | 'other';
    label: string;
    share: Estimate;
    /** functions of the API that wait there, biggest first, at most 3 */
    where: { function: string; file: string; share: number }[];
  }[];
}

/** One cause, or all of them together. */
export interface WhatIf {
  /** ids of causes in `profile.causes` */
  causes: string[];
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
