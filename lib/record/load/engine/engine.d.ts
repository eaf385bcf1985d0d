// biome-ignore-all lint/suspicious/noExplicitAny: what scripts and their hooks put into these is theirs
/**
 * What the parts of the load engine say to each other.
 *
 * The engine keeps to Artillery's contract: a scenario is `(context, callback)`, `started` is emitted once per user,
 * the callback is called once. Our generator (`../generator/`) gives it `services` besides.
 */
import type { ClockBounds } from '../metrics/clock-bounds.js';
import type { ErrorSamples } from '../metrics/error-samples.js';
import type { SecondRecorder } from '../metrics/second-recorder.js';
import type { EngineConfig, ScenarioSpec, StepSpec } from '../script.d.ts';
import type { TokenHolder } from '../token-holder.js';

/** Where a handshake of socket.io carries the token. */
export interface TokenPlaces {
  /** name of the cookie */
  cookie: string | null;
  /** field of the `auth` payload */
  authField: string | null;
}

/** What an engine reports to: the second recorder, or nobody (`before` and `after` flows). */
export type Recorder = Pick<
  SecondRecorder,
  | 'count'
  | 'measure'
  | 'endpoint'
  | 'countRequest'
  | 'countAnswer'
  | 'countNoAnswer'
  | 'noteServer'
  | 'knowsBackends'
>;

/** What our generator gives to its engine; one set per thread. */
export interface Services {
  recorder: Recorder;
  samples: ErrorSamples;
  tokens: TokenHolder;
  tokenPlaces: TokenPlaces;
  /** told to the user once per text, by whichever worker says it first */
  warn(text: string): void;
  /** of what the target gave: from now on it is a secret */
  learn(secret: string): void;
  /** absent where nobody asks for the target's clock */
  clock?: ClockBounds;
  /** open sockets of this thread, for the generator's own record */
  sockets: { open: number };
}

/** How a user came to be: on the context, under `ARRIVAL` (`./http/http-user.js`). */
export interface Arrival {
  /** when the schedule meant it to start, on the clock of `performance.now()` */
  intendedAtMs: number;
  /** a closed-loop user's own; connections live in it from one iteration to the next */
  slot: UserSlot | null;
}

/** What a closed-loop user keeps while it repeats its scenario. */
export interface UserSlot {
  index: number;
  /** the engine's: connections to each origin; the engine puts them there, the generator closes them */
  connections: { close(): void } | null;
}

export type Callback = (error?: any, context?: any) => void;
export type Scenario = (context: any, callback: Callback) => void;

/** A step of a flow, compiled once. It throws, or rejects, to end the user. */
export type Step = (context: any) => void | Promise<void>;

/** What every step of a scenario is compiled with. */
export interface Scope {
  /** `script.config`; `config.processor` holds hooks that were wrapped */
  config: EngineConfig;
  /** the scenario as written; `engine`, `socketio`, `beforeRequest`, … are on it */
  scenario: ScenarioSpec;
  ee: Emitter;
  services: Services;
  /** of a scenario of `engine: socketio` or `ws` */
  sockets?: SocketRoom | null;
  /** steps of a nested flow (loop, parallel), one Step each */
  compile(specs: StepSpec[]): Step[];
}

/** What an engine of sockets adds to a scenario. */
export interface SocketRoom {
  /** by the key that makes one */
  steps: Record<string, StepCompiler>;
  /** a flow with the step that connects */
  begin(flow: StepSpec[] | undefined): StepSpec[];
  /** before the first step of a user */
  open?(context: any): void;
  /** after the last step, whether it failed or not; more than once does no harm */
  close(context: any): void;
}

/** One kind of step: `compile…(spec, scope)` in a file of its own. */
export type StepCompiler = (spec: StepSpec, scope: Scope) => Step;

export interface Emitter {
  emit(event: string, ...args: any[]): unknown;
}
