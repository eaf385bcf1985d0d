/** A single request, whole: of `ping` and `test --once`. Texts from outside are redacted and cut. */

import type { ActKind, CallKind, StatementName } from './calls.d.ts';
import type { Collections } from './records.d.ts';

/** Of one request. */
export type ReportedCall = [
  id: string,
  n: number,
  us: number,
  rows: number | null,
  openUs: number,
  bins: [number, number][],
  kind?: CallKind | ActKind,
];

export type CallAmount = [count: number, us: number];

/** What `Loadflame-Calls` of a response reports. */
export interface ReportedCalls {
  calls: ReportedCall[];
  /** made by earlier requests of the endpoint after the headers, with how many ended since the last such report */
  late: [requests: number, calls: ReportedCall[]];
  pool: CallAmount;
  /** calls without their own entry */
  more: CallAmount;
  commits: CallAmount;
  held: CallAmount;
  /** CPU time in followed calls, null if not known, and of the companion around these; null: an older companion, or none */
  cpu: { cpuMs: number | null; ownMs: number } | null;
  /** each name is sent with some of the responses only */
  named: [id: string, name: CallTold][];
}

export interface CallTold extends Omit<StatementName, 'id' | 'kind'> {
  kind: CallKind | ActKind;
}

/** The companion's entries in `Server-Timing`. */
export interface ServerTiming {
  /** from when the worker took the request to the headers of its response */
  totalMs: number;
  /** CPU time for it, by the clock of its threads; null if unknown */
  cpuMs: number | null;
  /** the longest step of the request that blocked the event loop for more than 100 ms; null if there was none */
  blockedMs: number | null;
  /** CPU time of that step */
  blockedCpuMs: number;
  /** `<host>-<parent>.<pid>`; older companions hash host and parent together */
  worker: string;
  /** CPU time of the server between requests, not in `cpuMs`; null if `cpuMs` includes it, or unknown */
  aroundMs: number | null;
  /** CPU time of threads of the worker that ended meanwhile, if it served no other request */
  endedMs: number | null;
  /** its clock, epoch; null from older companions */
  nowMs: number | null;
  /**
   * sums since the last report of the worker: instants (`all.n`), and of each pool how many of them knew it, its size,
   * those in use and the calls that wait: `anyio.size`
   */
  pools: Record<string, number> | null;
  /** collections since the last report of the endpoint, and those outside of requests */
  gc: Collections | null;
  /** while the request was in its worker, long collections held the interpreter for so long */
  pausedMs: number;
  /** the longest steps of others that kept its event loop lately, at most 3; `agoMs`: from its end to the headers */
  blockers: { route: string; ms: number; agoMs: number }[];
}

/**
 * Calls of a function by a line of the app, since the companion was asked. `kinds`: different arguments. With arguments
 * that an earlier call had, it returned the `same`, something else (`changed`), or what can't be compared (`unseen`).
 */
export type SameCalls = [
  file: string,
  function: string,
  callerFile: string,
  line: number,
  calls: number,
  kinds: number,
  same: number,
  changed: number,
  unseen: number,
];

/** `--same-work`; `lines` are of the worker that responded last */
export interface SameWork {
  requests: number;
  lines: SameCalls[];
}

export interface WholeRequest {
  /** its name, or '' */
  scenario: string;
  endpoint: string;
  method: string;
  url: string;
  /** null without a response */
  status: number | null;
  /** why it failed, apart from its status */
  error: string | null;
  /** epoch */
  startedAtMs: number;
  phases: {
    /** until it was written, with the opening of its connection */
    waitMs: number;
    /** null: it took an open connection; `dnsMs` null: no look-up; `tlsMs` null: without TLS */
    opening: { dnsMs: number | null; tcpMs: number; tlsMs: number | null } | null;
    firstByteMs: number | null;
    bodyMs: number | null;
    totalMs: number;
  };
  /** of the body, as received */
  bytes: number;
  /** null: the response has no report of the companion */
  server: ServerTiming | null;
  /** null: none, or not readable */
  calls: ReportedCalls | null;
  /** as the companion sent it, if it was asked for it: anything; null: no JSON */
  same?: unknown;
  headers: Record<string, string>;
  omittedHeaders: number;
  /** its beginning */
  body: string;
  /** of the templates that it needed */
  values: Record<string, string>;
  captures: Record<string, string>;
  /** captures that found nothing, matches, and those of `expect` */
  checks: { isMet: boolean; what: string; expected: string | null; got: string }[];
}

/** Of `ping`: requests to one address, one after the other. */
export interface PingReport {
  requests: WholeRequest[];
  /**
   * medians of those with a response below 300, or else below 400; null: there are none, or the companion did not report
   * it. `cpuMs`: median without collections, of 20 and more of their second half, and `gcMs`, their mean; `cpuErrorMs`:
   * half of the 95 % interval of `cpuMs`
   */
  typical: {
    count: number;
    totalMs: number;
    cpuMs: number | null;
    cpuErrorMs: number | null;
    gcMs: number | null;
  } | null;
  /** responses with a report of the companion */
  reported: number;
  /** reports whose calls could not be parsed, or had no name yet */
  unnamed: number;
  /** the longest first */
  calls: PingedCall[];
}

export interface PingedCall extends CallTold {
  /** executions in a request with a report: the fewest, and the most */
  n: [least: number, most: number];
  /** of a request, mean */
  ms: number;
}
