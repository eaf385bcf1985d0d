import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseOpenApi } from '../../../lib/load/traffic/read-openapi.js';
import { serve } from '../../helpers/listen.js';
import { callLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const URL_OF_API = 'http://127.0.0.1:8000/openapi.json';

/** @param {object} api */
const list = api => {
  const { reads } = parseOpenApi(JSON.stringify(api), URL_OF_API);
  return reads.map(({ address, isComplete }) => (isComplete ? address : `(${address})`));
};
const id = { name: 'id', in: 'path', required: true };
const get = (/** @type {any[]} */ ...parameters) => ({ get: { parameters } });

test('a part in another file, or nowhere, is left out with its place', () => {
  const paths = {
    '/orders': { $ref: './paths/orders.yaml' },
    '/users': { $ref: 'https://schemas.example/users.json#/<b>' },
    '/items': get({ $ref: 'params.yaml#/limit' }),
    '/lost': get({ $ref: '#/components/parameters/Missing' }),
    '/ok': get(),
  };
  const { reads, leftOut } = parseOpenApi(JSON.stringify({ openapi: '3.0.3', paths }), URL_OF_API);
  assert.deepEqual(
    leftOut.map(({ operation, reason }) => `${operation} ${reason}`),
    [
      '/orders `./paths/orders.yaml` is not in this description: bundle its files into one',
      '/users `https://schemas.example/users.json#/<b>` is not in this description: bundle its files into one',
    ],
  );
  assert.deepEqual(
    reads.map(({ address, isComplete, lost = '' }) => [address, isComplete, lost.slice(0, 20)]),
    [
      ['/items', false, '`params.yaml#/limit`'],
      ['/lost', false, '`#/components/parame'],
      ['/ok', true, ''],
    ],
  );
});

test('webhooks beside the paths are left out, each with its reason', () => {
  const webhooks = { '<b>\u001b[31m': { post: {} }, paid: {} };
  const text = JSON.stringify({ openapi: '3.1.0', paths: { '/ok': get() }, webhooks });
  assert.deepEqual(
    parseOpenApi(text, URL_OF_API).leftOut,
    Object.keys(webhooks).map(name => ({
      operation: `webhook ${name}`,
      reason: 'your API sends it',
    })),
  );
  assert.deepEqual(
    parseOpenApi(JSON.stringify({ paths: {}, webhooks: 'all' }), URL_OF_API).leftOut,
    [],
  );
});

test('takes the example of a parameter from every place that a version has', () => {
  const components = {
    parameters: {
      Id: { ...id, schema: { $ref: '#/components/schemas/Id' } },
      Loop: { $ref: '#/components/parameters/Loop' },
    },
    schemas: {
      Id: { type: 'string', enum: ['red', 'blue'] },
      'a/b': { const: 8 },
      Round: { allOf: Array(20).fill({ $ref: '#/components/schemas/Round' }) },
    },
    examples: { One: { value: 11 } },
  };
  const paths = {
    '/1/{id}': get({ ...id, example: 1 }),
    '/2/{id}': get({ ...id, examples: { first: { value: 2 } } }),
    '/3/{id}': get({ ...id, schema: { examples: [3, 4] } }),
    '/4/{id}': get({ ...id, schema: { default: 4 } }),
    '/5/{id}': get({ $ref: '#/components/parameters/Id' }),
    '/6/{id}': get({
      ...id,
      schema: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/a~1b' }] },
    }),
    '/7/{id}': get({ ...id, examples: { one: { $ref: '#/components/examples/One' } } }),
    '/8/{id}': get({ $ref: '#/components/parameters/Loop' }),
    '/9/{id}': get({ ...id, schema: { $ref: '#/components/schemas/Round' } }),
    '/10/{id}': get({ ...id, schema: { $ref: '#/__proto__/constructor' } }),
  };
  assert.deepEqual(list({ openapi: '3.1.0', paths, components }), [
    ...['/1/1', '/2/2', '/3/3', '/4/4', '/5/red', '/6/8', '/7/11'],
    ...['(/8/{id})', '(/9/{id})', '(/10/{id})'],
  ]);
});

test('an operation replaces the parameters and servers of its path', () => {
  const v = { name: 'v', in: 'query', required: true };
  const paths = {
    '/items/{id}': {
      parameters: [
        { ...id, example: 1 },
        { ...v, example: 'old' },
      ],
      ...get({ ...id, example: 2 }, { ...v, example: 'new' }),
    },
    '/files': { servers: [{ url: '/files-api' }], get: {} },
    '/other': { servers: [{ url: '/x' }], get: { servers: [{ url: '/other-api/' }] } },
  };
  const servers = [{ url: '/api' }];
  assert.deepEqual(list({ openapi: '3.1.0', paths, servers }), [
    ...['/api/items/2?v=new', '/files-api/files', '/other-api/other'],
  ]);
});

test('reads Swagger 2.0: base path, host, and values without a schema', () => {
  const paths = {
    '/items': { get: {} },
    '/items/{id}': get({ ...id, type: 'integer', default: 5 }),
    '/s': get({ name: 'q', in: 'query', required: true, type: 'string', enum: ['a', 'b'] }),
  };
  const api = { swagger: '2.0', host: 'x.example', basePath: '/api/v1', paths };
  assert.deepEqual(list(api), ['/api/v1/items', '/api/v1/items/5', '/api/v1/s?q=a']);
  assert.equal(parseOpenApi(JSON.stringify(api), URL_OF_API).host, 'x.example');
  assert.deepEqual(list({ ...api, basePath: {}, host: 7 }).slice(0, 1), ['/items']);
});

test('names what is wrong with a description, and keeps what is right', () => {
  const of = (/** @type {string} */ text) => parseOpenApi(text, URL_OF_API).reads.length;
  assert.equal(of('\ufeff{"openapi":"3.0.0","paths":{"/a":{"get":{}}}}'), 1);
  assert.equal(of('openapi: 3.0.0\npaths:\n  /a: { get: {} }\n'), 1);
  assert.throws(() => of('<!doctype html><p>paths: {}'), /is HTML or XML/);
  assert.throws(() => of('{"paths": {'), /JSON/);
  assert.throws(() => of('{}'), /has no `paths`/);
  const { reads, leftOut } = parseOpenApi(
    JSON.stringify({
      paths: { '/a': { get: {} }, b: { get: {} }, '/c': null, '/{{ $env.HOME }}': { get: {} } },
    }),
    URL_OF_API,
  );
  assert.deepEqual(
    [reads.length, leftOut.map(({ operation }) => operation)],
    [1, ['b', '/c', '/{{ $env.HOME }}']],
  );
});

test('init --url says why a description is of no use, and takes one that is named', async t => {
  const described = {
    '/yaml/openapi.json': 'openapi: 3.0.0\npaths: { /a: { get: {} } }',
    '/docs-of/openapi.json': '{"paths": {"/b": {"get": {}}}}',
    '/posts/openapi.json': '{"paths": {"/c\\u001b[2J": {"post": {}}}}',
    '/old/swagger.json': '{"swagger": "2.0", "basePath": "/v1", "paths": {"/d": {"get": {}}}}',
  };
  const api = await serve(t, ({ url = '' }, response) => {
    const text = new Map(Object.entries(described)).get(url);
    response.writeHead(text ? 200 : 404).end(text ?? '');
  });
  const folder = makeTempFolder(t);
  const write = async (/** @type {string} */ place) => {
    const { stdout, stderr } = await callLoadflame(folder, ['init', '--url', api + place]);
    assert.equal(stderr, '');
    const [file = ''] = readdirSync(path.join(folder, 'scenarios')).filter(name =>
      name.startsWith('127'),
    );
    const script = readFileSync(path.join(folder, 'scenarios', file), 'utf8');
    const { rm } = await import('node:fs/promises');
    await rm(path.join(folder, 'scenarios', file));
    return {
      stdout,
      urls: [...script.matchAll(/- get: \{ url: "([^"]*)"/g)].map(([, one]) => one),
    };
  };
  assert.deepEqual((await write('/yaml')).urls, ['/a']);
  assert.deepEqual((await write('/docs-of/docs')).urls, ['/b']);
  assert.deepEqual((await write('/docs-of/openapi.json')).urls, ['/b']);
  assert.deepEqual((await write('/old')).urls, ['/v1/d']);
  const { stdout, urls } = await write('/posts');
  assert.deepEqual(urls, ['/posts']);
  assert.match(
    stdout,
    /^only +\/posts: openapi\.json has no GET request that needs no data of yours\./m,
  );
  assert.match(stdout, /^left out POST \/c\ufffd\[2J/m);
});

test('nothing in a description becomes a template of the script', () => {
  const evil = '{{ $processEnvironment }}';
  const description = {
    openapi: '3.1.0',
    info: { title: evil },
    servers: [{ url: `/${evil}` }],
    paths: {
      [`/${evil}`]: { get: {} },
      '/a/{id}': {
        get: {
          parameters: [
            { in: 'path', name: 'id', required: true, example: evil },
            { in: 'query', name: evil, required: true, example: evil },
            { in: 'query', name: 'list', required: true, example: [evil, { a: evil }] },
          ],
        },
      },
    },
  };
  const { reads, leftOut } = parseOpenApi(
    JSON.stringify(description),
    'http://127.0.0.1/openapi.json',
  );
  assert.equal(reads.length, 1);
  assert.doesNotMatch(reads[0]?.address ?? '{{', /\{\{|\}\}/);
  assert.deepEqual(
    leftOut.map(({ operation }) => operation),
    [`/${evil}`],
  );
});

test('lists operations that are neither reads nor known writes', () => {
  const item = { GET: {}, head: {}, parameters: [], summary: 'x', 'x-own': {} };
  const { leftOut } = parseOpenApi(JSON.stringify({ paths: { '/a': item } }), URL_OF_API);
  assert.deepEqual(leftOut, [
    { operation: 'GET /a', reason: '`GET` is not `get`' },
    { operation: 'HEAD /a', reason: '`head` is not `get`' },
  ]);
});
