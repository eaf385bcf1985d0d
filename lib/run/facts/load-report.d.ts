/** What the load generator measured: the part `load` of a Report. */

import type { Estimate, LatencySummary, TimeRange } from '../../base/math/estimate.d.ts';
import type { ErrorBurst } from './logs.d.ts';
import type { BlockedSteps } from './profile-report.d.ts';

export interface CollectionSums {
  count: number;
  /** a pause is at least as long: it also waits for a core */
  cpuMs: number;
  longestMs: number;
}

export interface CollectionsReport {
  /** version of the first worker */
  python: string;
  /** live ones after a full collection, the most of a worker; null: none took 10 ms, so they were not counted */
  objects: number | null;
  /** of collections in requests in the CPU time of requests; null: not known */
  share: Estimate | null;
  /** 0 to 2, in requests and outside of them */
  generations: CollectionSums[];
  /** whose requests paid, the most CPU first */
  endpoints: (CollectionSums & { name: string; requests: number; share: Estimate | null })[];
  /** between requests, or in other threads */
  outside: CollectionSums;
}

/**
 * Something that requests share, all workers together. `gthread`: the threads of gunicorn that serve requests; `anyio`: the
 * limit of threads of an event loop; `to_thread`: the executor of asyncio's loop; `executor`, `processes`: of threads or
 * processes, the application's own; `connections`: to a database
 */
export interface PoolUse {
  kind: 'gthread' | 'anyio' | 'to_thread' | 'executor' | 'processes' | 'semaphore' | 'connections';
  /** null: not known */
  capacity: number | null;
  /** mean; null where the capacity is not known */
  inUse: number | null;
  /** calls that wait for one, mean */
  waiting: number;
}

/** `variance`: of the mean, per request */
interface QueryCost {
  query: string;
  mean: number;
  variance: number;
}

/** Steps of the script with another query that surely cost at least twice as much per request. */
export interface QueryContrast {
  of: 'statements' | 'cpuMs';
  most: QueryCost;
  least: QueryCost;
}

export interface Steered {
  atMs: number;
  /** name */
  phase: string;
  of: 'arrivalRate' | 'users';
  /** per second, or users */
  from: number;
  to: number;
}

