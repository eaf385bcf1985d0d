/** What the load generator saw: the part `load` of a Report. */

import type { LatencySummary, TimeRange } from './estimate.d.ts';
import type { ErrorBurst } from './logs.d.ts';
import type { BlockedSteps } from './profile-report.d.ts';

export interface LoadReport {
  /** which engine sent the load: `loadflame` or `artillery` */
  engine: string;
  /** certificates of TLS were not checked (`--insecure`, `rejectUnauthorized: false`); absent where not known */
  trustsAnyone?: boolean;
  /** from the first to the last thing measured; throughput is computed inside it */
  window: TimeRange;
  /** several load tests joined to one recording have several windows */
  windows: TimeRange[];
  phases: {
    name: string;
    startMs: number;
    endMs: number | null;
    /** as the script says, in its own numbers */
    plan: {
      lengthSec: string | null;
      users: string | null;
      arrivalRate: string | null;
      arrivalCount: string | null;
      rampTo: string | null;
      maxVusers: string | null;
    };
    /**
     * `open`: users arrive by a schedule, however slow the target is; `closed`: a number of users, each
     * waits for its answer before it sends again; `none`: a pause
     */
    model: 'open' | 'closed' | 'none';
  }[];
  users: {
    created: number;
    completed: number;
    failed: number;
    /** arrivals that never became users because `maxVusers` was reached */
    skipped: number;
    /** `failed`: of `ended`, those that came to the end of the scenario or failed; null where not known */
    byScenario: { name: string; count: number; ended: number | null; failed: number | null }[];
    /** scenarios of the script that nobody ran */
    neverRun: string[];
    /** what failed first for users; absent where the engine does not count it */
    firstFailures?: { failed: boolean; code: string; endpoint: string; count: number }[];
    sessionMs: LatencySummary | null;
  };
  /** over HTTP and sockets; absent in imports, and in reports of older versions */
  responses?: {
    count: number;
    /** HTTP below 400 (redirects among them), acknowledgements, replies */
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
    /** the busiest second; null where only ten-second periods are known */
    peakRatePerSec: number | null;
    /** (responses ≥ 400 + requests that failed without one) ÷ requests whose end is known */
    errorRate: number;
    /** under way when the recording ended: neither answered nor failed */
    unknown: number;
    codes: { code: string; count: number }[];
    /** Artillery's `http.response_time`: from request to first byte */
    timeToFirstByte: LatencySummary | null;
    /** from the wish to send to the last byte, connecting included */
    totalTime: LatencySummary | null;
    /** the same from the moment that the schedule meant; null in a closed loop, and where the engine does not know it */
    totalFromIntended: LatencySummary | null;
    /** new connections only; null where none was made or the engine does not measure it */
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
    /** connections that socket.io made again by itself; null in an import */
    reconnects: number | null;
    /** why connections ended, in socket.io's words: `transport close`, `ping timeout` … */
    disconnects: { reason: string; count: number }[];
    emits: number;
    /** events that arrived, acknowledgements left out; null where they are not counted */
    received: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from the wish to connect to the server's welcome */
    connectTime: LatencySummary | null;
    /** from long polling to websocket */
    upgradeTime: LatencySummary | null;
    /** only emits that waited for an acknowledgement */
    acknowledged: LatencySummary | null;
    /** from an emit to the event that the scenario waits for as its response */
    responseWait: LatencySummary | null;
    /** how long a step waited for an event that the server sends of itself; no latency of the server */
    pushWait: LatencySummary | null;
  } | null;
  /** null where no WebSocket scenario ran; of Artillery's engine only messages are known */
  websocket: {
    connects: number | null;
    connectErrors: number | null;
    sent: number;
    received: number;
    /** messages that a step waited for */
    replies: number | null;
    bytesSent: number | null;
    bytesReceived: number | null;
    /** from the wish to connect to the server's welcome */
    connectTime: LatencySummary | null;
    /** from a message to the reply that its step waits for */
    replyTime: LatencySummary | null;
  } | null;
  /** server-sent events; null where no step opened a stream, absent in reports of older versions */
  sse?: {
    streams: number;
    events: number;
    eventsPerSec: number;
    /** attempts to open a stream again that broke off or came to its end */
    reconnects: number;
    bytesReceived: number;
    /** from the wish to open a stream to its first event, connecting included */
    firstEvent: LatencySummary | null;
    /** between events of one connection */
    gap: LatencySummary | null;
  } | null;
  /** Artillery's `errors.*`: name → count, without those of responses whose status is a failure already */
  errors: { name: string; count: number }[];
  failures: Failures;
  endpoints: {
    /** method and path with ids folded: `GET /api/v1/services/` */
    name: string;
    requests: number;
    errors: number;
    codes: { code: string; count: number }[];
    timeToFirstByte: LatencySummary | null;
    /** from the wish to send to the last byte, connecting included */
    totalTime: LatencySummary | null;
    /** of a response, by id of `measures.js`; absent where nothing of the kind was recorded */
    means?: Record<string, number>;
    /** answers that said that a step of their request kept the event loop for more than 100 ms */
    blocked?: BlockedSteps;
  }[];
  /** length of an entry of `seconds`: 1000, or 10,000 where only Artillery's own periods are known */
  resolutionMs: number;
  /**
   * The load over time, oldest first, one entry per `resolutionMs`; entries without anything are there
   * with zeros. `requests` and `errors` are per second.
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
    /** requests under way on average: times of the answers that came in it ÷ its length */
    inFlight: number | null;
    /** requests under way at its end: sent, and neither answered nor failed; null where they were not counted */
    inFlightAtEnd?: number | null;
  }[];
  /** null where the engine does not watch itself (Artillery's) */
  generator: GeneratorReport | null;
  /** the server ended under the load; `pid` where its process was watched; absent where it did not */
  serverEnd?: { pid: number | null; afterMs: number } | null;
  /** the longest one; null where there was none */
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
    /** of the last failed refresh, in the provider's words or the system's */
    reason: string | null;
    /** the longest renewal that took longer than its token lived, and the 401s while such tokens were used; absent where none did */
    late?: { renewalMs: number; refused: number };
    lifetimeSec: number | null;
    /** answers flipped from 2xx to 401 at this moment */
    flippedAtMs: number | null;
  } | null;
  /** every other counter that Artillery or a plugin kept */
  counters: Record<string, number>;
}

