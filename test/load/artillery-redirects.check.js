/** Redirects that Artillery's own engine is not to follow, on a server with TLS. */
import assert from 'node:assert/strict';
import https from 'node:https';
import { test } from 'node:test';
import { readCertificate } from '../helpers/certificates.js';
import { listen, serve } from '../helpers/listen.js';
import { makeFolder, makeTokens, startTestLoad } from './helpers.js';

// Built from parts, so that no file of this repository holds something that looks like a token.
const JWT = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'c2ln'].join('.');

test('Artillery sends nothing from https to http with credentials', async t => {
  const USERS = 20;
  /** @type {string[]} */
  const seen = [];
  const plain = await serve(t, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  const server = https.createServer(readCertificate('self-signed'), (request, response) => {
    const code = request.url === '/login' ? 307 : 302;
    response.writeHead(code, { location: plain + request.url }).end();
  });
  const target = await listen(t, server);
  const { running } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  tls: { rejectUnauthorized: false }
  phases: [{ duration: 1, arrivalCount: ${USERS} }]
scenarios:
  - flow: [{ get: { url: /own, followRedirect: true } }]
  - loadflame: { auth: false }
    flow: [{ get: { url: /key, headers: { X-Api-Key: mine }, followRedirect: true } }]
  - loadflame: { auth: false }
    flow: [{ post: { url: /login, json: { password: mine }, followRedirect: true } }]
  - loadflame: { auth: false }
    flow: [{ post: { url: /moved, form: { password: mine }, followRedirect: true } }]
  - name: open
    loadflame: { auth: false }
    flow: [{ get: { url: /open, followRedirect: true } }]
`,
    settings: {},
    tokens: makeTokens([JWT]),
    workers: 1,
    options: { engine: 'artillery' },
  });
  const { counters, logTail } = await running.ended;
  assert.equal(counters['vusers.created'], USERS, logTail);
  assert.deepEqual(seen, Array(counters['vusers.created_by_name.open'] ?? 0).fill('GET /open'));
  assert.equal(counters['errors.ERR_REDIRECT_WITHOUT_TLS'], USERS - seen.length);
});
