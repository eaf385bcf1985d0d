/** The options of a request. */

import type { Readable } from 'node:stream';
import type FormData from 'form-data';
import type { EndpointHandle } from '../../metrics/second.d.ts';
import type { TlsOptions } from '../../script.d.ts';
import type { Address } from './address.js';

export interface RequestOptions {
  method: string;
  address: Address;
  /** of the address */
  path: string;
  /** name, value, name, value …; without cookies and tokens */
  headers: string[];
  body: Buffer | string | Readable | null;
  form: (() => FormData) | null;
  follow: Follow;
  timeoutMs: number;
  decompress: boolean;
  usesJar: boolean;
  mayTakeToken: boolean;
  /** options only for this request */
  tls: TlsOptions | null;
  endpointName: string;
  endpoint: EndpointHandle;
  /** the script gave the endpoint its name */
  isNamed: boolean;
  /** what its templates were filled with, if requests are kept whole */
  used?: Map<string, unknown>;
  /** if the request is always the same */
  encoded: Encoded | null;
}

/** Which redirects are followed: to the same host, all, none, or as a hook decides. */
export type Follow = 'host' | boolean | ((response: object) => boolean);

/** A request as bytes. */
export interface Encoded {
  /** in latin1, if it is text */
  start: string | Buffer;
  /** of the body */
  rest: Buffer | Readable | null;
  /** of the body */
  length: number;
  /** the request asks for the connection's end */
  closes: boolean;
}
