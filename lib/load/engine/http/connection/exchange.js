/** One request on the wire and its response. */
import { performance } from 'node:perf_hooks';
import { RawHeaders } from '../raw-headers.js';
import { refuse } from './failures.js';
import { findExceeded } from './time-limits.js';

/** @import { RequestOptions } from '../request.d.ts' */
/** @import { RequestHandler } from './client.js' */
/** @import { Watched } from './time-limits.js' */

/**
 * Handles the result of an exchange.
 * @typedef {object} Listener
 * @property {any} context of the user
 * @property {{maxBodyBytes: number, readsBody: boolean}} step
 * @property {(exchange: Exchange) => boolean} wantsBody
 * @property {(exchange: Exchange) => void} onAnswer
 * @property {(exchange: Exchange, error: Error) => void} onFailure
 * @property {(exchange: Exchange, options: RequestOptions) => void} dispatch
 */

/** A body that a fresh socket takes in one system call; larger ones are an upload, which takes time. */
const WRITTEN_AT_ONCE_BYTES = 65_536;

/** zlib's code for decompressed data of that size. */
const TOO_LARGE = 'ERR_BUFFER_TOO_LARGE';

/** How a body of gzip begins (RFC 1952), and its ninth byte if it has the highest level. */
const GZIP = 0x1f_8b;
const BEST_LEVEL = 2;

/** Headers of a request without a response. */
const NONE = new RawHeaders('');

/** @implements {RequestHandler} @implements {Watched} */
export class Exchange {
  /**
   * @param {Listener} execution
   * @param {RequestOptions} options
   */
  constructor(execution, options) {
    this.execution = execution;
    this.options = options;
    this.timeoutMs = options.timeoutMs;
    /** @type {((error?: Error) => void) | null} */
    this.abort = null;
    /** Times are those of `performance.now()`; 0 means not yet. */
    this.queuedAtMs = performance.now();
    this.connectedMs = 0;
    this.sentMs = 0;
    this.headersMs = 0;
    this.endMs = 0;
    /** index among the time limits; −1: none */
    this.watchedAt = -1;
    this.counted = false;
    this.failed = false;
    this.gotData = false;
    this.lastDataMs = 0;
    this.status = 0;
    this.statusText = '';
    /** @type {string | null} the API's instance that responded */
    this.instance = null;
    /** @type {import('../../../../run/facts/whole-request.d.ts').ServerTiming | null} of the companion */
    this.reported = null;
    /** @type {import('./connector.js').ConnectTimes | null} null: its connection was open */
    this.opening = null;
    this.rawHeaders = NONE;
    this.bytes = 0;
    /** How often bytes of the body arrived: each chunk that a server sends counts. */
    this.parts = 0;
    /** @type {{unpackedBytes: number, isBest: boolean} | null} of a body of gzip: what its own end and beginning say */
    this.gzip = null;
    /** @type {Buffer[] | null} null: the body is not kept */
    this.chunks = null;
  }

  /**
   * @param {(error?: Error) => void} abort @param {number} nowMs
   * @param {import('./connector.js').ConnectTimes | null} opening of a new connection
   */
  onConnect(abort, nowMs, opening) {
    this.abort = abort;
    this.opening = opening;
    this.connectedMs = nowMs;
  }

  /**
   * The system call is over. If the thread lost its CPU in it, that time would be missing from the time to first byte,
   * so a request that is written immediately counts from before the call.
   */
  onRequestSent() {
    const { body, form } = this.options;
    const isOneCall =
      form === null &&
      (body === null ||
        ((typeof body === 'string' || Buffer.isBuffer(body)) &&
          body.length <= WRITTEN_AT_ONCE_BYTES));
    this.sentMs = isOneCall ? this.connectedMs : performance.now();
  }

  /** @param {number} status @param {RawHeaders} rawHeaders @param {string} statusText @param {number} nowMs */
  onHeaders(status, rawHeaders, statusText, nowMs) {
    this.headersMs = nowMs;
    this.status = status;
    this.statusText = statusText;
    this.rawHeaders = rawHeaders;
    if (this.execution.wantsBody(this)) this.chunks = [];
  }

  /** @param {Buffer} chunk */
  onData(chunk) {
    this.gotData = true;
    if (this.bytes === 0 && chunk.length > 8 && chunk.readUInt16BE() === GZIP)
      this.gzip = { unpackedBytes: 0, isBest: chunk[8] === BEST_LEVEL };
    if (this.gzip)
      this.gzip.unpackedBytes = chunk.length < 4 ? 0 : chunk.readUInt32LE(chunk.length - 4);
    this.bytes += chunk.length;
    this.parts += 1;
    if (this.chunks === null) return;
    const { maxBodyBytes, readsBody } = this.execution.step;
    if (this.bytes <= maxBodyBytes) this.chunks.push(Buffer.from(chunk));
    else if (readsBody) this.abort?.(refuse(`more than ${maxBodyBytes} bytes`, TOO_LARGE));
  }

  /** @param {number} nowMs */
  onComplete(nowMs) {
    this.endMs = nowMs;
    this.execution.onAnswer(this);
  }

  /** @param {Error} error */
  onError(error) {
    this.endMs = performance.now();
    this.failed = true;
    this.execution.onFailure(this, error);
  }

  /** @param {number} nowMs */
  exceeds(nowMs) {
    return findExceeded(this, nowMs);
  }

  /** From writing the request to the headers of the response, in ms. */
  get timeToFirstByteMs() {
    return this.headersMs - (this.sentMs || this.connectedMs);
  }
}
