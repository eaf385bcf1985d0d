/** A forward proxy: absolute addresses for http, CONNECT tunnels for https. */
import { request as ask, createServer } from 'node:http';
import { connect } from 'node:net';

/** @param {import('./request-log.js').RequestLog} log */
export function createProxy(log) {
  const server = createServer((request, response) => {
    log.add(`proxy ${request.method} ${request.url}`);
    if (!URL.canParse(String(request.url))) {
      response.writeHead(400).end('not a proxy request');
      return;
    }
    const onward = ask(
      String(request.url),
      { method: request.method ?? 'GET', headers: request.headers },
      answer => {
        response.writeHead(Number(answer.statusCode), { ...answer.headers, via: 'proxy' });
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.on('connect', (request, /** @type {import('node:net').Socket} */ socket, head) => {
    log.add(`proxy CONNECT ${request.url}`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port || 80), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return server;
}
