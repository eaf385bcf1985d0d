/** Keeps the first few errors of each kind, redacted, with the details that help to explain them. */

import { isUtf8 } from 'node:buffer';
import { addTo, mapValues } from '../../base/files/maps.js';
import { collectSecrets } from '../../base/files/redaction.js';

/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */

const SAMPLES_PER_KIND = 5;
/** A kind is an (endpoint, code); a target that responds with ever new codes must not fill the disk. */
const MAX_KINDS = 200;
const MAX_BODY_BYTES = 2048;
/** Longest name of an error, in characters. */
export const MAX_ERROR_NAME = 120;
/** Text is redacted before it is cut, so that no secret is cut in two; characters beyond this are ignored. */
export const MOST_READ = 16_384;
const REQUEST_ID = /^(x-)?(request|correlation|trace|amzn-trace)-id$/i;

/**
 * @param {NdjsonWriter} writer
 * @param {Redactor} redactor
 * @param {(secret: string) => void} [learn]
 */
export function createErrorSamples(writer, redactor, learn = redactor.add) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return {
    /** Whether to keep another error of this kind. @param {string} endpoint @param {string} code */
    wants(endpoint, code) {
      const count = seen.get(`${endpoint} ${code}`);
      return count === undefined ? seen.size < MAX_KINDS : count < SAMPLES_PER_KIND;
    },
    /**
     * @param {object} error
     * @param {string} error.endpoint
     * @param {string} error.code a status, or the name of the error
     * @param {string} [error.url]
     * @param {number | null} [error.status]
     * @param {import('../script.d.ts').HeaderFields} [error.headers] of the response
     * @param {readonly string[]} [error.sent] headers of the request: name, value, name, value …
     * @param {unknown} [error.requestBody] as sent; kept only if it is text
     * @param {string} [error.body] of the response
     * @param {unknown} [error.expression] of the capture or match that failed
     * @param {string | null} [error.traceparent] of the request
     * @param {string | null} [error.instance] of the API that responded, if known
     */
    add(error) {
      const { endpoint, code, url = '', status = null, headers = {} } = error;
      const { sent = [], body = '', traceparent = null, instance = null, expression } = error;
      if (!this.wants(endpoint, code)) return;
      const requestBody = readText(error.requestBody);
      // A response may repeat the request, and secrets that hooks put there are not in the script.
      const asked = sent.flatMap((name, at) => (at % 2 ? [] : collectSecrets(sent[at + 1], name)));
      for (const secret of [...asked, ...collectSecrets([url, requestBody])]) learn(secret);
      const keep = (/** @type {string} */ text) =>
        cutBody(redactor.redactText(text.slice(0, MOST_READ)));
      addTo(seen, `${endpoint} ${code}`, 1);
      const { 'loadflame-calls': _, ...kept } = headers;
      const requestId = Object.entries(headers).find(([name]) => REQUEST_ID.test(name))?.[1];
      writer.append(
        'error',
        redactor.redactValue({
          endpoint,
          code: redactor.redactText(code).slice(0, MAX_ERROR_NAME),
          url,
          status,
          headers: mapValues(kept, value => [value].flat().join(', ')),
          ...(requestBody !== '' && { requestBody: keep(requestBody) }),
          body: keep(body),
          requestId: requestId === undefined ? null : String(requestId),
          traceparent,
          ...(instance !== null && { instance }),
          ...(expression !== undefined && { expression: `${expression}`.slice(0, MAX_ERROR_NAME) }),
        }),
      );
    },
  };
}

/** @typedef {ReturnType<typeof createErrorSamples>} ErrorSamples */

const FIRST_FAILURE = Symbol('first failure of the user');

/**
 * Notes the first: it explains later ones.
 * @param {any} context of a user
 * @param {string} endpoint
 * @param {string} code
 */
export function noteFailure(context, endpoint, code) {
  context[FIRST_FAILURE] ??= `${code}\t${endpoint}`;
}

/** Errors of requests, connections and messages: any other is one of a step that sends nothing. @type {WeakSet<object>} */
export const ofAttempts = new WeakSet();
/** Errors of functions of the user. @type {WeakSet<object>} */
export const ofHooks = new WeakSet();

/**
 * @param {{count(name: string, value: number): void}} recorder @param {unknown} name
 * @param {boolean} [isOfAttempt] otherwise no request, connection or message failed with it
 */
export function countError(recorder, name, isOfAttempt = false) {
  recorder.count(`errors.${name}`, 1);
  if (!isOfAttempt) recorder.count(`errors_of_steps.${name}`, 1);
}

/**
 * The counter for a user's first failure; null if it had none.
 * @param {any} context @param {unknown} error that ended it
 */
export function nameFirstFailure(context, error) {
  const first = context?.[FIRST_FAILURE] ?? (error ? `${nameError(error)}\t` : null);
  return first && `vusers.first_failure.${error ? 'failed' : 'completed'}\t${first}`;
}

/** @param {unknown} body @returns {string} its beginning; empty for a file, a form with files, or binary data */
function readText(body) {
  if (typeof body === 'string') return body.slice(0, MOST_READ);
  return Buffer.isBuffer(body) && isUtf8(body) ? body.toString('utf8', 0, MOST_READ) : '';
}

/** @param {string} text at most 2 KB of it, never half a character */
export function cutBody(text) {
  const bytes = Buffer.from(text).subarray(0, MAX_BODY_BYTES);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/**
 * The name of an error, as Artillery counts it: its code (`ECONNREFUSED`), or the message, which records shorten.
 * @param {any} error
 */
export function nameError(error) {
  return String(error?.code || error?.message || error).slice(0, MOST_READ);
}
