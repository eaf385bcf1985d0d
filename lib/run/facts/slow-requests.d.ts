/** The slowest requests of each endpoint and the first failure of each kind, with where their time went. */

import type { ActKind, CallKind, StatementName } from './calls.d.ts';
import type { SlowRecord } from './records.d.ts';
import type { ServerTiming } from './whole-request.d.ts';

/**
 * - `opening`: of its connection; `queue`: for a connection of the load generator; `front`: between writing it and its
 *   worker; `loop`: steps of other requests kept the event loop
 * - `lock`: samples that fell into it wait for one; `gc`: long collections; `pool`: for a connection of a pool
 * - `statements`, `calls`, `connect`: of the app; `cpu`: its own; `body`: of the response
 * - `other`: not known
 */
export type RequestPartId =
  | 'opening'
  | 'queue'
  | 'front'
  | 'loop'
  | 'lock'
  | 'gc'
  | 'pool'
  | 'statements'
  | 'calls'
  | 'connect'
  | 'cpu'
  | 'body'
  | 'other';

export interface RequestPart {
  id: RequestPartId;
  ms: number;
  /** since the request was queued; null: somewhere between its arrival in the worker and the headers */
  startMs: number | null;
}

export interface RequestCall extends Omit<StatementName, 'id' | 'kind'> {
  kind: CallKind | ActKind;
  count: number;
  ms: number;
}

export interface SlowRequest
  extends Pick<
    SlowRecord,
    | 'scenario'
    | 'endpoint'
    | 'method'
    | 'url'
    | 'status'
    | 'error'
    | 'code'
    | 'user'
    | 'startedAtMs'
    | 'phases'
    | 'bytes'
    | 'headers'
    | 'omittedHeaders'
    | 'body'
  > {
  /** among the slowest ten of its endpoint, from 1; null: the first failure of its kind */
  rank: number | null;
  /** by the companion's id; null without its report */
  worker: string | null;
  cpuMs: number | null;
  /** the part that has at least half of its time; null: none, or not known */
  cause: Exclude<RequestPartId, 'other'> | null;
  /** calls have half of its time, and may only have waited for their worker */
  isBound?: boolean;
  /** in the order of their begin; they overlap where it does several things at once */
  parts: RequestPart[];
  /** other requests whose steps kept the event loop, and for how long */
  blockers: { route: string; waitedMs: number }[];
  /** the longest first */
  calls: RequestCall[];
  /** samples of its endpoint and worker in its half-seconds, by what they wait for; null: none was taken */
  samples: { count: number; locks: number } | null;
}

/** Samples of an endpoint in a worker while a request was there; null: none, or its time there is not known. */
export type SampleCounter = (
  endpoint: string,
  server: Pick<ServerTiming, 'worker' | 'nowMs' | 'totalMs'>,
) => SlowRequest['samples'];
