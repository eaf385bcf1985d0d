/** Bodies as got makes them. */
import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { refuse } from './connection/failures.js';

const require = createRequire(import.meta.url);

/** Loaded with the first form: it brings 60 modules. @returns {typeof import('form-data')} */
const loadFormData = () => require('form-data');

const WITHOUT_BODY = new Set(['GET', 'HEAD']);

/**
 * @typedef {object} Body
 * @property {string | Buffer | null} bytes
 * @property {(() => import('form-data')) | null} form made anew for each time that it is sent
 * @property {string | null} contentType
 */

/**
 * @param {Record<string, any>} request `json`, `body`, `form` are filled in
 * @returns {Body | null}
 * @throws what got throws for options that don't fit together
 */
export function buildBody(request) {
  const { json, body, form, method } = request;
  const given = [json, body, form].filter(value => value !== undefined);
  if (given.length === 0) return null;
  if (given.length > 1) throw refuse('only one of `json`, `body` and `form` can be sent');
  if (WITHOUT_BODY.has(method) && !(method === 'GET' && request.allowGetBody)) {
    throw refuse(`The \`${method}\` method cannot be used with a body`);
  }
  if (json !== undefined) {
    return { bytes: JSON.stringify(json), form: null, contentType: 'application/json' };
  }
  if (form !== undefined) {
    return {
      bytes: new URLSearchParams(form).toString(),
      form: null,
      contentType: 'application/x-www-form-urlencoded',
    };
  }
  if (typeof body === 'function') return { bytes: null, form: body, contentType: null };
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    if (body instanceof loadFormData()) return { bytes: null, form: () => body, contentType: null };
    throw refuse('Expected value which is `string` or `buffer`');
  }
  return { bytes: /** @type {any} */ (body), form: null, contentType: null };
}

/**
 * `formData`: fields, and files by `fromFile`, which is relative to the script.
 * @param {Record<string, any>} fields filled in
 * @param {any} context
 * @returns {() => import('form-data')}
 */
export function buildFormData(fields, context) {
  return () => {
    const form = new (loadFormData())();
    for (const [name, field] of Object.entries(fields)) {
      const isObject = Object.prototype.toString.call(field) === '[object Object]';
      const options =
        isObject && field.contentType ? { contentType: field.contentType } : undefined;
      form.append(name, isObject ? readField(field, context) : field, options);
    }
    return form;
  };
}

/** @param {Record<string, any>} field @param {any} context */
function readField(field, context) {
  if (!field.fromFile) return field.value || field;
  const file = path.resolve(path.dirname(context.vars.$scenarioFile), field.fromFile);
  // form-data asks for the length later; a missing file should be an error of this request.
  statSync(file);
  return createReadStream(file);
}
