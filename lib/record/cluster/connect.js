/** The API of a Kubernetes or OpenShift cluster, with the login of a kubeconfig. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { homedir } from 'node:os';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { parseJson } from '../../files/parse-json.js';
import { plainLine } from '../../files/plain-text.js';
import { awaitResponse, readBeginning } from '../../files/read-body.js';
import { readReason } from '../../files/read-reason.js';
import { createLineSplitter } from '../../files/split-lines.js';
import { inheritEnvironment, pickVariables } from '../../process/bare-environment.js';
import { createExec } from './exec.js';

/** @import { IncomingMessage } from 'node:http' */
/** @import { Config } from '../../config/read-config.js' */
/** @import { Redactor } from '../../files/redaction.js' */
/** @import { Asked } from './permissions.js' */

const TIMEOUT_MS = 10_000;
/** A list of pods has some kilobytes for each. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Of a log: what workers of ours send home has whole seconds of many endpoints in it. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * @typedef {object} Cluster
 * @property {string} context of the kubeconfig
 * @property {string} namespace
 * @property {(asked: Asked, query?: Record<string, string>, signal?: AbortSignal) => Promise<any>} ask
 *   throws KUBE_…
 * @property {(asked: Asked, query: Record<string, string>, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>} follow
 *   lines as they come, until there are no more or the signal comes; throws KUBE_…
 * @property {ReturnType<typeof createExec>} exec programs in its pods
 * @property {(asked: Asked, body: object, query?: Record<string, string>) => Promise<any>} send creates, deletes
 *   or patches; throws KUBE_…
 * @property {() => number} aheadMs of its clock before ours, from Date headers: to a second, and the best of all answers
 */

/**
 * Reads the kubeconfig; nothing is asked yet. The client's library is loaded here, for it is large.
 * @param {Config} config
 * @param {Redactor} redactor learns the secrets of the login
 * @returns {Promise<Cluster>}
 * @throws {LoadflameError} KUBE_CONFIG_UNREADABLE, KUBE_CONTEXT_UNKNOWN
 */
export async function connectCluster(config, redactor) {
  const login = await readLogin(config, redactor);
  const server = login.getCurrentCluster()?.server ?? '';
  const context = login.getCurrentContext();
  const namespace =
    config.get('KUBE_NAMESPACE') ?? login.getContextObject(context)?.namespace ?? 'default';
  // A header has whole seconds, rounded down: the most is nearest to the truth.
  let aheadMs = Number.NEGATIVE_INFINITY;

  /** @param {Error} error */
  const explain = ({ message }) => {
    const reason = redactor.redactText(plainLine(message)).slice(0, 300);
    return new LoadflameError('KUBE_UNREACHABLE', { server, reason });
  };
  const logIn = async () => {
    /** @type {https.RequestOptions} */
    const options = { headers: { accept: 'application/json' } };
    await login.applyToHTTPSOptions(options);
    learnToken(options, redactor);
    return options;
  };

  /** @param {Asked} asked @param {Record<string, string>} query @param {{signal?: AbortSignal, body?: object}} [more] */
  const request = async (asked, query, { signal, body } = {}) => {
    const address = `${server.replace(/\/$/, '')}${pathOf(asked, namespace)}?${new URLSearchParams(query)}`;
    const answer = await logIn()
      .then(options => sendRequest(asked, address, { ...options, signal }, body))
      .catch(error => {
        throw explain(error);
      });
    const dateMs = Date.parse(answer.headers.date ?? '');
    if (dateMs) aheadMs = Math.max(aheadMs, dateMs - Date.now());
    if ([200, 201, 202].includes(answer.statusCode ?? 0)) return answer;
    const said = readReason(await readText(answer).catch(() => '')) ?? '';
    const { statusCode = 0 } = answer;
    throw refuse(statusCode, { asked, namespace, server, context, said, redactor });
  };
  /** @param {Asked} asked @param {Record<string, string>} query @param {AbortSignal} [signal] @param {object} [body] */
  const ask = async (asked, query, signal, body) => {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const both = signal ? AbortSignal.any([limit, signal]) : limit;
    const answer = await request(asked, query, { signal: both, body });
    const text = await readText(answer).catch(error => {
      throw explain(error);
    });
    try {
      return parseJson(text);
    } catch {
      const reason = 'what responds there is no API';
      throw new LoadflameError('KUBE_UNREACHABLE', { server, reason });
    }
  };
  const exec = createExec(login, namespace, (status, asked, words) => {
    const said = redactor.redactText(words);
    if (status === 0) return new LoadflameError('KUBE_UNREACHABLE', { server, reason: said });
    return refuse(status, { asked, namespace, server, context, said, redactor });
  });
  return {
    context,
    namespace,
    exec,
    aheadMs: () => (Number.isFinite(aheadMs) ? aheadMs : 0),
    ask: (asked, query = {}, signal) => ask(asked, query, signal),
    send: (asked, body, query = {}) => ask(asked, query, undefined, body),
    async follow(asked, query, onLine, signal) {
      const answer = await request(asked, query, { signal });
      const lines = createLineSplitter(onLine, LONGEST_LINE);
      try {
        for await (const bytes of answer) lines.add(bytes);
        lines.flush();
      } catch {
        // It broke in the middle of a line, maybe: that one is read when it is asked for again.
      }
    },
  };
}

