/**
 * What a run folder holds (`docs/run-folder.md`). What is read is checked against these types
 * (`lib/run/folder-shapes.js`): a folder may come from somebody else, or from a full disk. Only what no reader can
 * do without is required, for older versions wrote less.
 */

import type { Plan, StatementName } from './calls.d.ts';
import type { PartialReason } from './validity.d.ts';

/** @minimum 0 @maximum 8640000000000000 */
export type Time = number;
/** @minimum 0 @maximum 1000000000000 */
export type Count = number;
/** Of what is packed as such. @asType integer @minimum 0 @maximum 1000000000000 */
type Whole = number;
/** Milliseconds, bytes. @minimum 0 @maximum 1000000000000000 */
export type Amount = number;
/** @asType integer @minimum 0 @maximum 4294967295 */
export type Pid = number;
/** @asType integer @minimum -35488 @maximum 35488 */
type SketchKey = number;
/** @minimum 0 @maximum 1 */
export type Share = number;
/** @minimum 0.001 @maximum 100000 */
type Rate = number;

/** A DDSketch (`lib/math/sketch.js`). */
export interface SketchRecord {
  count: Whole;
  sum: number;
  min: number | null;
  max: number | null;
  zero: Whole;
  bins: [SketchKey, Whole][];
}

export interface HostInfo {
  platform: string;
  cpus: Count;
  cpuModel: string;
  memoryBytes: Amount;
}

export interface Manifest {
  schema: 'loadflame-run/1';
  id: string;
  kind: 'load' | 'profile' | 'load+profile';
  status: 'running' | 'complete' | 'partial';
  /** why it is partial */
  reasons: PartialReason[];
  /** of the loadflame that owns the run */
  pid: number;
  /** tells that process from a later one with the same pid */
  pidStartTicks: number | null;
  startedAtMs: Time;
  endedAtMs: Time | null;
  /** as typed, without secrets */
  command: string;
  target: string | null;
  script: { name: string; sha256: string } | null;
  versions: Record<string, string>;
  /** of the target, as far as it is recorded; null: of another machine, such as the nodes of pods */
  host: HostInfo | null;
  /** the kernel's, of the machine since it started: a container has that of its host */
  bootId?: string | null;
  /** secrets masked; `about`: of a script's variable, in its words */
  settings: { name: string; value: string; source: string; about?: string }[];
  /**
   * first process of the server (not there in old runs), and the same again where it only waits for its
   * workers; first processes of task workers that were recorded beside it
   */
  profile: {
    rootPid?: Pid;
    masterPid: Pid | null;
    /** null where no stacks were recorded */
    rateHz: Rate | null;
    taskWorkers?: { name: string; rootPids: Pid[] } | null;
  } | null;
  /** a recording that waits for Ctrl+C: a load test may join it */
  joinable: boolean;
  mergedFrom?: MergedFrom;
  /** of a load whose targets were found in a cluster; `target` is one of them, or what the checks asked */
  targets?: FoundTargets;
}

/** As a script or a study says it: objects of one kind, by their labels. */
export interface TargetsAsked {
  routes?: Labelled;
  ingresses?: Labelled;
  services?: Labelled;
  /** the only ones that the load goes to, and its token; `*.apps.example` is all below it */
  hosts?: string[];
}

export interface Labelled {
  /** `app=shop` */
  selector: string;
}

/** Users took these addresses in turn. */
export interface FoundTargets {
  /** `routes with app=shop in the namespace shop` */
  what: string;
  addresses: string[];
  /** objects with these labels that are no targets */
  left: { name: string; why: string }[];
}

/** The load was sent from another machine; all times are of the clock of the one that was recorded. */
export interface MergedFrom {
  /** ids of the two runs */
  load: string;
  recording: string;
  /** that sent the load */
  host: HostInfo;
  clock: MergedClock;
}

/** What was added to the times of the load. */
export interface MergedClock {
  /** whose time told it: the companion's, or that of Date headers; `unknown`: nobody, and nothing was added */
  from: 'companion' | 'date' | 'unknown';
  /** at the start and at the end of the load */
  startMs: number;
  endMs: number;
  /** give or take; null where nobody measured it */
  uncertaintyMs: Amount | null;
  answers: Count;
}

/** Artillery's names, and those that a script adds: what we pack or divide by is counted. */
export type Counters = Record<string, number> & {
  'http.requests'?: Whole;
  'http.responses'?: Whole;
};

type Sketches = Record<string, SketchRecord>;

