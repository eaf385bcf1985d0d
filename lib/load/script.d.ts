// biome-ignore-all lint/suspicious/noExplicitAny: what is not named here is read by hooks, plugins and other engines
/** The parts of an Artillery script (`docs/scenarios.md`) that this code reads. */

export interface Script {
  config: ScriptConfig;
  scenarios: ScenarioSpec[];
  /** sent once, before and after the load */
  before?: FlowSpec;
  after?: FlowSpec;
  [other: string]: any;
}

export interface ScriptConfig {
  target?: string;
  phases?: Phase[];
  variables?: Variables;
  payload?: PayloadSpec | PayloadSpec[];
  plugins?: Record<string, PluginSpec>;
  environments?: Record<string, ScriptConfig>;
  http?: HttpConfig;
  tls?: TlsOptions;
  [other: string]: any;
}

export interface HttpConfig {
  /** seconds */
  timeout?: number | string;
  /** connections that all users of a thread share */
  pool?: number | string;
  maxSockets?: number | string;
  extendedMetrics?: boolean;
  distributedTracing?: any;
  defaults?: any;
  [other: string]: any;
}

/** Completed by the engine. */
export interface EngineConfig extends ScriptConfig {
  target: string;
  http: HttpConfig;
}

export interface PluginSpec {
  /** prefix of the package's name */
  scope?: string;
  type?: string;
  [other: string]: any;
}

/** Variables, shared by users or of one user, by name: any values from a script, a CSV file or a hook. */
export interface Variables {
  [name: string]: any;
}

/** With numbers after templates are filled in. */
export interface Phase {
  name?: string;
  /** seconds */
  duration?: number;
  pause?: number;
  users?: number;
  arrivalRate?: number;
  arrivalCount?: number;
  rampTo?: number;
  maxVusers?: number;
  mode?: string;
  /** extra arrivals by scenario */
  more?: Record<string, number>;
  [other: string]: any;
}

/** A CSV file. */
export interface PayloadSpec {
  path: string;
  fields?: string[];
  order?: 'random' | 'sequence';
  name?: string;
  loadAll?: boolean;
  /** its rows, once it has been read */
  data?: any[][];
  [other: string]: any;
}

/** Node's names, or got's. */
export interface TlsOptions {
  rejectUnauthorized?: boolean | string;
  [other: string]: any;
}

export interface FlowSpec {
  flow: StepSpec[];
  [other: string]: any;
}

export interface ScenarioSpec extends FlowSpec {
  name?: string;
  weight?: number;
  engine?: string;
}

/** A step of a flow: `{ get: { url: '/' } }`, `{ think: 1 }`. */
export interface StepSpec {
  /** texts may contain templates */
  think?: number | string;
  log?: string;
  function?: string;
  loop?: StepSpec[];
  count?: number | string;
  over?: string | unknown[];
  whileTrue?: string;
  parallel?: StepSpec[];
  capture?: CaptureSpec | CaptureSpec[];
  [kind: string]: any;
}

/** A request as written. */
export interface RequestParams {
  url?: string;
  method?: string;
  headers?: HeaderFields;
  json?: any;
  body?: any;
  form?: Fields;
  formData?: Fields;
  qs?: Fields;
  capture?: CaptureSpec | CaptureSpec[];
  match?: CaptureSpec | CaptureSpec[];
  name?: string;
  https?: TlsOptions;
  [other: string]: any;
}

/** A request after hooks, with all templates filled in. */
export interface FilledRequest extends RequestParams {
  url: string;
  method: string;
  headers: HeaderFields;
}

/** Fields of a form or a query, by name. */
export interface Fields {
  [name: string]: any;
}

/** Headers by name; values as written, or as in a response. */
export interface HeaderFields {
  [name: string]: any;
}

/** A value that a step captures from a response or checks in it. */
export interface CaptureSpec {
  as?: string;
  json?: string;
  xpath?: string;
  regexp?: string;
  header?: string;
  cookie?: string;
  selector?: string;
  strict?: boolean;
  value?: unknown;
  [other: string]: any;
}