export interface LoadReport {
  /** the engine that sent the load: `loadflame` or `artillery` */
  engine: string;
  /** TLS certificates were not verified (`--insecure`, `rejectUnauthorized: false`); absent if not known */
  trustsAnyone?: boolean;
  /** from the first to the last measurement; throughput is calculated over it */
  window: TimeRange;
  /** one window per load test, if one recording covers several */
  windows: TimeRange[];
  phases: {
    name: string;
    startMs: number;
    endMs: number | null;
    /** as in the script, in its own numbers */
    plan: {
      lengthSec: string | null;
      users: string | null;
      arrivalRate: string | null;
      arrivalCount: string | null;
      rampTo: string | null;
      maxVusers: string | null;
    };
    /**
     * `open`: users arrive on a schedule, however slow the target is; `closed`: a fixed number of users, each of
     * which waits for its response before it sends again; `none`: a pause
     */
    model: 'open' | 'closed' | 'none';
  }[];
  /** changes on the live page, of a running phase; absent: none */
  steered?: Steered[];
  users: {
    created: number;
    completed: number;
    failed: number;
    /** arrivals that were dropped because `maxVusers` was reached */
    skipped: number;
    /** `failed`: out of `ended`, users that completed the scenario or failed; null if not known */
    byScenario: { name: string; count: number; ended: number | null; failed: number | null }[];
    /** scenarios of the script that no user ran */
    neverRun: string[];
    /** the first failure of users; absent if the engine does not count it */
    firstFailures?: { failed: boolean; code: string; endpoint: string; count: number }[];
    sessionMs: LatencySummary | null;
  };
  /** over HTTP and sockets; absent in imports, and in reports of older versions */
  responses?: {
    count: number;
    /** HTTP below 400 (including redirects), acknowledgements, replies */
    good: number;
    latency: LatencySummary | null;
  };
  http: {
    requests: number;
    responses: number;
    /** responses ÷ window */
    meanRatePerSec: number;
    /** responses with 2xx/3xx ÷ window */
    throughputPerSec: number;
    /** the busiest second; null if only ten-second periods are known */
    peakRatePerSec: number | null;
    /** (responses ≥ 400, cut short or refused by a check + requests without a response) ÷ requests whose outcome is known */
    errorRate: number;
    /** requests in progress when the recording ended: neither completed nor failed */
    unknown: number;
    codes: { code: string; count: number }[];
    /** Artillery's `http.response_time`: from request to first byte */
    timeToFirstByte: LatencySummary | null;
    /** from queueing a request to the last byte of its response, including connecting */
    totalTime: LatencySummary | null;
    /** the same from the intended start; null in a closed loop, and if the engine does not know it */
    totalFromIntended: LatencySummary | null;
    /** new connections only; null if none was opened or the engine does not measure it */
    connections: {
      dns: LatencySummary | null;
      tcp: LatencySummary | null;
      tls: LatencySummary | null;
    };
    bytesReceived: number | null;
  };
  socketio: {
    /** null in an import: Artillery itself does not count connections */
    connects: number | null;
    connectErrors: number | null;
    /** connections that socket.io reopened by itself; null in an import */
    reconnects: number | null;
    /** why connections ended, in socket.io's words: `transport close`, `ping timeout` … */
    disconnects: { reason: string; count: number }[];
    emits: number;
    /** events that arrived, without acknowledgements; null if they are not counted */
    received: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from queueing the connection to the server's welcome */
    connectTime: LatencySummary | null;
    /** from long polling to websocket */
    upgradeTime: LatencySummary | null;
    /** only emits that waited for an acknowledgement */
    acknowledged: LatencySummary | null;
    /** from an emit to the event that the scenario awaits as its response */
    responseWait: LatencySummary | null;
    /** how long a step waited for an event that the server sends on its own; not a latency of the server */
    pushWait: LatencySummary | null;
  } | null;
  /** null if no WebSocket scenario ran; Artillery's engine provides messages only */
  websocket: {
    connects: number | null;
    connectErrors: number | null;
    sent: number;
    received: number;
    /** messages that a step awaited */
    replies: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from queueing the connection to the server's welcome */
    connectTime: LatencySummary | null;
    /** from a message to the reply that its step awaits */
    replyTime: LatencySummary | null;
  } | null;
  /** server-sent events; null if no step opened a stream, absent in reports of older versions */
  sse?: {
    streams: number;
    events: number;
    eventsPerSec: number;
    /** attempts to reopen a stream that broke off or ended */
    reconnects: number;
    bytesReceived: number;
    /** from queueing a stream to its first event, including connecting */
    firstEvent: LatencySummary | null;
    /** between events of one connection */
    gap: LatencySummary | null;
  } | null;
  /** Artillery's `errors.*`: name → count, without those whose response already counts as failed by its status */
  errors: { name: string; count: number; isOfStep?: boolean }[];
  failures: Failures;
  endpoints: {
    /** method and path with ids folded: `GET /api/v1/services/` */
    name: string;
    requests: number;
    errors: number;
    codes: { code: string; count: number }[];
    timeToFirstByte: LatencySummary | null;
    /** from queueing a request to the last byte of its response, including connecting */
    totalTime: LatencySummary | null;
    /** mean per response, by id of `measures.js`; absent if nothing of the kind was recorded */
    means?: Record<string, number>;
    /** variables of the script that were empty, and in how many requests */
    empty?: { name: string; count: number }[];
    /** absent in imports, and in reports of older versions */
    contrasts?: QueryContrast[];
    /** responses reporting that a step of their request blocked the event loop for more than 100 ms */
    blocked?: BlockedSteps;
  }[];
  /** what ENDPOINTS would make one of: `/weather/:weather`, more than ten rows that are no route; absent if not known */
  groups?: { path: string; rows: number; examples: string[] }[];
  /** garbage collections of the workers, as the companion reports them; absent if it reported none */
  collections?: CollectionsReport;
  /** pools that requests share, as the companion reports them; absent if it reported none */
  pools?: PoolUse[];
  /** length of an entry of `seconds`: 1000, or 10,000 if only Artillery's periods are known */
  resolutionMs: number;
  /**
   * The load over time, oldest first, one entry per `resolutionMs`; empty entries are zeros. `requests` and `errors`
   * are per second.
   */
  seconds: {
    startMs: number;
    requests: number;
    errors: number;
    /** time to first byte */
    p50Ms: number | null;
    p95Ms: number | null;
    p99Ms: number | null;
    usersActive: number | null;
    /** requests in progress, mean: total time of the responses that arrived in the entry ÷ its length */
    inFlight: number | null;
    /** requests in progress at its end: sent, neither completed nor failed; null if they were not counted */
    inFlightAtEnd?: number | null;
  }[];
  /** null if the engine does not monitor itself (Artillery's) */
  generator: GeneratorReport | null;
  /** the server ended under the load; `pid` if its process was watched; absent if it did not end */
  serverEnd?: { pid: number | null; afterMs: number } | null;
  /** the longest stall; null if there was none */
  stall: Stall | null;
  errorSamples: ErrorSample[];
  /** oldest first; at most 20 */
  errorBursts: ErrorBurst[];
  tokens: {
    flow: string;
    issuer: string;
    obtained: number;
    refreshed: number;
    failed: number;
    /** of the last failed refresh, as the provider or the system reports it */
    reason: string | null;
    /**
     * the longest renewal that took longer than its token lived, and the 401s while such tokens were in use; absent
     * if there was none
     */
    late?: { renewalMs: number; refused: number };
    lifetimeSec: number | null;
    /** time at which responses changed from 2xx to 401 */
    flippedAtMs: number | null;
  } | null;
  /** all other counters of Artillery and its plugins */
  counters: Record<string, number>;
  /** of the script's own functions, in their own unit; absent without any */
  histograms?: Record<string, LatencySummary | null>;
}