export interface EndpointRecord {
  requests?: Whole;
  errors?: Whole;
  statuses?: Record<
    string,
    {
      count: Whole;
      timeToFirstByte?: SketchRecord;
      total?: SketchRecord;
      /** sums over these responses, by the id of a measure (`measures.js`); `bodyMs`: of those that arrived in parts, from the headers to the last byte */
      sums?: Record<string, Amount>;
    }
  >;
  server?: {
    count: Count;
    totalMs: Amount;
    cpuMs: Amount | null;
    aroundMs?: Amount;
    blocked?: { count: Count; ms: Amount; cpuMs: Amount; longestMs: Amount };
    /** by the id of a measure; absent: 0 */
    sums?: Record<string, Amount>;
  };
  routes?: Record<string, Count>;
}

/** As a script says it: figures, or texts with names in them. */
type Planned = string | number | null;

export interface PhaseSpec {
  duration?: Planned;
  pause?: Planned;
  users?: Planned;
  arrivalRate?: Planned;
  arrivalCount?: Planned;
  rampTo?: Planned;
  maxVusers?: Planned;
}

/** What all records have. */
type Stamped = { t: Time };

interface Metrics {
  'load-start': {
    engine?: string;
    scenarios?: string[];
    phases?: object[];
    workers?: Count | null;
    trustsAnyone?: boolean;
  };
  'phase-start': { index: Count; name?: string | null; spec?: PhaseSpec };
  'phase-end': { index: Count };
  second: {
    fromMs: Time;
    counters?: Counters;
    sketches?: Sketches;
    endpoints?: Record<string, EndpointRecord>;
    workers?: Record<string, Count>;
    backends?: Record<string, Count>;
    /** status of 400 and more → instance, as in `backends` or before the dot in `workers` → responses */
    failed?: Record<string, Record<string, Count>>;
    usersActive?: Count | null;
    usersMost?: Count | null;
  };
  /** of older versions */
  period: { counters?: Counters; sketches?: Sketches };
  users: { index: Count; name?: string | null; worker: Count; ended: Count[]; failed?: Count[] };
  generator: {
    fromMs: Time;
    /** @exclusiveMinimum 0 @maximum 86400000 */
    lengthMs: number;
    worker: Count;
    cpuMs: Amount | null;
    /** absent in older runs */
    queuedMs?: Amount | null;
    utilization: Share;
    delayMs?: { p50?: Amount; p99: Amount; max?: Amount } | null;
    lagMs?: SketchRecord;
    arrivals: Count;
    skipped?: Count;
    sockets?: Count;
    gcMaxMs?: Amount;
    rssBytes?: Amount;
  };
  /** `from`: whose time it is; absent in older runs, of Date headers */
  clock: {
    worker?: Count;
    from?: 'companion' | 'date';
    lowMs: number;
    highMs: number;
    answers: Count;
    backMs?: Amount;
  };
  'load-end': {
    reason?: string;
    exitCode?: number | null;
    signal?: string | null;
    counters?: Counters;
  };
}

interface Errors {
  error: {
    endpoint: string | null;
    code: string | Count;
    url?: string | null;
    status?: Count | null;
    headers?: Record<string, string | string[]> | null;
    /** what was sent; absent where nothing was, or no text */
    requestBody?: string | null;
    body?: string | null;
    requestId?: string | null;
    traceparent?: string | null;
    /** of the API that answered, as in `failed` of `second` */
    instance?: string | null;
  };
}

/** @pattern ^[0-9a-f]{8}$ */
type StatementId = string;
/** round(ln(µs) / ln(1.1)). @asType integer @minimum 0 @maximum 400 */
type TimeBin = number;

/** Calls of the responses of a second from one endpoint and worker. */
export interface CallsRecord {
  fromMs: Time;
  endpoint: string;
  /** `<instance>.<pid>` */
  worker: string;
  /** with and without calls */
  responses: Whole;
  /** whose header could not be read; not in `responses` */
  unreadable?: Whole;
  /** `[database statements of a request, responses]` */
  perRequest: [Whole, Whole][];
  /** in the database per request */
  databaseMs: SketchRecord;
  /** waits for a connection of a pool */
  pool: { count: Whole; us: Whole };
  /** of statements that are not in `calls` */
  more: { count: Whole; us: Whole };
  /** `[id, requests, executions, µs, rows, µs in an open transaction, most of one request, [time, executions]]` */
  calls: [StatementId, Whole, Whole, Whole, Whole | null, Whole, Whole, [TimeBin, Whole][]][];
}

interface LoadCalls {
  'call-named': { id: StatementId; call: Omit<StatementName, 'id'> };
  calls: CallsRecord;
}

