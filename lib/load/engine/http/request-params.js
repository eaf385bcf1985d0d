/**
 * `requestParams` as Artillery passes them to hooks: as written in the script, and after the hooks with all templates
 * filled in.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import querystring from 'node:querystring';
import { mapValues } from '../../../base/files/maps.js';
import { compileTemplate, fillTemplate, fillWritten } from '../flow/template.js';
import { refuse } from './connection/failures.js';
import { lowerCaseNames, readDefaultHeaders } from './headers.js';

/** @import { FilledRequest, HeaderFields, RequestParams } from '../../script.d.ts' */
/** @import { HttpScope } from './connection/connections.js' */

/**
 * @param {RequestParams} params of the request, as written
 * @param {string} method
 * @param {HttpScope} scope
 */
export function compileRequestParams(params, method, { config, transport, services }) {
  const prependTarget = (/** @type {any} */ address) =>
    typeof address === 'string' && address.startsWith('/') ? config.target + address : address;
  const { uri, json, body, name: ownName } = params;
  const written = { url: params.url || uri, uri, json, body, name: ownName };
  const templates = mapValues(written, compileTemplate);
  const address = prependTarget(written.url);
  const writtenHeaders = { ...readDefaultHeaders(config), ...lowerCaseNames(params.headers) };
  const headerTemplates = Object.entries(writtenHeaders).map(([name, value]) => ({
    name,
    ...compileTemplate(value),
  }));
  const qs = compileTemplate(params.qs);

  /** @param {any} own @param {any} current @param {any} context */
  const refill = (own, current, context) => fillWritten(own, current, context, services.warn);

  /** @param {FilledRequest} request @param {keyof typeof written} key @param {any} context */
  const fill = (request, key, context) =>
    request[key] === written[key]
      ? templates[key]?.fill(context)
      : refill(written[key], request[key], context);

  /** @param {any} headers @param {any} context */
  const fillHeaders = (headers, context) => {
    /** @type {HeaderFields} */
    const filled = {};
    for (const { name, fill: fillHeader } of headerTemplates) filled[name] = fillHeader(context);
    if (headers === params.headers) return filled;
    for (const [name, value] of Object.entries(lowerCaseNames(headers))) {
      filled[name] = refill(writtenHeaders[name], value, context);
    }
    return filled;
  };

  return {
    /** Whether nothing in it depends on the user. */
    isStatic:
      [...Object.values(templates), ...headerTemplates, qs].every(({ isStatic }) => isStatic) &&
      ['form', 'formData', 'cookie', 'auth'].every(key => params[key] === undefined),
    /**
     * Creates the request before hooks.
     * @param {any} context @param {boolean} forHooks hooks may modify the result
     * @returns {FilledRequest}
     */
    create(context, forHooks) {
      const request = /** @type {FilledRequest} */ ({ ...params, method });
      request.url = address;
      request.timeout = transport.timeoutSec;
      if (!forHooks) return request;
      request.uuid = randomUUID();
      request.https = { ...params.https, ...config.tls };
      if (context._enableCookieJar) request.cookieJar = context._jar;
      if (params.headers) request.headers = { ...params.headers };
      for (const key of ['json', 'form', 'formData', 'cookie', 'auth'])
        if (params[key] && typeof params[key] === 'object')
          request[key] = structuredClone(params[key]);
      return request;
    },
    /**
     * Fills in templates after hooks, in Artillery's order.
     * @param {FilledRequest} request modified in place
     * @param {any} context
     */
    fillIn(request, context) {
      if (request.json) {
        request.json = fill(request, 'json', context);
        delete request.body;
      } else if (request.body) request.body = fill(request, 'body', context);
      if (request.name) request.name = fill(request, 'name', context);
      if (request.url === address) request.url = written.url;
      request.url = prependTarget(fill(request, request.uri ? 'uri' : 'url', context));
      delete request.uri;
      if (params.qs) request.searchParams = querystring.stringify(qs.fill(context));
      request.decompress = typeof params.gzip === 'boolean' ? params.gzip : true;
      if (params.form) request.form = refill(params.form, request.form ?? {}, context);
      if (params.formData) {
        const fill = (/** @type {any} */ own, /** @type {any} */ current) =>
          refill(own, current, context);
        const fields = fillFields(params.formData, request.formData ?? {}, fill);
        request.body = buildFormData(fields, context);
      }
      request.headers = fillHeaders(request.headers, context);
      if (request.cookie) request.cookie = refill(params.cookie, request.cookie, context);
      if (typeof request.auth === 'object' && request.auth !== null) {
        const { user, pass } = refill(params.auth, request.auth, context);
        request.username = user;
        request.password = pass;
        delete request.auth;
      }
    },
  };
}

