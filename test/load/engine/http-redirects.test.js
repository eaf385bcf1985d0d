import assert from 'node:assert/strict';
import https from 'node:https';
import { test } from 'node:test';
import { readCertificate } from '../../helpers/certificates.js';
import { listen } from '../../helpers/listen.js';
import { runScenario, serve } from './http-run.js';

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} location */
const redirect = (response, status, location) =>
  response.writeHead(status, { location }).end('moved');

test('each hop is a request, under its own endpoint; only a 303 turns into a GET', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    const [, status, left] = /^\/(\d+)\/(\d+)/.exec(String(request.url)) ?? [];
    if (Number(left) > 0) redirect(response, Number(status), `/${status}/${Number(left) - 1}`);
    else response.end('end');
  });
  const flow = [301, 302, 303, 307, 308].map(status => ({
    post: { url: `/${status}/1`, json: { a: 1 } },
  }));
  const { counters } = await runScenario({ target, flow });
  assert.deepEqual(
    seen.map(({ method, url, body }) => `${method} ${url} ${body}`),
    [
      'POST /301/1 {"a":1}',
      'POST /301/0 {"a":1}',
      'POST /302/1 {"a":1}',
      'POST /302/0 {"a":1}',
      'POST /303/1 {"a":1}',
      'GET /303/0 ',
      'POST /307/1 {"a":1}',
      'POST /307/0 {"a":1}',
      'POST /308/1 {"a":1}',
      'POST /308/0 {"a":1}',
    ],
  );
  assert.equal(counters['http.requests'], 10);
  assert.equal(counters['http.codes.200'], 5);
  assert.equal(counters['http.codes.303'], 1);
});

test('captures and hooks see only the last response', async t => {
  const { target } = await serve(t, (request, response) => {
    if (request.url === '/a') redirect(response, 302, '/b');
    else response.end('{"id":1}');
  });
  /** @type {any[]} */
  const answers = [];
  const { vars } = await runScenario({
    target,
    processor: {
      after: (
        /** @type {any} */ _r,
        /** @type {any} */ answer,
        /** @type {any} */ _c,
        /** @type {any} */ _e,
        /** @type {any} */ next,
      ) => {
        answers.push([answer.statusCode, answer.url]);
        next();
      },
    },
    flow: [{ get: { url: '/a', capture: { json: '$.id', as: 'id' }, afterResponse: 'after' } }],
  });
  assert.equal(vars.id, 1);
  assert.deepEqual(answers, [[200, `${target}/b`]]);
});

test('a chain without end stops after ten redirects', async t => {
  const { target, seen } = await serve(
    t,
    (_request, response) => void redirect(response, 302, '/again'),
  );
  const { counters } = await runScenario({
    target,
    flow: [{ get: { url: '/' } }, { get: { url: '/never' } }],
  });
  assert.equal(seen.length, 11);
  assert.equal(counters['errors.ERR_TOO_MANY_REDIRECTS'], 1);
  assert.equal(counters['http.codes.302'], 11);
});

test('a redirect that is not followed is the response', async t => {
  const { target, seen } = await serve(t, (request, response) => {
    if (request.url === '/304') response.writeHead(304).end();
    else if (request.url === '/without') response.writeHead(302).end();
    else redirect(response, 302, '/next');
  });
  const { counters } = await runScenario({
    target,
    flow: [
      { get: { url: '/304' } },
      { get: { url: '/without' } },
      { get: { url: '/no', followRedirect: false } },
    ],
  });
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['/304', '/without', '/no'],
  );
  assert.equal(counters['http.codes.302'], 2);
  assert.equal(counters['errors.undefined'], undefined);
});

test('load stays at its host, unless followRedirect says true; secrets never leave it', async t => {
  const other = await serve(t);
  const { target, seen } = await serve(
    t,
    (_request, response) => void redirect(response, 302, `${other.target}/away`),
  );
  const request = { url: '/', headers: { cookie: 'a=1', 'x-kept': '1' } };
  const { counters } = await runScenario({ target, tokens: ['secret'], flow: [{ get: request }] });
  assert.equal(other.seen.length, 0);
  assert.equal(counters['http.codes.302'], 1);
  await runScenario({
    target,
    tokens: ['secret'],
    flow: [
      { get: { ...request, followRedirect: true } },
      { get: { ...request, followRedirect: true, auth: { user: 'u', pass: 'p' } } },
      { get: { url: `${other.target}/direct` } },
    ],
  });
  assert.equal(other.seen.length, 3);
  for (const { headers } of other.seen) {
    assert.equal(headers.authorization, undefined);
    assert.equal(headers.cookie, undefined);
  }
  assert.equal(other.seen[0]?.headers['x-kept'], '1');
  assert.equal(seen[1]?.headers.authorization, 'Bearer secret');
});

test('an invalid address ends the user', async t => {
  for (const [location, code] of [
    ['http://[', 'ERR_INVALID_URL'],
    ['mailto:a@b', 'ERR_UNSUPPORTED_PROTOCOL'],
  ]) {
    const { target } = await serve(t, (_request, response) => {
      redirect(response, 302, String(location));
    });
    const { counters } = await runScenario({ target, flow: [{ get: { url: '/' } }] });
    assert.equal(counters[`errors.${code}`], 1);
  }
});

test('nothing goes from https to http with credentials: neither a body nor a header that is one', async t => {
  const plain = await serve(t);
  const server = https.createServer(readCertificate('self-signed'), (_request, response) =>
    redirect(response, 307, `${plain.target}/`),
  );
  const target = await listen(t, server);
  const flow = [
    { post: { url: '/login', json: { password: 'hunter2' }, followRedirect: true } },
    { get: { url: '/key', headers: { 'X-Api-Key': 'hunter2' }, followRedirect: true } },
    { get: { url: '/open', followRedirect: true } },
  ];
  const { counters } = await runScenario({
    target,
    flow,
    config: { tls: { rejectUnauthorized: false } },
  });
  assert.deepEqual(
    plain.seen.map(({ method, body, headers }) => [method, body, headers['x-api-key']]),
    [['GET', '', undefined]],
  );
  assert.equal(counters['http.codes.307'], 3);
});