/** Does the kubeconfig accept any certificate of the API? @param {Config} config @param {Redactor} redactor */
export async function trustsAnyApi(config, redactor) {
  return (await readLogin(config, redactor)).getCurrentCluster()?.skipTLSVerify === true;
}

/** @param {Config} config @param {Redactor} redactor */
async function readLogin(config, redactor) {
  const { KubeConfig } = await import('@kubernetes/client-node').catch(cause => {
    throw new LoadflameError('KUBE_CLIENT_MISSING', {}, { cause });
  });
  const given = config.get('KUBECONFIG') ?? path.join(homedir(), '.kube', 'config');
  // As kubectl has it: a list of files, of which some may be missing.
  const files = given.split(path.delimiter).filter(Boolean);
  const there = files.filter((/** @type {string} */ file) => existsSync(file));
  const login = new KubeConfig();
  for (const [index, file] of (there.length > 0 ? there : files).entries()) {
    const one = index === 0 ? login : new KubeConfig();
    try {
      one.loadFromFile(file);
      if (one !== login) login.mergeConfig(one, true);
    } catch (error) {
      // Where YAML is wrong its parser quotes the lines around, and those may hold a token.
      const { code = 'it is no kubeconfig' } = /** @type {NodeJS.ErrnoException} */ (error);
      throw new LoadflameError('KUBE_CONFIG_UNREADABLE', { file, reason: code });
    }
  }
  for (const { token, password, keyData, authProvider } of login.getUsers()) {
    const more = Object.entries(authProvider?.config ?? {}).map(([name, value]) =>
      /token|secret/.test(name) ? String(value) : '',
    );
    for (const secret of [token, password, keyData, ...more])
      if (secret) redactor.add(secret, { forever: true });
    // The client runs it in a shell with our whole environment; kubectl no longer knows this kind of login.
    delete authProvider?.config?.['cmd-path'];
  }
  login.setCurrentContext(config.get('KUBE_CONTEXT') ?? login.getCurrentContext());
  if (!login.getCurrentCluster()) {
    const named = login.getCurrentContext() ?? 'the current one';
    const names = login.getContexts().map(({ name }) => name);
    const known = names.join(', ') || 'none';
    throw new LoadflameError('KUBE_CONTEXT_UNKNOWN', { context: named, known });
  }
  hideFromLoginProgram(login, config);
  return login;
}

/**
 * The client would pass our whole environment to the login program. It gets only those secrets that KUBE_LOGIN_ENV names.
 * @param {any} login a KubeConfig, which has no way of its own for this
 * @param {Config} config
 */
function hideFromLoginProgram(login, config) {
  /** @type {{name: string, value: string}[]} */
  const given = login.getCurrentUser()?.exec?.env ?? [];
  const { env } = inheritEnvironment({
    ...pickVariables(config.get('KUBE_LOGIN_ENV') ?? []),
    ...Object.fromEntries(given.map(({ name, value }) => [name, value])),
  });
  const start = (/** @type {string} */ program, /** @type {string[]} */ args) =>
    spawn(program, args, { env });
  for (const one of login.authenticators) if (one.execFn) one.execFn = start;
}