/** Failures of one kind. */
export interface Failure {
  /** null where they were of several, or it is not known */
  endpoint: string | null;
  /** a status, or the name of an error */
  code: string;
  isStatus: boolean;
  count: number;
  /** what the body of most samples says; text from outside */
  reason: string | null;
  /** what their `WWW-Authenticate` says */
  challenge: string | null;
  /** what the request of the first sample sent; absent where nothing was, or no text */
  requestBody?: string;
  /** users whose first failure it was, and those of them that failed; absent where not known */
  first?: { all: number; failed: number };
}

/** What failed, each failure once. */
export interface Failures {
  failed: number;
  /** requests whose end is known, connections and messages */
  tried: number;
  /** requests under way when the recording ended */
  unknown: number;
  share: number;
  /** `ended`: completed or failed */
  users: { failed: number; ended: number; share: number };
  /** ALLOWED_FAILURES, of either share */
  allowed: number;
  isTooMany: boolean;
  /** the most frequent first */
  kinds: Failure[];
}

/** A time in which the target gave no response while requests waited. */
export interface Stall {
  startMs: number;
  endMs: number;
  /** responses that had to wait for its end */
  waited: number;
  /** time to first byte, of all responses and of those before and after it */
  p99Ms: { all: number; outside: number | null };
}

/** How the load generator itself did, inside the load window. */
export interface GeneratorReport {
  workers: {
    /** 1, 2 … */
    worker: number;
    seconds: number;
    /** CPU time ÷ time; null where it is not known */
    cores: number | null;
    /** 0…1, mean, and of the busiest second: event-loop utilisation, or time that it ran or waited for a core */
    utilization: number;
    utilizationMax: number;
    /** how late its event loop was, p99 of the worst second */
    delayP99Ms: number | null;
    gcMaxMs: number | null;
  }[];
  /** of all workers together */
  cores: number | null;
  rssBytesMax: number | null;
  /** how late users started against the schedule; null without a schedule (closed loop) */
  lag: LatencySummary | null;
  /** what speaks against its figures, the worst first; none where it kept up */
  signs: GeneratorSign[];
}

export interface GeneratorSign {
  /**
   * `busy`: it had no time left; `starved`: it had work and got no CPU; `late`: it fell behind the
   * schedule, with half of its users as a limit, else with a few; `paused`: it stood still now and then
   */
  id: 'busy' | 'starved' | 'late' | 'paused';
  /** the generator, and not the target, was the limit */
  isLimit: boolean;
  worker: number;
  /** seconds with the sign, of those that were judged */
  seconds: number;
  ofSeconds: number;
  /** of the seconds with the sign, mean; as that of the worker */
  utilization: number;
  /** CPU time ÷ time, mean; null where it is not known */
  cores: number | null;
  /** it had work and no CPU for part of the time, because others took it */
  isCrowded: boolean;
  /** p99 of the worst of these seconds: users started late, the event loop stood still */
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
  /** what was sent, at most 2 KB, redacted; absent where nothing was, or no text */
  requestBody?: string;
  /** of the response, at most 2 KB, redacted */
  body: string;
  requestId: string | null;
  traceparent: string | null;
  /** that answered; absent where it is not known */
  pod?: string;
}
