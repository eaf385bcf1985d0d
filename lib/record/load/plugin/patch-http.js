/**
 * Artillery's HTTP engine, with what it lacks: hooks of any shape, a token for every request,
 * redirects that stay at the target, and a record of every answer. Its public hooks don't reach
 * requests inside socket.io scenarios, and none sees the body of an answer that is not an error of
 * the script; so its methods are wrapped.
 */

import { nameEndpoint } from '../metrics/endpoint-name.js';
import { nameError } from '../metrics/error-samples.js';
import { wrapHooks } from '../script/wrap-hooks.js';
import { fillTemplate, HttpEngine } from './artillery-internals.js';

const HOOK = '$loadflame.beforeRequest';
/** Goes with a request through the engine, so that its parts can be brought together. */
const CALL = Symbol('one run of a step');
const NO_REQUEST = ['think', 'log', 'loop', 'parallel', 'function'];

/** @typedef {{request: any, answered: boolean}} Call `request` is null until it is sent */

/**
 * @typedef {object} HttpRecorder null in the main thread, where `before` and `after` flows run
 * @property {import('../metrics/second-recorder.js').SecondRecorder} seconds
 * @property {import('../metrics/error-samples.js').ErrorSamples} samples
 */

/**
 * @param {import('../token-holder.js').TokenHolder} tokens
 * @param {HttpRecorder | null} recorder
 */
export function patchHttpEngine(tokens, recorder) {
  const { step, _handleResponse } = HttpEngine.prototype;
  const listening = new WeakSet();

  /** @this {any} @param {any} spec @param {any} ee @param {any} opts */
  HttpEngine.prototype.step = function patchedStep(spec, ee, opts) {
    prepareProcessor(this.config, tokens);
    if (recorder && typeof ee.on === 'function' && !listening.has(ee)) {
      listening.add(ee);
      recordRequests(ee, this.config, recorder);
    }
    const method = findMethod(spec);
    if (!method) return step.call(this, spec, ee, opts);
    return (/** @type {any} */ context, /** @type {any} */ callback) => {
      /** @type {Call} */
      const call = { request: null, answered: false };
      const own = addHook(spec, method, call);
      step.call(
        this,
        own,
        ee,
        opts,
      )(context, (/** @type {any} */ error, /** @type {any} */ rest) => {
        if (recorder) recordFailure(call, error, this.config, recorder);
        callback(error, rest);
      });
    };
  };

  /**
   * @this {any} @param {any} request @param {any} response @param {any} ee @param {any} context
   * @param {any} process @param {any} callback
   */
  HttpEngine.prototype._handleResponse = function patchedHandleResponse(
    request,
    response,
    ee,
    context,
    process,
    callback,
  ) {
    if (isRedirect(response) && !willFollow(request, response)) request.followRedirect = false;
    const processed = recorder
      ? recordAnswer(request, response, process, this.config, recorder)
      : process;
    return _handleResponse.call(this, request, response, ee, context, processed, callback);
  };
}

/** @param {any} config @param {import('../token-holder.js').TokenHolder} tokens */
function prepareProcessor(config, tokens) {
  config.processor = wrapHooks(config.processor);
  config.processor[HOOK] ??= function beforeRequest(
    /** @type {any} */ request,
    /** @type {any} */ context,
    /** @type {any} */ _ee,
    /** @type {any} */ next,
  ) {
    addToken(request, context, config, tokens);
    // Artillery follows every redirect; load stays with the host that it was meant for, unless the
    // scenario says `followRedirect: true` itself.
    if (request.followRedirect === undefined) {
      request.followRedirect = (/** @type {any} */ response) => staysAtHost(response);
    }
    next();
  };
}

/**
 * `Authorization`, for the target only, unless the request or the defaults bring their own.
 * @param {any} request @param {any} context @param {any} config
 * @param {import('../token-holder.js').TokenHolder} tokens
 */
function addToken(request, context, config, tokens) {
  const defaults = config.http?.defaults?.headers ?? config.defaults?.headers;
  const named = [defaults, request.headers].flatMap(headers => Object.keys(headers ?? {}));
  if (request.auth || named.some(name => name.toLowerCase() === 'authorization')) return;
  const url = String(fillTemplate(String(request.uri ?? request.url), context));
  const absolute = url.startsWith('/') ? config.target + url : url;
  if (!URL.canParse(absolute) || new URL(absolute).origin !== new URL(config.target).origin) return;
  const token = tokens.pick(context, config);
  if (token) request.headers = { ...request.headers, authorization: `Bearer ${token}` };
}

