/** A client for the API of a Kubernetes or OpenShift cluster, with the login of a kubeconfig. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { parseJson } from '../files/parse-json.js';
import { plainLine } from '../files/plain-text.js';
import { awaitResponse, readBeginning } from '../files/read-body.js';
import { readReason } from '../files/read-reason.js';
import { nameKind } from '../files/secret-names.js';
import { createLineSplitter } from '../files/split-lines.js';
import { inheritEnvironment, pickVariables } from '../process/bare-environment.js';
import { createExec } from './exec.js';

/** @import { IncomingMessage } from 'node:http' */
/** @import { RequestOptions } from 'node:https' */
/** @import { Config } from '../config/read-config.js' */
/** @import { Redactor } from '../files/redaction.js' */
/** @import { ApiObject } from './api-object.d.ts' */
/** @import { Asked } from './permissions.js' */

const TIMEOUT_MS = 10_000;
/** A list of pods has several kilobytes per pod. */
const MOST_BYTES = 64 * 1024 * 1024;
/** In a log: one line of our own workers contains whole seconds of many endpoints. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * @typedef {object} Cluster
 * @property {string} namespace
 * @property {(asked: Asked, query?: Record<string, string>) => Promise<ApiObject>} ask
 *   throws KUBE_…
 * @property {(asked: Asked, query: Record<string, string>, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>} follow
 *   passes on lines as they arrive, until the log ends or the signal aborts; throws KUBE_…
 * @property {ReturnType<typeof createExec>} exec runs programs in its pods
 * @property {(asked: Asked, body: object, query?: Record<string, string>) => Promise<any>} send creates, deletes
 *   or patches; throws KUBE_…
 * @property {() => number} aheadMs how far its clock is ahead of ours, from Date headers: accurate to a second,
 *   the best of all responses
 */

/**
 * Reads the kubeconfig; sends no request yet. Imports the client library here because it is large.
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
  // The header has whole seconds, rounded down, so the maximum is the most accurate.
  let aheadMs = Number.NEGATIVE_INFINITY;

  /** @param {Error} error */
  const explain = ({ message }) => {
    const reason = redactor.redactText(plainLine(message)).slice(0, 300);
    return new LoadflameError('KUBE_UNREACHABLE', { server, reason });
  };
  const logIn = async () => {
    /** @type {RequestOptions} */
    const options = { headers: { accept: 'application/json' } };
    await login.applyToHTTPSOptions(options);
    learnToken(options, redactor);
    return options;
  };

  /**
   * @param {Asked} asked
   * @param {Record<string, string>} query
   * @param {{signal?: AbortSignal, body?: object}} [more]
   */
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
    const said = redactor.redactText(readReason(await readText(answer).catch(() => '')) ?? '');
    throw refuse(answer.statusCode ?? 0, { asked, namespace, server, context, said });
  };
  /**
   * @param {Asked} asked
   * @param {Record<string, string>} [query]
   * @param {object} [body]
   */
  const ask = async (asked, query = {}, body) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await request(asked, query, { signal, body });
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
    return refuse(status, { asked, namespace, server, context, said });
  });
  return {
    namespace,
    exec,
    aheadMs: () => (Number.isFinite(aheadMs) ? aheadMs : 0),
    ask,
    send: (asked, body, query) => ask(asked, query, body),
    async follow(asked, query, onLine, signal) {
      await readLines(await request(asked, query, { signal }), onLine);
    },
  };
}

/** @param {IncomingMessage} answer @param {(line: string) => void} onLine */
async function readLines(answer, onLine) {
  const lines = createLineSplitter(onLine, LONGEST_LINE);
  try {
    for await (const bytes of answer) lines.add(bytes);
    lines.flush();
  } catch {
    // The connection may break in the middle of a line: the next request returns that line again.
  }
}

/** Whether the kubeconfig accepts any certificate from the API. @param {Config} config @param {Redactor} redactor */
export async function trustsAnyApi(config, redactor) {
  return (await readLogin(config, redactor)).getCurrentCluster()?.skipTLSVerify === true;
}

