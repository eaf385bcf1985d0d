/**
 * Calls that the companion reports with each response: database statements, and calls to Redis, MongoDB and other
 * services. Means are over all responses with such a report, including those without calls.
 */

import type { Packed } from './sample-table.d.ts';

export interface CallsReport {
  /** by total time, the longest first */
  statements: Statement[];
  /** the most frequent first */
  acts?: Act[];
  /** by total time in calls, the longest first; includes endpoints without calls */
  endpoints: EndpointCalls[];
  /** all endpoints together */
  whole: EndpointSums;
  /** calls whose statement is unknown: there were too many, or the header had no space left */
  more: { count: number; ms: number };
  /** headers that could not be parsed; their calls are missing from the figures */
  unreadable: number;
  /**
   * the CPU of the workers or of the machine was saturated, or the event loop blocked, so times are upper bounds: a call
   * ends when the worker gets to its response; `cores`: of each worker. Null: not so, or not known
   */
  bound?: { by: 'workers' | 'machine' | 'loop'; cores: number } | null;
  table: CallTable;
}

/** `connect`: a new connection, whose time counts for the call that needs it */
export type CallKind = 'sql' | 'redis' | 'mongodb' | 'http' | 'connect';

/**
 * What a request makes the process do, counted by Python's audit events: it opens a file that was opened before, reads
 * the names in a folder again, loads a module, compiles code, starts a process or a thread, looks up the address of a host,
 * makes a TLS context or a database engine.
 */
export type ActKind =
  | 'file'
  | 'folder'
  | 'import'
  | 'compile'
  | 'process'
  | 'thread'
  | 'lookup'
  | 'tls'
  | 'engine';

/** Its time is not known; `text` has no values. */
export interface Act
  extends Omit<StatementName, 'kind'>,
    Pick<Statement, 'requests' | 'ofRequests' | 'count' | 'perRequest' | 'most'> {
  kind: ActKind;
  endpoints: Statement['endpoints'];
}

/** What identifies a statement. Its text comes from outside: never treat it as markup. */
export interface StatementName {
  /** 8 hexadecimal digits: a hash of kind, system, text, place and relation */
  id: string;
  kind: CallKind;
  /** `postgresql`, `sqlite` … */
  system: string | null;
  /** without values; null if no load generator received the text */
  text: string | null;
  /** innermost line of the application's own code; the path is shortened as in stacks */
  file: string | null;
  line: number | null;
  function: string | null;
  /** the relation that an ORM loads with it: `Order.items` */
  relation: string | null;
}

export interface Statement extends StatementName {
  /** other lines that send many of its executions; absent without any */
  alsoFrom?: Pick<StatementName, 'file' | 'line' | 'function'>[];
  /** the endpoints that execute it, the longest time first */
  endpoints: { name: string; requests: number; count: number; ms: number }[];
  /** requests that execute it */
  requests: number;
  /** all requests to its endpoints */
  ofRequests: number;
  /** executions */
  count: number;
  /** all executions together, as the application waits for them */
  ms: number;
  /** mean per execution; null if the driver does not report it */
  rows: number | null;
  /** http only: the quickest call of that service, whose calls wait for each other there; absent if not known */
  aloneMs?: number;
  /** http only: the part of its time that is a wait for a free connection of its client, from samples of that line */
  poolShare?: number;
  /**
   * redis, mongodb and http only, else 0: the part of `ms` during which the request held an open database transaction
   */
  openMs: number;
  /** executions per request to its endpoints, also those without it: mean, and the highest number in one request */
  perRequest: number;
  most: number;
  /** per execution; the p95 has a resolution of 10 %, and is null with fewer than 20 */
  meanMs: number;
  /** the same by the database's own clock (`--db-stats`); absent if it counted no statement of this text */
  databaseMeanMs?: number;
  p95Ms: number | null;
  /**
   * `ms` ÷ the time that all requests of its endpoints spent inside the server; above 1 if executions run in
   * parallel. Null if that time is not known.
   */
  shareOfTotalMs: number | null;
}

