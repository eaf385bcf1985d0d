// biome-ignore-all lint/suspicious/noExplicitAny: what scripts and their hooks put into these is theirs
/**
 * Types that the parts of the load engine share.
 *
 * The engine follows Artillery's contract: a scenario is `(context, callback)`, `started` is emitted once per user,
 * the callback is called once. Our generator (`../generator/`) also passes `services`.
 */
import type { ClockBounds } from '../metrics/clock-bounds.js';
import type { ErrorSamples } from '../metrics/error-samples.js';
import type { SecondRecorder } from '../metrics/second-recorder.js';
import type { Slowest } from '../metrics/slowest.js';
import type { Outcome } from '../metrics/whole-request.js';
import type { EngineConfig, ScenarioSpec, StepSpec } from '../script.d.ts';
import type { TokenHolder } from '../token-holder.js';
import type { Exchange } from './http/connection/exchange.js';

/** Where a socket.io handshake carries the token, and the key for the companion. */
export interface TokenPlaces {
  /** name of the cookie */
  cookie: string | null;
  /** field of the `auth` payload */
  authField: string | null;
  /** sent with HTTP requests to the target; '' or null: none */
  companionKey?: string | null;
}

/** The recorder of an engine: a second recorder, whose records are discarded for `before` and `after` flows. */
export type Recorder = Pick<
  SecondRecorder,
  | 'count'
  | 'measure'
  | 'endpoint'
  | 'rename'
  | 'countRequest'
  | 'countAnswer'
  | 'countGzip'
  | 'countFailure'
  | 'countEmpty'
  | 'noteServer'
  | 'knowsBackends'
>;

/** Services of our generator for its engine; one set per thread. */
export interface Services {
  recorder: Recorder;
  samples: ErrorSamples;
  tokens: TokenHolder;
  tokenPlaces: TokenPlaces;
  /** shown to the user once per text, whichever worker reports it first */
  warn(text: string): void;
  /** redacts a value from the target from now on */
  learn(secret: string): void;
  /** absent if the target's clock does not matter */
  clock?: ClockBounds;
  /** gets each request that ends; only where single requests are of interest */
  onRequest?(exchange: Exchange, outcome: Outcome): void;
  /** with it: what each request asks the companion for */
  asks?: string;
  /** gets each request of a load that ends */
  slowest?: Slowest;
  /** open sockets of this thread, for the generator's own record */
  sockets: { open: number };
  /** the last phase is over: pauses end, and users that begin a step later than its reason (`performance.now()`) */
  hurry?: AbortSignal;
}

/** How a user started: in the context, under `ARRIVAL` (`./http/http-user.js`). */
export interface Arrival {
  /** scheduled start, on the clock of `performance.now()` */
  intendedAtMs: number;
  /** of a closed-loop user; keeps connections from one iteration to the next */
  slot: UserSlot | null;
}

/** State that a closed-loop user keeps while it repeats its scenario. */
export interface UserSlot {
  index: number;
  /** connections to each origin; the engine sets them, the generator closes them */
  connections: { close(): void } | null;
}

export type Callback = (error?: any, context?: any) => void;
export type Scenario = (context: any, callback: Callback) => void;

/** A step of a flow, compiled once. It throws, or rejects, to end the user. */
export type Step = (context: any) => void | Promise<void>;

/** The scope in which every step of a scenario is compiled. */
export interface Scope {
  /** `script.config`, with the hooks in `config.processor` */
  config: EngineConfig;
  /** the scenario as written, with `engine`, `socketio`, `beforeRequest`, … */
  scenario: ScenarioSpec;
  ee: Emitter;
  services: Services;
  /** for scenarios with `engine: socketio` or `ws` */
  sockets?: SocketEngine | null;
  /** steps of a nested flow (loop, parallel), one Step each */
  compile(specs: StepSpec[]): Step[];
}

/** The additions of a socket engine to a scenario. */
export interface SocketEngine {
  /** by the key of the step */
  steps: Record<string, StepCompiler>;
  /** returns a flow with the step that connects */
  begin(flow: StepSpec[] | undefined): StepSpec[];
  /** before the first step of a user */
  open?(context: any): void;
  /** after the last step, whether it failed or not; idempotent */
  close(context: any): void;
}

/** Compiles one kind of step. */
export type StepCompiler = (spec: StepSpec, scope: Scope) => Step;

export interface Emitter {
  emit(event: string, ...args: any[]): unknown;
}
