import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { countErrors, listErrors } from '../../../lib/base/math/counters.js';
import { runScenario, serve } from './http-run.js';

const BODY = '{"id":7,"user":{"name":"Zoë"},"list":[1,2],"empty":""}';

test('captures read json, regular expressions, headers and html', async t => {
  const { target } = await serve(t, (request, response) => {
    response.setHeader('x-id', 'h1');
    response.end(request.url === '/html' ? '<a class="x" href="/next">go</a>' : BODY);
  });
  const { vars } = await runScenario({
    target,
    flow: [
      {
        get: {
          url: '/',
          capture: [
            { json: '$.user.name', as: 'name' },
            { regexp: '"id":(\\d+)', group: 1, as: 'id' },
            { header: 'x-id', as: 'header' },
            { json: '$.list', as: 'list' },
            { json: '$.id', as: 'deep.er[0]' },
          ],
        },
      },
      { get: { url: '/html', capture: { selector: '.x', attr: 'href', as: 'link' } } },
      { get: { url: '/{{ id }}', match: { json: '$.id', value: 7 } } },
    ],
  });
  assert.deepEqual(
    [vars.name, vars.id, vars.header, vars.list, vars.deep, vars.link],
    ['Zoë', '7', 'h1', [1, 2], { er: [7] }, '/next'],
  );
});

test('captures read cookies, also those of a redirect', async t => {
  const { target } = await serve(t, (request, response) => {
    if (request.url === '/') {
      response.writeHead(302, { location: '/home', 'set-cookie': 'csrftoken=t1; Path=/' });
    }
    response.end();
  });
  const { vars, counters } = await runScenario({
    target,
    flow: [
      { get: { url: '/', capture: { cookie: 'csrftoken', as: 'csrf' } } },
      { get: { url: '/home', capture: { cookie: 'none', as: 'none' } } },
    ],
  });
  assert.equal(vars.csrf, 't1');
  assert.equal(counters['errors.Failed capture or match'], 1);
});

test('a capture or match that fails ends the user unless it is not strict', async t => {
  const { target, seen } = await serve(t, (_request, response) => void response.end(BODY));
  const run = async (/** @type {any} */ request, config = {}) => {
    const before = seen.length;
    const { counters } = await runScenario({
      target,
      config,
      flow: [{ get: { url: '/', ...request } }, { get: { url: '/after' } }],
    });
    return [counters['errors.Failed capture or match'] ?? 0, seen.length - before];
  };
  assert.deepEqual(await run({ capture: { json: '$.none', as: 'x' } }), [1, 1]);
  assert.deepEqual(await run({ capture: { json: '$.none', as: 'x', strict: false } }), [0, 2]);
  assert.deepEqual(
    await run({ capture: { json: '$.none', as: 'x' } }, { defaults: { strictCapture: false } }),
    [0, 2],
  );
  assert.deepEqual(await run({ match: { json: '$.id', value: 8 } }), [1, 1]);
  assert.deepEqual(await run({ match: { json: '$.id', value: 8, strict: false } }), [0, 2]);
  assert.deepEqual(await run({ match: { regexp: 'Zo.', value: 'Zoë' } }), [0, 2]);
});

test('invalid JSON is a failed capture, not the end of the worker', async t => {
  const { target } = await serve(t, (_request, response) => void response.end('<html>'));
  const { counters } = await runScenario({
    target,
    flow: [{ get: { url: '/', capture: { json: '$.id', as: 'x' } } }],
  });
  assert.equal(counters['errors.Failed capture or match'], 1);
  const bad = await runScenario({
    target,
    flow: [{ get: { url: '/', capture: { regexp: '(', as: 'x' } } }],
  });
  assert.match(Object.keys(bad.counters).join(), /errors\.Invalid regular expression/);
});

