/** The plugin's additions to an Artillery script: tokens, and steps that learn secrets. */
import { secretsOfCookies, secretsOfValue } from '../../base/files/redaction.js';
import { isSecretField } from '../../base/files/secret-fields.js';
import { readPath } from '../engine/flow/paths.js';
import { listCaptures, nameCapture } from '../engine/http/captures.js';
import { refuse } from '../engine/http/connection/failures.js';
import { KEY_HEADER } from '../engine/http/headers.js';
import { revealsCredentials, staysAtHost } from '../engine/http/redirects.js';

/** @import { ScenarioSpec, Script, Variables } from '../script.d.ts' */
/** @import { ArtilleryJob } from '../messages.js' */
/** @import { TokenPlaces } from '../engine/engine.d.ts' */

// -- Passes tokens to the requests of Artillery's engines, with the means of a script: a variable of the user, a hook
//    before each request, options of socket.io's client.

const VARIABLE = 'loadflameToken';
const HOOK = '$loadflame.beforeRequest';

/** @typedef {ReturnType<typeof createTokenList>} TokenList */

/** @param {readonly string[]} initial one per configured user */
export function createTokenList(initial) {
  let current = initial;
  return {
    /** @param {readonly string[]} newest in the same order as before */
    replace(newest) {
      current = newest;
    },
    /**
     * One function per configured user, which returns the newest token: `String.replace` (which fills Artillery's
     * templates) calls it, and so does JSON. Artillery copies the variables of a script before the load begins, except
     * for functions.
     */
    users: initial.map((_, index) => {
      const newest = () => current[index] ?? '';
      return Object.assign(newest, { toJSON: newest });
    }),
  };
}

/**
 * @param {Script} script with its processor loaded; is modified
 * @param {TokenList} tokens
 * @param {TokenPlaces} places
 * @param {(request: any, events: any) => void} onRequest called before a request is sent
 */
export function addTokens(script, tokens, places, onRequest) {
  const { config } = script;
  const wantsTokens = (/** @type {ScenarioSpec} */ scenario) =>
    tokens.users.length > 0 && (scenario.loadflame ?? config.loadflame)?.auth !== false;
  // From a list, Artillery picks one for each virtual user.
  config.variables = { ...config.variables, [VARIABLE]: tokens.users };
  config.processor ??= {};
  /**
   * @param {any} request
   * @param {any} context
   * @param {any} events
   * @param {() => void} next
   */
  config.processor[HOOK] = (request, context, events, next) => {
    const wantsToken = wantsTokens(context.scenario ?? {});
    const key = places.companionKey;
    if ((wantsToken || key) && isForTarget(request, context, config)) {
      if (wantsToken) addToken(request, context, config);
      if (key) request.headers = { ...request.headers, [KEY_HEADER]: key };
    }
    onRequest(request, events);
    // Artillery follows every redirect. The load must stay at its target, unless the request itself has
    // `followRedirect: true`.
    const asked = request.followRedirect;
    if (asked !== false) request.followRedirect = followSafely(asked);
    next();
  };
  for (const scenario of script.scenarios) {
    addHook(scenario.flow);
    if ((scenario.engine ?? config.engine) === 'socketio' && wantsTokens(scenario)) {
      scenario.socketio = addToHandshake({ ...config.socketio, ...scenario.socketio }, places);
    }
  }
}

/** Adds our hook as the last: hooks of the script may set the address or a header. @param {unknown} steps */
function addHook(steps) {
  for (const step of Array.isArray(steps) ? steps : []) {
    for (const value of Object.values(step ?? {})) {
      if (Array.isArray(value)) addHook(value);
      else if (value?.url || value?.uri) {
        value.beforeRequest = [value.beforeRequest ?? [], HOOK].flat();
      }
    }
  }
}

/**
 * @param {any} request
 * @param {any} context
 * @param {any} config
 */
function isForTarget(request, context, { target }) {
  const { template } = /** @type {any} */ (globalThis).artillery.util;
  const url = String(template(String(request.uri ?? request.url), context));
  const { origin } = new URL(target);
  return URL.canParse(url, origin) && new URL(url, origin).origin === origin;
}

/**
 * Adds `Authorization` unless the request or the defaults have their own.
 * @param {any} request @param {any} context @param {any} config
 */
function addToken(request, context, config) {
  const defaults = config.http?.defaults?.headers ?? config.defaults?.headers;
  const named = [defaults, request.headers].flatMap(headers => Object.keys(headers ?? {}));
  if (request.auth || named.some(name => name.toLowerCase() === 'authorization')) return;
  request.headers = { ...request.headers, authorization: `Bearer ${context.vars[VARIABLE]()}` };
}

/**
 * A function for got's `followRedirect`. If it returns false, Artillery waits for the next hop forever (2.0.34). So it
 * throws, which ends the user with a counted error.
 * @param {unknown} asked the request's own `followRedirect`
 */