// -- Builds bodies like got.

const require = createRequire(import.meta.url);

/** Loaded with the first form: it has 60 modules. @returns {typeof import('form-data')} */
const loadFormData = () => require('form-data');

const WITHOUT_BODY = new Set(['GET', 'HEAD']);

/**
 * @typedef {object} Body
 * @property {string | Buffer | null} bytes
 * @property {(() => import('form-data')) | null} form creates it, each time that it is sent
 * @property {string | null} contentType
 */

/**
 * @param {FilledRequest} request with `json`, `body`, `form` filled in
 * @returns {Body | null}
 * @throws what got throws for conflicting options
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
    const contentType = 'application/x-www-form-urlencoded';
    return { bytes: new URLSearchParams(form).toString(), form: null, contentType };
  }
  if (typeof body === 'function') return { bytes: null, form: body, contentType: null };
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) {
    if (body instanceof loadFormData()) return { bytes: null, form: () => body, contentType: null };
    throw refuse('Expected value which is `string` or `buffer`');
  }
  return { bytes: /** @type {any} */ (body), form: null, contentType: null };
}

/** `file`: as written; null for a value. @typedef {{name: string, field: any, file: string | null}} FormField */

/**
 * A field is a file only where the script or a hook says so: the target could send `{"fromFile": …}` as a value.
 * @param {any} written @param {any} current after the hooks @param {(own: any, current: any) => any} fill
 * @returns {FormField[]}
 */
function fillFields(written, current, fill) {
  const toFields = (/** @type {any} */ filled, /** @type {string | null} */ file) =>
    Object.entries(filled).map(([name, field]) => ({ name, field, file }));
  if (typeof current === 'string') return toFields(fill(written, current), null);
  return Object.entries(current).flatMap(([key, field]) => {
    const file = field?.fromFile ? String(written[key]?.fromFile) : null;
    return toFields(fill({ [key]: written[key] }, { [key]: field }), file);
  });
}

/**
 * Builds `formData`: fields, and files by `fromFile`, which is relative to the script.
 * @param {FormField[]} fields
 * @param {any} context
 * @returns {() => import('form-data')}
 */
function buildFormData(fields, context) {
  return () => {
    const form = new (loadFormData())();
    for (const { name, field, file } of fields) {
      const isObject = Object.prototype.toString.call(field) === '[object Object]';
      const contentType = isObject ? field.contentType : undefined;
      if (/[\r\n]/.test(contentType)) throw refuse('a line break in the contentType of a field');
      const value = isObject ? field.value || field : field;
      form.append(
        name,
        file === null ? value : readFile(field.fromFile, file, context),
        contentType ? { contentType } : undefined,
      );
    }
    return form;
  };
}

/** A template that may hold what the target sent. */
const FOREIGN = /\{\{(?!\{?\s*\$(?:env|processEnvironment|dirname)\b)/;

/** @param {string} name @param {string} written @param {any} context */
function readFile(name, written, context) {
  const scriptFolder = path.dirname(context.vars.$scenarioFile);
  const file = path.resolve(scriptFolder, name);
  const ownPart = written.split(FOREIGN);
  // A value chooses a file, but only below the folder that the script names.
  const folder = path.dirname(path.resolve(scriptFolder, `${fillTemplate(ownPart[0], context)}x`));
  if (ownPart.length > 1 && !file.startsWith(path.join(folder, path.sep)))
    throw refuse('an upload from outside of the folder that the script names');
  // form-data reads the length later; a missing file should be an error of this request.
  statSync(file);
  return createReadStream(file);
}