export interface EndpointSums {
  /** responses with a report of their server, with and without calls */
  requests: number;
  /** database statements per request */
  queries: { p50: number; p95: number | null; most: number; mean: number };
  /** time in database statements per request */
  databaseMs: { mean: number; p95: number | null };
  /** waits for a pooled connection: time per request, and the number of waits in total */
  poolMs: { mean: number; count: number };
  /** per request: time in commits; absent in older reports and for a selection */
  commitMs?: number;
  /** per request: from the first statement of each transaction to its end; absent like `commitMs` */
  heldMs?: number;
  /** time in redis, mongodb and http per request: the sum of all calls, also of those at the same time */
  callsMs: { mean: number };
  /** time inside the server per request; null if not known */
  serverMs: number | null;
}

export interface EndpointCalls extends EndpointSums {
  /** as in `load.endpoints` */
  name: string;
}

/**
 * The sums per window, worker, endpoint and statement, packed for pages that filter. `unpackCalls`
 * (`analysis/sample-table/unpack.js`) reads it. Percentiles and `most` exist for the whole run only.
 */
export interface CallTable {
  /** n + 1 edges of n windows, ascending, epoch ms: the edges of the timeline, or every second, fourth … of them */
  edgesMs: number[];
  /** `<instance>.<pid>`; `pid` as in the timeline, null if the worker was not recorded */
  workers: { id: string; pid: number | null }[];
  /**
   * Per `CallGroup`, sorted by window, worker and endpoint: its numbers in order, with the window as the difference
   * from the previous group; then the number of rows, and the rows, with the statement as the difference from the
   * previous row (the first: from 0).
   */
  groups: Packed;
}

/** Calls of the requests of one window, worker and endpoint. */
export interface CallGroup {
  /** indexes into `edgesMs`, `workers` and `calls.endpoints` */
  window: number;
  worker: number;
  endpoint: number;
  /** with and without calls */
  requests: number;
  /** database statements without a row of their own: `calls.more` */
  moreCount: number;
  moreUs: number;
  /** waits for a pooled connection */
  poolCount: number;
  poolUs: number;
  rows: CallRow[];
}

/** Executions of `calls.statements[statement]`, whose kind says whether it is a database statement. */
export interface CallRow {
  statement: number;
  requests: number;
  count: number;
  us: number;
}

/** What the database itself counted from before the first request to after the last (`--db-stats`), all its users together. */
export interface DatabaseStats {
  /** executions, without transactions */
  count: number;
  /** time in them, without planning and the network */
  ms: number;
  /** the longest time first, at most 20; `text`: null if it may hold values */
  statements: { text: string | null; count: number; ms: number }[];
  refused?: Plan['refused'];
}

/**
 * The database's execution plan for one of the most expensive statements (`--explain-sql`), whose parameters are unknown,
 * or for one of the user's.
 */
export interface Plan
  extends Partial<Pick<StatementName, 'id' | 'text' | 'file' | 'line' | 'function'>> {
  /** total time of the statement in the run */
  ms?: number;
  /** lines of the plan */
  steps?: string[];
  /** what PostgreSQL took to make it, once the connection knew the tables */
  planningMs?: number;
  /** the statement, which the user wrote, was executed to get the plan (`--explain-analyze`) */
  ran?: boolean;
  /** large tables that are read completely to find a few rows */
  scans?: {
    table: string;
    /** as the database estimates */
    rows: number;
    condition: string;
    /** the columns that the condition compares, equality first; at most 3 */
    columns: string[];
    /** an index starts with the first of these columns, but the database does not use it */
    isIndexed: boolean;
  }[];
  /** why there is no plan: for this statement, or for any */
  refused?: {
    why: 'cut' | 'text' | 'connect' | 'failed' | 'none';
    /** SQLSTATE, or a code of SQLite or the system; never a message, which can quote rows */
    reason: string;
  };
}
