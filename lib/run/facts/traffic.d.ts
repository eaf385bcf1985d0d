/** Recorded traffic as `lib/load/traffic/` reads it, to write a script with the same load. */

/** A line of an access log. */
export interface LoggedRequest {
  atMs: number;
  /** address and user agent; never written to disk */
  client: string;
  /** virtual host in lower case, without its port; '' if the line has none */
  host: string;
  method: string;
  /** as in the line */
  target: string;
  status: number;
  agent: string;
}

/** Why a request is excluded from the load. */
export type LeftOutReason =
  | 'host'
  | 'health'
  | 'static'
  | 'failed'
  | 'method'
  | 'masked'
  | 'unreadable'
  | 'rare';

/** The sequence of requests of one user. */
export interface MixFlow {
  /** names of endpoints: `GET /items/:id` */
  names: string[];
  /** pause before each of them, mean */
  thinkSec: number[];
  /** number of users with this sequence */
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
  /** the most frequent virtual host, whose requests are kept; '' if lines name none */
  host: string;
  requests: number;
  /** requests that may be sent */
  kept: number;
  /** time of the first and last kept request */
  firstMs: number;
  lastMs: number;
  sessions: number;
  /** requests of the most frequent address and user agent */
  mostOfClient: number;
  /** number of pauses within sessions, and their sum */
  thinks: number;
  thinkSec: number;
  /** the most frequent first */
  flows: MixFlow[];
  /** paths whose segments are values, in the form that ENDPOINTS accepts */
  groups: string[];
  /** a sample of the requested addresses, masked, by endpoint */
  addresses: Map<string, { address: string }[]>;
  redirecting: Set<string>;
  curve: Curve;
  /** number of requests, by reason and the name of an endpoint or a status: `method POST /orders` */
  leftOut: Map<string, number>;
  /** number of requests, by parameter name */
  masked: Map<string, number>;
}

/** The parts of a `URL` that are read. */
export interface WebAddress {
  protocol: string;
  host: string;
  origin: string;
  hostname: string;
  pathname: string;
  search: string;
  href: string;
}

/** A request that a browser recorded, and its response. */
export interface Exchange {
  method: string;
  url: WebAddress;
  /** lower-case names; repeated headers are repeated */
  headers: [name: string, value: string][];
  /** in the format of a step; null: neither JSON nor a plain form */
  body: { json?: unknown; form?: Record<string, string> } | null;
  status: number;
  answer: {
    headers: [name: string, value: string][];
    text: string;
    mimeType: string;
    /** the recording is without its text */
    isLost: boolean;
  };
  startMs: number;
  endMs: number;
  followRedirect: boolean;
}

/** Why a recorded request is excluded from the flow. */
export type HarReason =
  | 'unreadable'
  | 'login'
  | 'foreign'
  | 'static'
  | 'preflight'
  | 'internal'
  | 'websocket'
  | 'failed'
  | 'stream'
  | 'body';

/** The origin of a token. */
export interface HarLogin {
  issuer: string;
  clientId: string;
}

export interface Session {
  /** the target: the origin of most requests */
  origin: string;
  exchanges: Exchange[];
  /** by access token */
  logins: Map<string, HarLogin>;
  /** names of the cookies that the login sets */
  cookies: Set<string>;
  /** requests, as `GET https://host/path` */
  leftOut: Map<HarReason, string[]>;
}

/** A value of a response that is sent again. */
export interface CapturedValue {
  as: string;
  from: string;
  /** its first use */
  to: string;
  /** equal names, or a value that is rare in the recording */
  why: 'name' | 'rare';
}

/** The flow that a session was converted to. */
export interface RecordedFlow {
  flow: Record<string, unknown>[];
  /** variables that the script declares */
  variables: Record<string, { secret?: true; default?: string; about: string }>;
  login: HarLogin | null;
  /** cookies that were sent although no recorded response set them */
  cookies: Set<string>;
  captured: CapturedValue[];
  /** recorded values that are in `places` places of earlier responses, and stay as they are */
  literal: { at: string; places: number }[];
  /** variables of days, as offsets from the day of the recording */
  dates: { as: string; days: number }[];
  /** the script needs the variable `brace` */
  hasBraces: boolean;
}
