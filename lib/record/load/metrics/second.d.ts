/** What a thread of the generator keeps of a second until it is written. */
import type { CallsRecord } from '../../../facts/records.d.ts';
import type { Sketch } from '../../../math/sketch.js';

/** Responses of one endpoint with one status. */
export interface Answers {
  count: number;
  /** ms */
  timeToFirstByte: Sketch;
  /** ms; empty where the engine can't tell */
  total: Sketch;
  /** sums over them, by id of a measure (`facts/measures.js`) */
  sums: Record<string, number>;
}

export interface EndpointSecond {
  requests: number;
  /** responses ≥ 400 and requests without a response */
  errors: number;
  statuses: Map<number, Answers>;
  /** as workers of the server reported it */
  server?: ServerSums;
  /** of requests that the script gave a name: responses */
  routes?: Record<string, number>;
}

/** What an engine holds on to for an endpoint, so that no name is looked up per request. */
export interface EndpointHandle {
  /** name under which it is written */
  key: string;
  /** the one that `entry` belongs to */
  second: Second | null;
  entry: EndpointSecond | null;
}

export interface Second {
  fromMs: number;
  /** at once */
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
  /** in which it was executed */
  requests: number;
  n: number;
  us: number;
  /** null where one did not tell */
  rows: number | null;
  openUs: number;
  /** in one request */
  most: number;
  /** round(ln(µs) / ln(1.1)) of an execution → executions */
  bins: Map<number, number>;
}

/** Times that responses of an endpoint carry. */
export interface ServerSums {
  /** responses that carried them */
  count: number;
  totalMs: number;
  /** null where workers can't measure it */
  cpuMs: number | null;
  /** of responses that say what the server spends around the app */
  aroundMs?: number;
  /** of responses that say that they blocked the event loop */
  blocked?: BlockedSums;
  /** sums over them, by id of a measure (`facts/measures.js`) */
  sums?: Record<string, number>;
}

/** Of the longest step of each response. */
export interface BlockedSums {
  count: number;
  ms: number;
  cpuMs: number;
  longestMs: number;
}
