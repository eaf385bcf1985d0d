/** A target that repeats secrets in its errors and in its log, in every way of writing that a debug page may use. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { listen } from './listen.js';
import { makeTempFolder } from './temp-folder.js';

/** @param {string} secret @returns {string[]} */
function writeInAllWays(secret) {
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    escapeHtml(secret),
    escapeUnicode(JSON.stringify(secret).slice(1, -1)),
  ];
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} secrets
 */
export async function startLeakyTarget(t, secrets) {
  const ways = secrets.flatMap(writeInAllWays);
  const basic = `Basic ${Buffer.from(secrets.join(':')).toString('base64')}`;
  const logFile = path.join(makeTempFolder(t), 'leaky.log');
  writeFileSync(logFile, '');
  let answers = 0;
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    if (url === '/') return void response.end('ok');
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    answers += 1;
    response.writeHead(url.startsWith('/leak') ? 500 : 401, {
      'set-cookie': `oidc-jwt=${headers.authorization}`,
      'x-sent': String(headers.authorization),
      'www-authenticate': `Bearer error_description="${headers.authorization} has expired"`,
    });
    const told = `${url} ${JSON.stringify(headers)} ${body} ${basic} ${ways.join(' ')}`;
    appendFileSync(logFile, `ERROR: ${told.replaceAll('\n', ' ')}\n`);
    response.end(told);
  });
  server.on('upgrade', ({ headers }, socket) => {
    answers += 1;
    const text = `${headers.cookie} ${ways.join(' ')}`;
    socket.end(
      `HTTP/1.1 401 ${headers.cookie}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  });
  return { url: await listen(t, server), logFile, answers: () => answers };
}

/** @param {string} text */
function escapeHtml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&#34;')
    .replaceAll("'", '&#39;');
}

/** As Python's json writes it. @param {string} text */
function escapeUnicode(text) {
  return text.replace(
    /[\u0080-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