/** Of a file that is renewed, or of a program that logs in. @param {https.RequestOptions} options @param {Redactor} redactor */
function learnToken({ headers, auth }, redactor) {
  const { Authorization: given = '' } = /** @type {Record<string, string>} */ (headers ?? {});
  const [, token] = /^\w+ (.+)$/.exec(given) ?? [];
  if (token) redactor.add(token, { forever: true });
  if (auth) redactor.add(auth.slice(auth.indexOf(':') + 1), { forever: true });
}

/** @param {Asked} asked @param {string} namespace @throws {LoadflameError} KUBE_NOT_THERE */
function pathOf({ verb, group, version = 'v1', resource, name, subresource }, namespace) {
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const parts = ['namespaces', namespace, resource, name, subresource];
  // Steps of a path, and no names: all Jobs of a namespace would be meant.
  const step = parts.find(part => part === '.' || part === '..');
  if (step) throw new LoadflameError('KUBE_NOT_THERE', { verb, resource, namespace, name: step });
  const steps = parts.flatMap(part => (part ? [encodeURIComponent(part)] : []));
  return [root, ...steps].join('/');
}

/**
 * @param {Asked} asked @param {string} address @param {https.RequestOptions} options @param {object} [body]
 * @returns {Promise<IncomingMessage>}
 */
function sendRequest({ verb }, address, options, body) {
  const { request } = address.startsWith('http:') ? http : https;
  const method = { get: 'GET', list: 'GET', create: 'POST', delete: 'DELETE', patch: 'PATCH' }[
    verb
  ];
  const text = body === undefined ? '' : JSON.stringify(body);
  // Node gives the body of a DELETE no length by itself, and then nobody reads it.
  const length = {
    'content-type': `application/${verb === 'patch' ? 'strategic-merge-patch+' : ''}json`,
    'content-length': Buffer.byteLength(text),
  };
  const headers = { ...options.headers, ...(text && length) };
  const sent = request(address, { ...options, method, headers });
  sent.end(text);
  return awaitResponse(sent);
}

/** @param {IncomingMessage} answer */
async function readText(answer) {
  const { text, isWhole } = await readBeginning(answer, MOST_BYTES);
  if (!isWhole) throw new Error(`a response of more than ${MOST_BYTES / 2 ** 20} MB`);
  return text;
}

/**
 * @param {number} status
 * @param {{asked: Asked, namespace: string, server: string, context: string, said: string, redactor: Redactor}} context
 */
function refuse(status, { asked, namespace, server, context, said, redactor }) {
  const { name, verb } = asked;
  const resource = nameResource(asked);
  const where = { verb, resource, namespace };
  if (status === 401) return new LoadflameError('KUBE_LOGIN_REFUSED', { server, context });
  if (status === 403 && /exceeded quota/.test(said))
    return new LoadflameError('KUBE_PODS_REFUSED', { reason: redactor.redactText(said) });
  // What the login may, but the rules of the namespace do not let through.
  if (asked.verb === 'patch' && (status === 422 || (status === 403 && !/cannot patch /.test(said))))
    return new LoadflameError('POD_CONTAINER_REFUSED', { reason: redactor.redactText(said) });
  if (status === 403) return new LoadflameError('KUBE_FORBIDDEN', where);
  // So an API server responds to what is of no group that it knows; else it says what is not there.
  const isUnknown = said === '404 page not found';
  if (status === 404)
    return (name && !isUnknown) || !resource
      ? new LoadflameError('KUBE_NOT_THERE', { ...where, name })
      : new LoadflameError('KUBE_API_MISSING', where);
  const reason = redactor.redactText(said);
  return new LoadflameError('KUBE_REQUEST_FAILED', { ...where, status, reason });
}

/** As a Role has it: `deployments.apps`, `pods/log`. @param {Asked} asked */
export function nameResource({ resource, group, subresource }) {
  return `${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
}
