/**
 * Proxies of all requests: load, sockets, checks and logins. `HTTP_PROXY` and `HTTPS_PROXY` as in Artillery, with a
 * CONNECT tunnel for all, except for hosts in `NO_PROXY`.
 */
import { awaitResponse, readBeginning } from '../files/read-body.js';

/** @typedef {{http: URL | null, https: URL | null, direct: string[]}} Proxies */

/**
 * `HTTP_PROXY` is also used for https unless `HTTPS_PROXY` names another proxy.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Proxies}
 */
export function readProxies({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY, no_proxy = '' }) {
  const plain = HTTP_PROXY ? new URL(HTTP_PROXY) : null;
  const direct = (NO_PROXY ?? no_proxy).toLowerCase().split(/[\s,]+/);
  return { http: plain, https: HTTPS_PROXY ? new URL(HTTPS_PROXY) : plain, direct };
}

/**
 * @param {Proxies} proxies
 * @param {{isSecure: boolean, host: string, port: number}} place
 * @returns {URL | null} null: connects directly
 */
export function findProxy(proxies, { isSecure, host, port }) {
  const proxy = isSecure ? proxies.https : proxies.http;
  const isDirect = proxies.direct.some(entry => {
    const [, name, ofPort = port] = /^(?:\*?\.)?(.+?)(?::(\d+))?$/.exec(entry) ?? [];
    return (name === '*' || `.${host}`.endsWith(`.${name}`)) && Number(ofPort) === port;
  });
  return isDirect ? null : proxy;
}

/** @param {URL} proxy which may have a password @param {any} error @returns {string} */
export function nameProxyFailure({ origin }, error) {
  return `the proxy ${origin} of HTTP_PROXY or HTTPS_PROXY failed: ${error.code ?? error.message}`;
}

/**
 * For requests of Node's client, and of libraries that pass an agent to it.
 * @param {URL} url of a request or a WebSocket
 * @returns {{agent?: import('node:http').Agent}} empty without a proxy
 */
export function optionsOfProxy({ protocol, hostname, port: written }) {
  const isSecure = /^(?:https|wss):$/.test(protocol);
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(written) || (isSecure ? 443 : 80);
  const proxy = findProxy(readProxies(process.env), { isSecure, host, port });
  if (!proxy) return {};
  const createConnection = (/** @type {any} */ options, /** @type {any} */ done) =>
    openTunnel(proxy, host, port, (error, socket) => {
      if (!socket) return done(new Error(nameProxyFailure(proxy, error)));
      const tls = isSecure && process.getBuiltinModule('tls');
      return done(null, tls ? tls.connect({ ...options, socket }) : socket);
    });
  const { Agent } = process.getBuiltinModule(isSecure ? 'https' : 'http');
  return { agent: Object.assign(new Agent(), { createConnection }) };
}

/**
 * `fetch`, which Node sends without a proxy. Follows no redirect through one, and reads 2 MB.
 * @param {string | URL} address @param {RequestInit} init @returns {Promise<Response>}
 */
export async function fetchByProxy(address, init) {
  const url = new URL(address);
  const { agent } = optionsOfProxy(url);
  if (!agent) return fetch(url, init);
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'https' : 'http');
  const asked = new Request(url, init);
  const { method, signal } = asked;
  const sent = request(url, { agent, method, signal, headers: Object.fromEntries(asked.headers) });
  const answer = await awaitResponse(sent.end(await asked.bytes()));
  const { text } = await readBeginning(answer, 2e6);
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  return new Response(text || null, { status: answer.statusCode ?? 0, headers });
}

/**
 * @param {URL} proxy
 * @param {string} host
 * @param {number} port
 * @param {(error: Error | null, socket?: import('node:net').Socket) => void} done
 */
export function openTunnel(proxy, host, port, done) {
  // `import` would read each export of the module, and three of them make Node load its fetch.
  const { request } = process.getBuiltinModule(proxy.protocol === 'https:' ? 'https' : 'http');
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const credentials = `Basic ${Buffer.from(pair).toString('base64')}`;
  request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: { host: authority, ...(proxy.username && { 'proxy-authorization': credentials }) },
  })
    .once('connect', (response, socket) => {
      if (response.statusCode === 200) return done(null, socket);
      socket.destroy();
      return done(new Error(`Bad response: ${response.statusCode}`));
    })
    .once('error', error => done(error))
    .end();
}