test('compressed bodies are read, unless the script says gzip: false', async t => {
  const encoders = {
    gzip: zlib.gzipSync,
    deflate: zlib.deflateSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
  };
  const { target } = await serve(t, (request, response) => {
    const encoding = /** @type {keyof typeof encoders} */ (String(request.url).slice(1));
    response.setHeader('content-encoding', encoding);
    response.end(encoders[encoding](BODY));
  });
  for (const encoding of Object.keys(encoders)) {
    const capture = { json: '$.id', as: 'id' };
    const { vars } = await runScenario({
      target,
      flow: [{ get: { url: `/${encoding}`, capture } }],
    });
    assert.equal(vars.id, 7, encoding);
  }
  const { counters } = await runScenario({
    target,
    flow: [{ get: { url: '/gzip', gzip: false, capture: { json: '$.id', as: 'id' } } }],
  });
  assert.equal(counters['errors.Failed capture or match'], 1);
});

test('a body of another type is an error only if it is read', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end('not gzip');
  });
  const read = await runScenario({
    target,
    flow: [{ get: { url: '/', capture: { json: '$.id', as: 'id' } } }],
  });
  assert.equal(read.counters['errors.Z_DATA_ERROR'], 1);
  const unread = await runScenario({ target, flow: [{ get: { url: '/' } }] });
  assert.deepEqual(unread.errors, []);
});

test('a capture that finds nothing in a refusal is not a second failure, and the sample is that of the status', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.statusCode = 400;
    response.end('{"code":"CONFLICT"}');
  });
  const { counters, samples } = await runScenario({
    target,
    flow: [{ get: { url: '/', capture: { json: '$.id', as: 'x' } } }],
  });
  assert.equal(counters['errors.Failed capture or match'], 1, 'as Artillery counts');
  assert.equal(counters['http.refused.Failed capture or match'], 1);
  const known = { 'http.codes.400': 1, ...counters };
  assert.deepEqual(listErrors(known), []);
  assert.equal(countErrors(known), 1);
  assert.deepEqual(
    samples.map(({ code, body }) => [code, body]),
    [['400', '{"code":"CONFLICT"}']],
  );
});

test('a captured integer beyond 2^53 keeps its digits, in addresses and in bodies', async t => {
  const id = '8414239796945638123';
  const { target, seen } = await serve(t, (_request, response) =>
    response.end(`{"id": ${id}, "list": [{"id": -${id}}], "small": 7, "text": "${id}", "e": 1e20}`),
  );
  const capture = [
    { json: '$.id', as: 'id' },
    { json: '$.list', as: 'list', multiple: false },
    { json: '$.small', as: 'small' },
    { json: '$.text', as: 'text' },
    { json: '$.e', as: 'e' },
  ];
  const { errors, vars } = await runScenario({
    target,
    flow: [
      { get: { url: '/', capture } },
      {
        get: { url: '/item/{{ id }}', qs: { id: '{{ id }}' }, match: { json: '$.id', value: id } },
      },
      { post: { url: '/', json: { id: '{{ id }}', list: '{{ list }}', text: '{{ text }}' } } },
      { post: { url: '/', form: { id: '{{ id }}' } } },
    ],
  });
  assert.deepEqual(errors, []);
  assert.equal(seen[1]?.url, `/item/${id}?id=${id}`);
  assert.equal(seen[2]?.body, `{"id":${id},"list":[{"id":-${id}}],"text":"${id}"}`);
  assert.equal(seen[3]?.body, `id=${id}`);
  assert.deepEqual([vars.small, vars.e], [7, 1e20]);
});

test('a failed capture or match has the expression that found nothing', async t => {
  const { target } = await serve(t, (_request, response) => {
    response.end(JSON.stringify({ title: `Novel ${Math.random()}` }));
  });
  const steps = [
    { capture: { json: '$.isbn', as: 'x' } },
    {
      capture: [
        { json: '$.title', as: 'x' },
        { regexp: 'ISBN (\\d+)', as: 'y' },
      ],
    },
    { match: { json: '$.title', value: 'none' } },
    { capture: { header: 'x-none', as: 'x' } },
  ];
  const found = [];
  for (const step of steps) {
    const { samples } = await runScenario({ target, flow: [{ get: { url: '/', ...step } }] });
    found.push(...samples.map(({ code, expression }) => [code, expression]));
  }
  const code = 'Failed capture or match';
  assert.deepEqual(found, [
    [code, '$.isbn'],
    [code, 'ISBN (\\d+)'],
    [code, '$.title'],
    [code, 'x-none'],
  ]);
});