/** The method of a request; undefined for other steps. @param {any} spec */
function findMethod(spec) {
  const method = Object.keys(spec)[0];
  if (!method || NO_REQUEST.some(key => spec[key] !== undefined)) return undefined;
  return spec[method] !== null && typeof spec[method] === 'object' ? method : undefined;
}

/**
 * Ours runs last: hooks of the script may set the address or a header.
 * @param {any} spec @param {string} method @param {Call} call
 */
function addHook(spec, method, call) {
  const params = spec[method];
  const beforeRequest = [params.beforeRequest ?? [], HOOK].flat();
  return { ...spec, [method]: { ...params, beforeRequest, [CALL]: call } };
}

/**
 * Each hop of a redirect is a request.
 * @param {any} ee @param {any} config @param {HttpRecorder} recorder
 */
function recordRequests(ee, config, { seconds }) {
  ee.on('trace:http:request', (/** @type {any} */ request) => {
    seconds.countRequest(seconds.endpoint(nameEndpoint(request, config.target)));
    if (request[CALL]) Object.assign(request[CALL], { request, answered: false });
  });
}

/**
 * The end of a step tells of requests without an answer: Artillery's `trace:http:error` does not
 * (2.0.34: the error of a promise is not an event).
 * @param {Call} call @param {any} error @param {any} config @param {HttpRecorder} recorder
 */
function recordFailure(call, error, config, { seconds, samples }) {
  const { request, answered } = call;
  if (!error || !request || answered) return;
  const endpoint = nameEndpoint(request, config.target);
  seconds.countNoAnswer(seconds.endpoint(endpoint));
  samples.add({
    endpoint,
    code: nameError(error),
    url: request.url,
    body: String(error?.message ?? ''),
    traceparent: request.headers?.traceparent,
  });
}

/**
 * @param {any} request @param {any} response
 * @param {((last: boolean, response: any, body: string, done: any) => void) | null} process
 * @param {any} config @param {HttpRecorder} recorder
 * @returns {typeof process}
 */
function recordAnswer(request, response, process, config, { seconds, samples }) {
  const endpoint = nameEndpoint(request, config.target);
  const { statusCode: status, headers } = response;
  const setCookies = headers['set-cookie'] ?? null;
  const timing = headers['server-timing'] ?? null;
  if (request[CALL]) request[CALL].answered = true;
  seconds.countAnswer(seconds.endpoint(endpoint), status, response.timings?.phases?.firstByte);
  if ((timing || setCookies || seconds.knowsBackends()) && isOfTarget(request, config)) {
    const { method, url, name, cookieJar } = request;
    seconds.noteServer(seconds.endpoint(endpoint), {
      timing,
      setCookies,
      readCookie: () => cookieJar?.getCookieStringSync?.(url) ?? '',
      readRoute: name ? () => nameEndpoint({ method, url }, config.target) : null,
    });
  }
  const sample = (/** @type {string} */ code, /** @type {string} */ body) =>
    samples.add({
      endpoint,
      code,
      url: request.url,
      status,
      headers,
      body,
      traceparent: request.headers?.traceparent,
    });
  const wanted = status >= 400 && samples.wants(endpoint, String(status));
  if (!process && !wanted) return null;
  return (last, decoded, body, done) => {
    if (status >= 400) sample(String(status), body);
    if (!process) return done(null);
    return process(last, decoded, body, (/** @type {any} */ error, /** @type {any} */ context) => {
      if (error) sample(nameError(error), body);
      done(error, context);
    });
  };
}

/** @param {any} request @param {any} config */
function isOfTarget({ url }, { target }) {
  return (
    URL.canParse(url) && URL.canParse(target) && new URL(url).origin === new URL(target).origin
  );
}

/** @param {any} response */
function isRedirect({ statusCode }) {
  return statusCode >= 300 && statusCode < 400;
}

/**
 * Will the next hop be asked for? Artillery waits for it for ever if not (a 304, or no Location).
 * @param {any} request @param {any} response
 */
function willFollow({ followRedirect }, response) {
  const { statusCode, headers } = response;
  if (!headers.location || ![300, 301, 302, 303, 304, 307, 308].includes(statusCode)) return false;
  return typeof followRedirect === 'function' ? followRedirect(response) : followRedirect === true;
}

/** @param {any} response of Node or of got @returns {boolean} */
function staysAtHost(response) {
  const from = response.url || urlOf(response.req);
  const { location } = response.headers;
  if (!location || !URL.canParse(location, from)) return false;
  const [here, there] = [new URL(from), new URL(location, from)];
  const upgrade = here.port === '' && there.port === '' && there.protocol === 'https:';
  return here.origin === there.origin || (upgrade && here.hostname === there.hostname);
}

/** @param {any} request Node's */
function urlOf(request) {
  return `${request.protocol}//${request.getHeader('host')}${request.path}`;
}
