/** The data of a second that a thread of the generator keeps until it is written. */

import type { Sketch } from '../../base/math/sketch.js';
import type { CallsRecord, Collections, EndpointRecord } from '../../run/facts/records.d.ts';

/** Responses of one endpoint with one status. */
export interface Answers {
  count: number;
  /** ms */
  timeToFirstByte: Sketch;
  /** ms; empty if the engine does not report it */
  total: Sketch;
  /** sums over them, by id of a measure (`facts/measures.js`) */
  sums: Record<string, number>;
}

export interface EndpointSecond {
  requests: number;
  /** responses ≥ 400 and requests without a response */
  errors: number;
  /** responses below 400 that failed nevertheless */
  broken?: number;
  statuses: Map<number, Answers>;
  /** as workers of the server reported it */
  server?: ServerSums;
  /** responses by method and path, for requests that the script named */
  routes?: Record<string, number>;
  /** requests by the variable that was empty in them */
  empty?: Record<string, number>;
  /** its name is a route of the server's framework */
  isRouted?: boolean;
  /** as in its record */
  queries?: EndpointRecord['queries'];
}

/** An engine keeps this for an endpoint, to avoid looking up its name for each request. */
export interface EndpointHandle {
  /** name in records */
  key: string;
  /** the second of `entry` */
  second: Second | null;
  entry: EndpointSecond | null;
  /** start of its first second; null before */
  firstMs: number | null;
  /** a route of the server's framework, which no other one replaces */
  isRouted: boolean;
  /** queries of its steps → as records have them */
  queries?: Map<string, string>;
}

export interface Second {
  fromMs: number;
  /** the most users at the same time */
  usersMost: number;
  /** when something was recorded last */
  lastMs: number;
  /** when something was recorded first */
  firstMs: number;
  counters: Record<string, number>;
  /** events that are reported as a rate */
  rates: Record<string, number>;
  sketches: Record<string, Sketch>;
  endpoints: Map<string, EndpointSecond>;
  /** ms */
  totalFromIntended: Sketch | null;
  /** of the server: responses of each */
  workers: Record<string, number>;
  /** behind a router: responses of each */
  backends: Record<string, number>;
  /** status → instance → responses */
  failed: Record<string, Record<string, number>>;
  /** endpoints of earlier seconds → what they are called from now on */
  renamed: Record<string, string>;
  /** null until a response reports calls */
  calls: Map<string, CallGroup> | null;
}

/** Calls of one endpoint on one worker of the server. */
export interface CallGroup
  extends Required<Omit<CallsRecord, 'fromMs' | 'perRequest' | 'databaseMs' | 'calls'>> {
  /** database statements of a request → responses */
  perRequest: Map<number, number>;
  /** per request */
  databaseMs: Sketch;
  /** by id of the statement */
  calls: Map<string, CallSums>;
}

/** Executions of one statement. */
export interface CallSums {
  /** requests that executed it */
  requests: number;
  n: number;
  us: number;
  /** null if one did not report it */
  rows: number | null;
  openUs: number;
  /** the most executions in one request */
  most: number;
  /** round(ln(µs) / ln(1.1)) of an execution → executions */
  bins: Map<number, number>;
}

/** Times that responses of an endpoint carry. */
export interface ServerSums {
  /** responses that carried them */
  count: number;
  totalMs: number;
  /** null if workers can't measure it */
  cpuMs: number | null;
  /** of responses that report the server's CPU time around the app */
  aroundMs?: number;
  /** of responses whose request was alone in its worker: CPU of threads that ended meanwhile */
  ended?: { count: number; ms: number };
  /** of responses that report them: CPU time in followed calls, null if not known, and of the companion around these */
  calls?: { cpuMs: number | null; ownMs: number };
  /** of responses that report that they blocked the event loop */
  blocked?: BlockedSums;
  /** by the route whose steps kept the event loop: requests under way meanwhile, and for how long */
  waited?: Record<string, { count: number; ms: number }>;
  /** of responses that report collections */
  gc?: Collections;
  /** sums over them, by id of a measure (`facts/measures.js`) */
  sums?: Record<string, number>;
}

/** The longest step of each response. */
export interface BlockedSums {
  count: number;
  ms: number;
  cpuMs: number;
  longestMs: number;
}
