/**
 * Calls: database statements, and calls of Redis, MongoDB and other services, as the companion reports them with
 * each response. Means are over responses that report of their server, those without calls included.
 */

import type { Packed } from './sample-table.d.ts';

export interface CallsReport {
  /** by their whole time, the longest first */
  statements: Statement[];
  /** by their whole time in calls, the longest first; those without calls are in it */
  endpoints: EndpointCalls[];
  /** of all endpoints together */
  whole: EndpointSums;
  /** calls that no statement is known for: too many of them, or no place in the header */
  more: { count: number; ms: number };
  /** headers that could not be read; their calls are missing */
  unreadable: number;
  table: CallTable;
}

export type CallKind = 'sql' | 'redis' | 'mongodb' | 'http';

/** What a statement is; text is from outside. */
export interface StatementName {
  /** 8 hexadecimal digits: a hash of kind, system, text, place and relation */
  id: string;
  kind: CallKind;
  /** `postgresql`, `sqlite` … */
  system: string | null;
  /** without values; null where no generator heard it */
  text: string | null;
  /** innermost line of the app's own code, shortened as in stacks */
  file: string | null;
  line: number | null;
  function: string | null;
  /** that an ORM loads with it: `Order.items` */
  relation: string | null;
}

export interface Statement extends StatementName {
  /** those that it is called for, the longest time first */
  endpoints: { name: string; requests: number; count: number; ms: number }[];
  /** in which it is executed */
  requests: number;
  /** executions */
  count: number;
  /** of all executions, as the app waits for them */
  ms: number;
  /** per execution, mean; null where the driver does not report it */
  rows: number | null;
  /** of redis, mongodb and http: the part of `ms` during which the request had an open database transaction; else 0 */
  openMs: number;
  /** executions per request in which it is executed: mean, and the most of a single one */
  perRequest: number;
  most: number;
  /** of one execution; p95 in steps of 10 % */
  meanMs: number;
  p95Ms: number;
  /**
   * `ms` ÷ the time that all requests of its endpoints were inside the server; above 1 where executions run side by side.
   * Null where that time is not known
   */
  shareOfTotalMs: number | null;
}

export interface EndpointSums {
  /** responses that report of their server, with and without calls */
  requests: number;
  /** database statements per request */
  queries: { p50: number; p95: number; most: number; mean: number };
  /** time in database statements per request */
  databaseMs: { mean: number; p95: number };
  /** waits for a connection of a pool: time per request, and how many there were in all */
  poolMs: { mean: number; count: number };
  /** time in redis, mongodb and http per request */
  callsMs: { mean: number };
  /** time inside the server per request; null where not known */
  serverMs: number | null;
}

export interface EndpointCalls extends EndpointSums {
  /** as in `load.endpoints` */
  name: string;
}

/**
 * The sums per window, worker, endpoint and statement, packed for a page that filters; `unpackCalls`
 * (`sample-table/unpack.js`) reads it. Percentiles and `most` are of the whole run only.
 */
export interface CallTable {
  /** n + 1 edges of n windows, ascending, epoch ms: those of the timeline, or every second, fourth … of them */
  edgesMs: number[];
  /** as `<instance>.<pid>`; `pid` as in the timeline, null where the worker was not recorded */
  workers: { id: string; pid: number | null }[];
  /**
   * Per `CallGroup`, sorted by window, worker and endpoint: its numbers in their order, the window as distance to the
   * group before, how many rows, and theirs, the statement as distance to the row before (the first: to 0)
   */
  groups: Packed;
}

/** Calls of requests of one window, worker and endpoint. */
export interface CallGroup {
  /** indexes into `edgesMs`, `workers` and `calls.endpoints` */
  window: number;
  worker: number;
  endpoint: number;
  /** with and without calls */
  requests: number;
  /** database statements without a row: `calls.more` */
  moreCount: number;
  moreUs: number;
  /** waits for a connection of a pool */
  poolCount: number;
  poolUs: number;
  rows: CallRow[];
}

/** Executions of `calls.statements[statement]`; its kind says whether they are the database's. */
export interface CallRow {
  statement: number;
  requests: number;
  count: number;
  us: number;
}

/** How the database would execute one of the most expensive statements (`--explain-sql`); parameters are unknown. */
export interface Plan
  extends Partial<Pick<StatementName, 'id' | 'text' | 'file' | 'line' | 'function'>> {
  /** in which the run was in it */
  ms?: number;
  /** lines of the plan */
  steps?: string[];
  /** it was executed for it (`--explain-analyze`) */
  ran?: boolean;
  /** large tables that it reads whole to find some rows */
  scans?: {
    table: string;
    /** estimate of the database */
    rows: number;
    condition: string;
    /** that the condition compares, equality first; at most three */
    columns: string[];
    /** an index begins with the first of them, and the database does not use it */
    isIndexed: boolean;
  }[];
  /** why there is no plan, of this statement or of any */
  refused?: {
    why: 'cut' | 'old' | 'system' | 'driver' | 'connect' | 'failed' | 'none';
    /** what the database said */
    reason: string;
  };
}