interface Tokens {
  configured: { flow: string; issuer: string; mode?: string; users?: Count };
  obtained: { user?: Count; lifetimeSec?: Amount | null };
  refreshed: { user?: Count; lifetimeSec?: Amount | null };
  failed: { user?: Count; code?: string | null; message?: string };
  late: { user?: Count; renewalMs: Amount; expiredMs: Amount };
  warning: { user?: Count; message?: string };
}

type Event = { message?: string };

interface Events {
  'recorder-died': Event;
  'target-gone': Event & { pid?: Pid };
  'session-failed': Event;
  'log-ended': Event;
  'load-worker-lost': Event;
  'load-lines-lost': Event;
  /** its kubeconfig accepts any certificate */
  'cluster-trusts-anyone': Event;
  /** of a cluster, when it was told to begin; its clock before that of the run */
  'load-worker': { worker: Count; pod: string; aheadMs: number; uncertaintyMs?: Amount };
  'load-joined': { pid: Pid; pidStartTicks?: Count | null };
  'load-left': { pid: Pid };
  'warm-up': { takenPerSec: Amount; ratePerSec: Amount; isSmall: boolean };
}

/** What took the samples, and what it can do: analysis and text read this and compare no names. */
export interface Recorder {
  name: string;
  version?: string | null;
  /** the target is paused for each sample */
  pausesTarget?: boolean;
  /** each sample has its time: `samples-<n>.txt` instead of collapsed stacks per segment */
  hasTimes?: boolean;
  /** its samples are of all threads, so what they wait for is in them */
  seesWaiting?: boolean;
  /** it samples the target from the core on which that runs */
  sameCore?: boolean;
}

interface Segments {
  'recording-start': {
    rootPid?: Pid | null;
    masterPid?: Pid | null;
    server?: string | null;
    rateHz?: Rate;
    recorder?: Recorder;
    python?: string | null;
    notRemote?: string | null;
    sudo?: boolean;
    workerClass?: string | null;
    threads?: Count | null;
    /** whose servers it records; each counts its processes from 10,000,000, 20,000,000 … on */
    pods?: string[];
  };
  segment: {
    file: string;
    startMs: Time;
    endMs: Time;
    samples?: Count;
    looks?: Count;
    errors?: Count;
    lateMs?: Amount;
    missedMs?: Amount;
  };
  'segment-lost': { startMs?: Time; endMs?: Time; reason?: string };
  'waits-start': { file: string; startMs: Time; rateHz: Rate };
  waits: { file: string; startMs: Time; endMs: Time; samples?: Count; errors?: Count };
  'waits-lost': { reason: string };
  process: { pid: Pid; command: string };
  /** `name`: that of the pod, and the pid there */
  'worker-start': { pid: Pid; name?: string };
  'worker-end': { pid: Pid; name?: string };
  /** `localPeers`: all that its workers were connected to is on this machine; null where they were to nothing */
  'recording-end': { reason?: string; localPeers?: boolean | null };
}

interface Calls {
  line: { function: string; file: string; line: Count; calls: string[]; inLoop?: boolean };
  /** on the way to a relation of an ORM */
  touch: { function: string; file: string; line: Count; repeats?: boolean; touches: string[] };
  route: { function: string; file: string; path: string; methods: string[] };
}

interface Source {
  /** lines of a function with samples, secrets taken out; `from`: number of the first */
  function: {
    function: string;
    file: string;
    from?: Count;
    lines?: string[];
    /** its file was written to since the server started, so its lines are not those that ran */
    isChanged?: boolean;
  };
}

interface Processes {
  sample: {
    pid: Pid;
    role: string;
    cpuMs: Amount;
    rssBytes?: Amount | null;
    pssBytes?: Amount | null;
    threads?: Count | null;
    startTicks?: Count | null;
  };
  /** `[tid, runMs, queuedMs, slices]` */
  threads: {
    pid: Pid;
    startTicks?: Count | null;
    threads: [Pid, Amount, Amount, Count][];
    /** in its memory, known to start threads of their own; told when its number of threads changes */
    libraries?: string[];
  };
  group: { name: string; processes: Count; unseenCpuMs?: Amount };
  host: {
    busyMs: Amount;
    totalMs: Amount;
    cpus: Count;
    stealMs?: Amount;
    pressureMs?: Amount;
  };
  cgroup: {
    roles: string[];
    path: string;
    quotaCores: Rate;
    periods: Count;
    throttled: Count;
    throttledMs: Amount;
  };
}

interface Probes {
  probe: { name: string; tookMs?: Amount; values: Record<string, number> };
  'probe-failed': { name?: string; message?: string };
}