function followSafely(asked) {
  return (/** @type {any} */ response) => {
    const { url: from, statusCode, headers } = response;
    if (headers.location && URL.canParse(headers.location, from)) {
      const [here, there] = [new URL(from), new URL(headers.location, from)];
      if (!asked && !staysAtHost(here, there))
        throw refuse(`redirect to another host: ${there.host}`, 'ERR_REDIRECT_TO_ANOTHER_HOST');
      const { headers: sent, body, json, form } = response.request.options;
      if (here.origin !== there.origin) delete sent[KEY_HEADER];
      const hasBody = statusCode !== 303 && Boolean(body ?? json ?? form);
      if (revealsCredentials(here, there, Object.keys(sent), hasBody))
        throw refuse('redirect to http with credentials', 'ERR_REDIRECT_WITHOUT_TLS');
    }
    return typeof asked === 'function' ? asked(response) : true;
  };
}

/**
 * @param {Record<string, any>} options of socket.io's client: Artillery fills in templates per user
 * @param {TokenPlaces} places
 */
function addToHandshake(options, { cookie, authField }) {
  const added = { ...options };
  const token = `{{ ${VARIABLE} }}`;
  if (cookie) {
    const { cookie: own, Cookie, ...headers } = options.extraHeaders ?? {};
    const others = String(own ?? Cookie ?? '')
      .split(/;\s*/)
      .filter(item => item !== '' && !item.startsWith(`${cookie}=`));
    added.extraHeaders = { ...headers, cookie: [...others, `${cookie}=${token}`].join('; ') };
  }
  if (authField) added.auth = { ...options.auth, [authField]: token };
  return added;
}

// -- Secrets that appear during a run of Artillery, the same as our own engine learns: variables of users, captured
//    values, session cookies and headers that hooks add. Our own steps read them: Artillery reports only captures of
//    HTTP.

const STEP = '$loadflame.learn';
/** Other engines may have no steps that call a function. */
const ENGINES = ['http', 'socketio', 'ws'];

/**
 * @param {Script} script with its processor loaded; is modified
 * @param {Pick<ArtilleryJob, 'early' | 'named'>} job
 * @param {(secret: string) => void} learn
 * @returns {(request: any, events: any) => void} call it before a request is sent
 */
export function addLearning({ config, scenarios }, { early, named }, learn) {
  config.processor ??= {};
  const environment = showVariables(named);
  const names = new Map(early.map(spec => [spec.as, nameCapture(spec)]));
  let steps = 0;
  /** @param {(vars: Variables) => void} look */
  const makeStep = look => {
    const name = `${STEP} ${steps++}`;
    /**
     * @param {any} context
     * @param {any} _events
     * @param {() => void} done
     */
    config.processor[name] = ({ vars }, _events, done) => {
      look(vars);
      done();
    };
    return { function: name };
  };
  /** @param {string[]} names @param {unknown} value */
  const learnValue = (names, value) => secretsOfValue(names, value).forEach(learn);
  const first = makeStep(vars => {
    Object.assign(vars, { $env: environment, $processEnvironment: environment });
    for (const [name, value] of Object.entries(vars))
      if (!name.startsWith('$')) learnValue(names.get(name) ?? [name], value);
  });

  /** @param {any[]} flow @returns {any[]} */
  const addSteps = flow =>
    flow.flatMap(step => {
      if (Array.isArray(step?.loop)) return [{ ...step, loop: addSteps(step.loop) }];
      const captures = listCaptures(step);
      if (captures.length === 0) return [step];
      const look = makeStep(vars => {
        for (const spec of captures) learnValue(nameCapture(spec), readPath(vars, spec.as ?? ''));
      });
      return [step, look];
    });
  for (const scenario of scenarios) {
    if (ENGINES.includes(scenario.engine ?? config.engine ?? 'http'))
      scenario.flow = [first, ...addSteps(scenario.flow)];
  }

  /** Emitters that have our listener for responses. */
  const listening = new WeakSet();
  return (request, events) => {
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (isSecretField(name, value)) learnValue([name], value);
    if (listening.has(events)) return;
    listening.add(events);
    events.on('trace:http:response', (/** @type {any} */ { headers }) =>
      (headers['set-cookie'] ?? []).flatMap(secretsOfCookies).forEach(learn),
    );
  };
}

/**
 * The environment for users: Artillery reads filled values as templates again, and they may come from the target.
 * @param {string[]} names
 */
function showVariables(names) {
  const show = (/** @type {string} */ name) => ({
    get: () => process.env[name],
    set: (/** @type {string} */ value) => Object.assign(process.env, { [name]: value }),
  });
  return Object.defineProperties({}, Object.fromEntries(names.map(name => [name, show(name)])));
}