/** Failures of one kind. */
export interface Failure {
  /** null if several endpoints are affected, or if not known */
  endpoint: string | null;
  /** a status, or the name of an error */
  code: string;
  isStatus: boolean;
  /** a function or another step failed that sends nothing: no request, connection or message */
  isOfStep?: boolean;
  count: number;
  /** the message in the body of most samples; text from outside */
  reason: string | null;
  /** the content of their `WWW-Authenticate` header */
  challenge: string | null;
  /** the request body of the first sample; absent if there was none, or not text */
  requestBody?: string;
  /** users whose first failure this was, and those of them that failed; absent if not known */
  first?: { all: number; failed: number };
}

/** All failures, each counted once. */
export interface Failures {
  failed: number;
  /** requests whose outcome is known, connections and messages */
  tried: number;
  /** requests in progress when the recording ended */
  unknown: number;
  share: number;
  /** `ended`: completed or failed */
  users: { failed: number; ended: number; share: number };
  /** ALLOWED_FAILURES, the limit for both shares */
  allowed: number;
  isTooMany: boolean;
  /** the most frequent first */
  kinds: Failure[];
}

/** A time in which the target sent no response although requests waited. */
export interface Stall {
  startMs: number;
  endMs: number;
  /** responses that could only arrive after it */
  waited: number;
  /** time to first byte: of all responses, and of those before and after the stall */
  p99Ms: { all: number; outside: number | null };
}

/** How the load generator itself performed, inside the load window. */
export interface GeneratorReport {
  workers: {
    /** 1, 2 … */
    worker: number;
    seconds: number;
    /** CPU time ÷ elapsed time; null if not known */
    cores: number | null;
    /** 0…1, mean and in the busiest second: event-loop utilisation, or time in which it ran or waited for a core */
    utilization: number;
    utilizationMax: number;
    /** event-loop delay, p99 of the worst second */
    delayP99Ms: number | null;
    gcMaxMs: number | null;
  }[];
  /** all workers together */
  cores: number | null;
  rssBytesMax: number | null;
  /** delay of users' starts against the schedule; null without a schedule (closed loop) */
  lag: LatencySummary | null;
  /** reasons to distrust its figures, the worst first; empty if it kept up */
  signs: GeneratorSign[];
}

export interface GeneratorSign {
  /**
   * `busy`: no time left; `starved`: had work but got no CPU; `late`: behind the schedule (`isLimit` if half of the
   * users start late, otherwise only a few do); `paused`: stopped now and then
   */
  id: 'busy' | 'starved' | 'late' | 'paused';
  /** the generator was the limit, not the target */
  isLimit: boolean;
  worker: number;
  /** seconds with the sign, and seconds judged */
  seconds: number;
  ofSeconds: number;
  /** mean over the seconds with the sign; defined as for the worker */
  utilization: number;
  /** CPU time ÷ elapsed time, mean; null if not known */
  cores: number | null;
  /** it had work and no CPU for part of the time, because other programs used it */
  isCrowded: boolean;
  /** programs outside the run had most of the CPU: how many cores of how many; absent where not known */
  others?: { cores: number; cpus: number };
  /** worst p99 of these seconds: delay of users' starts, and of the event loop */
  lagMaxMs: number;
  pauseMaxMs: number;
}

export interface ErrorSample {
  atMs: number;
  endpoint: string;
  /** a status ("401") or an error code ("ECONNREFUSED") */
  code: string;
  url: string;
  headers: Record<string, string | string[]>;
  /** request body, at most 2 KB, redacted; absent if there was none, or not text */
  requestBody?: string;
  /** of the capture or match that failed: `$.id` */
  expression?: string;
  /** response body, at most 2 KB, redacted */
  body: string;
  requestId: string | null;
  traceparent: string | null;
  /** the pod that responded; absent if not known */
  pod?: string;
}