/** @param {Config} config @param {Redactor} redactor */
async function readLogin(config, redactor) {
  const { KubeConfig } = await import('@kubernetes/client-node').catch(cause => {
    throw new LoadflameError('KUBE_CLIENT_MISSING', {}, { cause });
  });
  const given = config.get('KUBECONFIG') ?? path.join(homedir(), '.kube', 'config');
  // A list of files, as for kubectl; missing ones are skipped.
  const files = given.split(path.delimiter).filter(Boolean);
  const there = files.filter((/** @type {string} */ file) => existsSync(file));
  const login = new KubeConfig();
  for (const [index, file] of (there.length > 0 ? there : files).entries()) {
    const one = index === 0 ? login : new KubeConfig();
    try {
      one.loadFromFile(file);
      if (one !== login) login.mergeConfig(one, true);
    } catch (error) {
      // The YAML parser quotes the lines around a mistake, and those may contain a token.
      const { code = 'it is no kubeconfig' } = /** @type {NodeJS.ErrnoException} */ (error);
      throw new LoadflameError('KUBE_CONFIG_UNREADABLE', { file, reason: code });
    }
  }
  for (const { token, password, keyData, authProvider } of login.getUsers()) {
    const more = Object.entries(authProvider?.config ?? {}).map(([name, value]) =>
      nameKind(name) === 'secret' ? String(value) : '',
    );
    for (const secret of [token, password, keyData, ...more])
      if (secret) redactor.add(secret, { forever: true });
    // The client runs it in a shell with our whole environment; kubectl no longer supports this kind of login.
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
 * The client would pass our whole environment to the login program. This limits it to the secrets in KUBE_LOGIN_ENV.
 * @param {any} login a KubeConfig, which has no option for this
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

/** Redacts a renewed token. @param {RequestOptions} options @param {Redactor} redactor */
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
  // As a path segment these would change the address: `..` for a Job's name means all Jobs of the namespace.
  const step = parts.find(part => part === '.' || part === '..');
  if (step) throw new LoadflameError('KUBE_NOT_THERE', { verb, resource, namespace, name: step });
  const steps = parts.flatMap(part => (part ? [encodeURIComponent(part)] : []));
  return [root, ...steps].join('/');
}

/** By verb. @type {Record<string, string>} */
const METHODS = { get: 'GET', list: 'GET', create: 'POST', delete: 'DELETE', patch: 'PATCH' };

/**
 * @param {Asked} asked @param {string} address @param {RequestOptions} options @param {object} [body]
 * @returns {Promise<IncomingMessage>}
 */
function sendRequest({ verb }, address, options, body) {
  const { request } = process.getBuiltinModule(address.startsWith('http:') ? 'http' : 'https');
  const method = METHODS[verb];
  const text = body === undefined ? '' : JSON.stringify(body);
  // Node adds no content-length to a DELETE, and the API then ignores the body.
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
 * @param {{asked: Asked, namespace: string, server: string, context: string, said: string}} context `said`: redacted
 */
function refuse(status, { asked, namespace, server, context, said }) {
  const { name, verb } = asked;
  const resource = nameResource(asked);
  const where = { verb, resource, namespace };
  if (status === 401) return new LoadflameError('KUBE_LOGIN_REFUSED', { server, context });
  if (status === 403 && /exceeded quota/.test(said))
    return new LoadflameError('KUBE_PODS_REFUSED', { reason: said });
  // The login has the right, but a rule of the namespace refuses the container.
  if (asked.verb === 'patch' && (status === 422 || (status === 403 && !/cannot patch /.test(said))))
    return new LoadflameError('POD_CONTAINER_REFUSED', { reason: said });
  if (status === 403) return new LoadflameError('KUBE_FORBIDDEN', where);
  // An API server responds like this for an unknown API group; otherwise it names the missing object.
  const isUnknown = said === '404 page not found';
  if (status === 404)
    return (name && !isUnknown) || !resource
      ? new LoadflameError('KUBE_NOT_THERE', { ...where, name })
      : new LoadflameError('KUBE_API_MISSING', where);
  return new LoadflameError('KUBE_REQUEST_FAILED', { ...where, status, reason: said });
}

/** As a Role spells it: `deployments.apps`, `pods/log`. @param {Asked} asked */
export function nameResource({ resource, group, subresource }) {
  return `${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
}