/** What a cluster says of the pods of a workload; its times are moved to our clock, to a second. */
interface Cluster {
  'cluster-start': { namespace: string; selector: string; workload?: string | null };
  /** whenever something of it is another */
  pod: {
    name: string;
    uid?: string;
    /** absent in older runs, as are the ports */
    ip?: string | null;
    node?: string | null;
    phase?: string;
    isReady: boolean;
    isEnding?: boolean;
    containers: {
      name: string;
      isReady?: boolean;
      restarts: Count;
      waiting?: string | null;
      /** how it ended the last time */
      last?: { reason: string; exitCode: number; endedAtMs?: Time | null } | null;
      cpuLimitCores?: Amount | null;
      memoryLimitBytes?: Amount | null;
      ports?: { name: string; port: Count }[];
    }[];
  };
  'pod-gone': { name: string };
  /** counts of a container's `cpu.stat`, since it started */
  throttling: {
    name: string;
    container: string;
    periods: Count;
    throttled: Count;
    throttledMs: Amount;
  };
  /** means over a window */
  usage: {
    name: string;
    startMs: Time;
    endMs: Time;
    cpuCores: Amount;
    memoryBytes: Amount;
  };
  event: {
    object: string;
    type?: string;
    reason: string;
    message?: string;
    count: Count;
  };
  replicas: { desired: Count; ready: Count };
  'way-in': {
    /** `service`; runs of older versions also have those of routes and ingresses, which nothing reads */
    type: string;
    name: string;
    /** `target`: the pods' port, by number or name */
    ports?: { name: string; target: string }[];
  };
  /** a part that is not seen, from now on or up to `back` */
  failed: {
    part: string;
    /** `program`: the images of the pods lack the program that reads it */
    why: 'forbidden' | 'missing' | 'program' | 'failed';
    verb: string;
    resource: string;
    message?: string;
  };
  back: { part: string };
}

interface Logs {
  source: { type?: string; name?: string };
  line: {
    atMs?: Time | null;
    level?: 'error' | 'warn' | 'info' | null;
    pid?: Pid | null;
    text: string;
    isTraceback?: boolean;
    status?: Count;
  };
  'left-out': { why?: string; fromMs?: Time; lines?: Count; bytes?: Amount };
}

/** Percentiles of a period; Artillery leaves out what it did not measure, or writes null (TLS without TLS). */
export interface ArtillerySummary {
  count: Count;
  min: number | null;
  max: number | null;
  mean: number | null;
  p50: number;
  p75: number;
  p90: number;
  p95: number;
  p99: number;
}

/** @pattern ^\d{1,15}$ */
type PeriodText = string;

export interface ArtilleryPeriod {
  /** epoch ms; Artillery writes it as a text */
  period?: Time | PeriodText;
  counters?: Counters;
  summaries?: Record<string, ArtillerySummary>;
}

/** The JSON that `artillery run --output` writes. */
export interface ArtilleryReport {
  /** of a file that our own engine wrote */
  engine?: string;
  aggregate: ArtilleryPeriod & {
    firstCounterAt?: Time;
    lastCounterAt?: Time;
    firstMetricAt?: Time;
    lastMetricAt?: Time;
  };
  intermediate?: ArtilleryPeriod[];
}

type Kinds<T> = { [Kind in keyof T]: Stamped & T[Kind] };

/** A file of one value, or the kinds of its records: those that are not here no reader looks at. */
export interface RunShapes {
  /** reasons are for who reads the file: older versions wrote others */
  manifest: Omit<Manifest, 'reasons'>;
  artillery: ArtilleryReport;
  events: Kinds<Events>;
  metrics: Kinds<Metrics>;
  errors: Kinds<Errors>;
  loadCalls: Kinds<LoadCalls>;
  plans: Kinds<{ plan: Plan }>;
  tokens: Kinds<Tokens>;
  segments: Kinds<Segments>;
  calls: Kinds<Calls>;
  source: Kinds<Source>;
  processes: Kinds<Processes>;
  probes: Kinds<Probes>;
  cluster: Kinds<Cluster>;
  logs: Kinds<Logs>;
}

/** A file of one value, and not of records. */
export type ValueFile = 'manifest' | 'artillery';
export type RecordFile = Exclude<keyof RunShapes, ValueFile>;
/** A record of a file, of any of its kinds or of one: `RecordOf<'processes', 'sample'>`. */
export type RecordOf<
  File extends RecordFile,
  Kind extends keyof RunShapes[File] = keyof RunShapes[File],
> = { [Own in Kind]: RunShapes[File][Own] & { kind: Own } }[Kind];
