/** All that a script of the conformance suite can talk to, on ports of its own. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readCertificate } from '../../helpers/certificates.js';
import { findHostileAnswer } from './hostile-routes.js';
import { createProxy } from './proxy.js';
import { createRequestLog, describeRequest } from './request-log.js';
import { answer } from './routes.js';
import { createSocketServer } from './socket-server.js';
import { echoWebSocket } from './websocket-echo.js';

/** Nobody listens there: Linux gives ephemeral ports from 32768 on. */
const CLOSED_PORT = 9;

/**
 * @typedef {object} Servers
 * @property {() => Promise<Record<string, string>>} startSocketServer gives its address as variables
 * @property {Record<string, string>} env addresses and certificates, by the names that scripts use
 * @property {import('./request-log.js').RequestLog} log
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<Servers>} */
export async function startServers() {
  const authority = readCertificate('ca');
  const server = readCertificate('server');
  const client = readCertificate('client');
  const log = createRequestLog();
  let other = '';
  const listener = (/** @type {string} */ where) => {
    /** @type {import('node:http').RequestListener} */
    const listen = async (request, response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        log.add(`${where} ${request.method} ${request.url} was broken off`);
        return;
      }
      const body = Buffer.concat(chunks);
      log.add(describeRequest(where, request, body));
      const url = new URL(String(request.url), 'http://server');
      const hostile = findHostileAnswer(url.pathname);
      try {
        if (hostile) await hostile(request.socket);
        else await answer({ request, response, url, body, other });
      } catch (error) {
        log.add(`${where} ${url.pathname} failed: ${error}`);
        response.destroy();
      }
    };
    return listen;
  };
  const secure = { ...server, ca: authority.cert };
  const all = {
    HERE: createServer(listener('target')),
    OTHER: createServer(listener('other')),
    TLS: createTlsServer(secure, listener('tls')),
    MUTUAL: createTlsServer(
      { ...secure, requestCert: true, rejectUnauthorized: true },
      listener('mutual'),
    ),
    PROXY: createProxy(log),
  };
  all.HERE.on('upgrade', (request, socket) => echoWebSocket(request, socket, log));
  /** @type {Record<string, string>} */
  const env = {
    CLOSED: `http://127.0.0.1:${CLOSED_PORT}`,
    AUTHORITY: authority.cert,
    CLIENT_KEY: client.key,
    CLIENT_CERT: client.cert,
  };
  for (const [name, item] of Object.entries(all)) {
    item.on('connection', socket => socket.on('error', () => socket.destroy()));
    item.listen(0, '127.0.0.1');
    await new Promise(resolve => item.once('listening', resolve));
    const { port } = /** @type {import('node:net').AddressInfo} */ (item.address());
    const scheme = name === 'TLS' || name === 'MUTUAL' ? 'https' : 'http';
    env[name] = `${scheme}://127.0.0.1:${port}`;
    log.nameAddress(`<${name}>`, `127.0.0.1:${port}`);
    log.nameAddress(`<${name}>`, `localhost:${port}`);
  }
  env.PLAIN = String(env.HERE).replace('http://', '');
  env.WS = `ws://${env.PLAIN}`;
  other = String(env.OTHER);
  const sockets = createSocketServer(log);
  return {
    env,
    log,
    startSocketServer: sockets.start,
    close: async () => {
      for (const item of Object.values(all)) {
        item.closeAllConnections();
        item.close();
      }
      await sockets.close();
    },
  };
}
