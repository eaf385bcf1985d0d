/** Keeps the first few errors of each kind, with all that helps to explain them, redacted. */

import { isUtf8 } from 'node:buffer';
import { collectSecrets } from '../../../files/redaction.js';

/** @import { NdjsonWriter } from '../../../run/ndjson.js' */
/** @import { Redactor } from '../../../files/redaction.js' */

const SAMPLES_PER_KIND = 5;
/** Kinds are (endpoint, code); a target that answers with ever new codes must not fill the disk. */
const MAX_KINDS = 200;
const MAX_BODY_BYTES = 2048;
/** Of the name of an error. */
export const MAX_ERROR_NAME = 120;
/** Redacted before it is cut, so that no secret is cut in two; more is not looked at. */
const LOOKED_AT = 16_384;
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
    /** Is another one of this kind of use? @param {string} endpoint @param {string} code */
    wants(endpoint, code) {
      const count = seen.get(`${endpoint} ${code}`);
      return count === undefined ? seen.size < MAX_KINDS : count < SAMPLES_PER_KIND;
    },
    /**
     * @param {object} error
     * @param {string} error.endpoint
     * @param {string} error.code a status, or the name of what happened
     * @param {string} [error.url]
     * @param {number | null} [error.status]
     * @param {import('../script.d.ts').HeaderFields} [error.headers] of the answer
     * @param {readonly string[]} [error.sent] headers of the request: name, value, name, value …
     * @param {unknown} [error.requestBody] as it was sent; kept where it is text
     * @param {string} [error.body] of the response
     * @param {string | null} [error.traceparent] that was sent
     * @param {string | null} [error.instance] of the API that answered, where that is known
     */
    add(error) {
      const { endpoint, code, url = '', status = null, headers = {} } = error;
      const { sent = [], body = '', traceparent = null, instance = null } = error;
      if (!this.wants(endpoint, code)) return;
      const requestBody = readText(error.requestBody);
      // An answer repeats what was sent: whatever hooks put there is no secret of the script's.
      const asked = sent.flatMap((name, at) => (at % 2 ? [] : collectSecrets(sent[at + 1], name)));
      for (const secret of [...asked, ...collectSecrets([url, requestBody])]) learn(secret);
      const keep = (/** @type {string} */ text) =>
        cutBody(redactor.redactText(text.slice(0, LOOKED_AT)));
      const kind = `${endpoint} ${code}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      const requestId = Object.entries(headers).find(([name]) => REQUEST_ID.test(name))?.[1];
      writer.append(
        'error',
        redactor.redactValue({
          endpoint,
          code: redactor.redactText(code).slice(0, MAX_ERROR_NAME),
          url,
          status,
          headers: Object.fromEntries(
            Object.entries(headers)
              .filter(([name]) => name !== 'loadflame-calls')
              .map(([name, value]) => [name, [value].flat().join(', ')]),
          ),
          ...(requestBody !== '' && { requestBody: keep(requestBody) }),
          body: keep(body),
          requestId: requestId === undefined ? null : String(requestId),
          traceparent,
          ...(instance !== null && { instance }),
        }),
      );
    },
  };
}

/** @typedef {ReturnType<typeof createErrorSamples>} ErrorSamples */

const FIRST_FAILURE = Symbol('first failure of the user');

/** What failed first explains what fails after it. @param {any} context of a user @param {string} endpoint @param {string} code */
export function noteFailure(context, endpoint, code) {
  context[FIRST_FAILURE] ??= `${code}\t${endpoint}`;
}

/**
 * The counter of how a user's failures began; null where it had none.
 * @param {any} context @param {unknown} error that ended it
 */
export function nameFirstFailure(context, error) {
  const first = context?.[FIRST_FAILURE] ?? (error ? `${nameError(error)}\t` : null);
  return first && `vusers.first_failure.${error ? 'failed' : 'completed'}\t${first}`;
}

/** @param {unknown} body @returns {string} the beginning of it; empty where it is a file, a form with files or no text */
function readText(body) {
  if (typeof body === 'string') return body.slice(0, LOOKED_AT);
  return Buffer.isBuffer(body) && isUtf8(body) ? body.toString('utf8', 0, LOOKED_AT) : '';
}

/** @param {string} text at most 2 KB of it, never half a character */
function cutBody(text) {
  const bytes = Buffer.from(text).subarray(0, MAX_BODY_BYTES);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/**
 * The name of an error, as Artillery counts it: `ECONNREFUSED`, or the message, whose records cut it.
 * @param {any} error
 */
export function nameError(error) {
  return String(error?.code || error?.message || error).slice(0, LOOKED_AT);
}
