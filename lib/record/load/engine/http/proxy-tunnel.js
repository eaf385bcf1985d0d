/** Proxies, as Artillery uses them: `HTTP_PROXY` and `HTTPS_PROXY`, a CONNECT tunnel for all. */
import http from 'node:http';
import https from 'node:https';

/** @typedef {{http: URL | null, https: URL | null}} Proxies */

/**
 * `HTTP_PROXY` is used for https too unless `HTTPS_PROXY` names another one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Proxies}
 */
export function readProxies({ HTTP_PROXY, HTTPS_PROXY }) {
  const plain = HTTP_PROXY ? new URL(HTTP_PROXY) : null;
  return { http: plain, https: HTTPS_PROXY ? new URL(HTTPS_PROXY) : plain };
}

/**
 * @param {URL} proxy
 * @param {string} host
 * @param {number} port
 * @param {(error: Error | null, socket?: import('node:net').Socket) => void} done
 */
export function openTunnel(proxy, host, port, done) {
  const { request } = proxy.protocol === 'https:' ? https : http;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const name = decodeURIComponent(proxy.username);
  const credentials = Buffer.from(`${name}:${decodeURIComponent(proxy.password)}`);
  request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: {
      host: authority,
      ...(name !== '' && { 'proxy-authorization': `Basic ${credentials.toString('base64')}` }),
    },
  })
    .once('connect', (response, socket) => {
      if (response.statusCode === 200) return done(null, socket);
      socket.destroy();
      return done(new Error(`Bad response: ${response.statusCode}`));
    })
    .once('error', error => done(error))
    .end();
}
