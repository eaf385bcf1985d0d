/** What is read of recorded traffic (`lib/traffic/`), for a script of the same load. */

/** A line of an access log. */
export interface LoggedRequest {
  atMs: number;
  /** address and user agent: never written anywhere */
  client: string;
  method: string;
  /** as the line has it */
  target: string;
  status: number;
  agent: string;
}

/** Why a request is no part of the load. */
export type LeftOutReason =
  | 'health'
  | 'static'
  | 'failed'
  | 'method'
  | 'masked'
  | 'unreadable'
  | 'rare';

/** What one user asks for. */
export interface MixFlow {
  /** of endpoints: `GET /items/:id` */
  names: string[];
  /** before each of them, on average */
  thinkSec: number[];
  /** users */
  count: number;
}

export interface CurvePhase {
  seconds: number;
  fromPerSec: number;
  toPerSec: number;
}

/** Requests per second. */
export interface Curve {
  fromMs: number;
  phases: CurvePhase[];
}

export interface Traffic {
  requests: number;
  /** that may be sent */
  kept: number;
  /** of those that are kept */
  firstMs: number;
  lastMs: number;
  sessions: number;
  /** pauses inside of sessions, and their sum */
  thinks: number;
  thinkSec: number;
  /** the most frequent first */
  flows: MixFlow[];
  /** paths with words that are values, as ENDPOINTS takes them */
  groups: string[];
  /** a sample of the requested addresses, masked, by endpoint */
  addresses: Map<string, { address: string }[]>;
  redirecting: Set<string>;
  curve: Curve;
  /** requests, by a reason and the name of an endpoint or a status: `method POST /orders` */
  leftOut: Map<string, number>;
  /** requests, by names of parameters */
  masked: Map<string, number>;
}

/** What is read of a `URL`. */
export interface WebAddress {
  protocol: string;
  host: string;
  origin: string;
  hostname: string;
  pathname: string;
  search: string;
  href: string;
  searchParams: Iterable<[name: string, value: string]>;
}

/** A request that a browser recorded, and its response. */
export interface Exchange {
  method: string;
  url: WebAddress;
  /** lower-case names, as often as they came */
  headers: [name: string, value: string][];
  /** as a step has it; null: neither JSON nor a plain form */
  body: { json?: unknown; form?: Record<string, string> } | null;
  status: number;
  answer: { headers: [name: string, value: string][]; text: string; mimeType: string };
  startMs: number;
  endMs: number;
  followRedirect: boolean;
}

/** Why a recorded request is not in the flow. */
export type HarReason = 'login' | 'foreign' | 'static' | 'preflight' | 'failed' | 'stream' | 'body';

/** Where a token came from. */
export interface HarLogin {
  issuer: string;
  clientId: string;
}

export interface Session {
  /** of most requests: the target */
  origin: string;
  exchanges: Exchange[];
  /** by access token */
  logins: Map<string, HarLogin>;
  /** names of those that the login sets */
  cookies: Set<string>;
  /** requests: `GET https://host/path` */
  leftOut: Map<HarReason, string[]>;
}

/** What a session became. */
export interface RecordedFlow {
  flow: Record<string, unknown>[];
  /** that the script declares */
  variables: Record<string, { secret: true; about: string }>;
  login: HarLogin | null;
  /** that were sent, and that no recorded response set */
  cookies: Set<string>;
  captured: string[];
}
