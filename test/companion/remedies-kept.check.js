/** Remedies that keep or load ahead, in an app under gunicorn: introspection and relations. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { readCertificate } from '../helpers/certificates.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { listen } from '../helpers/listen.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { startRemedy } from '../helpers/remedy.js';

const CA = path.join(FIXTURES, 'tls/ca.crt');
const MODULES = ['flask', 'gunicorn', 'httpx', 'requests'];
const skip = needsModules(...MODULES);

/** A provider: tokens of Ada are active, those with `short` for two seconds. @param {import('node:test').TestContext} t */
async function startProvider(t) {
  let asked = 0;
  const server = https.createServer(readCertificate('server'), async (request, response) => {
    asked++;
    let body = '';
    request.on('data', part => {
      body += part;
    });
    await once(request, 'end');
    const token = new URLSearchParams(body).get('token') ?? '';
    const exp = Math.floor(Date.now() / 1000) + (token.includes('short') ? 2 : 300);
    const facts = { active: token.startsWith('ada'), sub: token, exp, at: request.url };
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(JSON.stringify(facts)));
  });
  return { env: { OTHER: await listen(t, server), CA }, count: () => asked };
}

for (const client of ['httpx', 'async', 'requests'])
  test(`keeps an introspection by ${client} for its token and address`, { skip }, async t => {
    const { env, count } = await startProvider(t);
    const started = await startRemedy(t, 'remote-introspection:60', { modules: MODULES, env });
    const ask = (/** @type {string} */ token, url = '/introspect') =>
      started.ask(`/introspect/${client}?url=${url}`, { 'x-token': token });
    for (let times = 0; times < 3; times++) {
      assert.equal((await ask('ada-1')).sub, 'ada-1');
      assert.equal((await ask('ada-2')).sub, 'ada-2');
      assert.equal((await ask('ada-1', '/other')).at, '/other');
    }
    assert.equal(count(), 3);
    // a refusal is not kept, and nothing is for longer than its token is valid
    for (let times = 0; times < 3; times++) assert.equal((await ask('eve')).active, false);
    assert.equal(count(), 6);
    await ask('ada-short');
    await sleep(2500);
    await ask('ada-short');
    assert.equal(count(), 8);
    const { acted, refused, log } = await started.end();
    assert.deepEqual([acted, refused], [6, null]);
    assert.doesNotMatch(log, /ada-|eve|client-secret/);
  });

const noOrm = needsModules('flask', 'sqlalchemy', 'gunicorn');

test('loads a relation with its query, unless the query has an option for it', {
  skip: noOrm,
}, async t => {
  const options = { modules: ['sqlalchemy'], app: 'relation_app:app' };
  const { ask, end } = await startRemedy(t, 'lazy-loading:Order.items', options);
  const { items, queries } = await ask('/orders');
  assert.equal(queries, 2 + 60);
  assert.deepEqual(items[1], [4, 5, 6]);
  assert.equal((await ask('/joined')).queries, 1 + 60, 'by its own option');
  assert.deepEqual((await ask('/columns')).count, 20);
  const { acted, left } = await end();
  assert.equal(acted, 1);
  const products = 'loaded lazily: lazy-loading:Order.items.product';
  assert.deepEqual(left, [products, 'queries that have an option for it']);
});

test('loads a relation of a relation with its query', { skip: noOrm }, async t => {
  const options = { modules: ['sqlalchemy'], app: 'relation_app:app' };
  const { ask, end } = await startRemedy(t, 'lazy-loading:Order.items.product', options);
  // the items of each of 20 orders, with their products
  assert.equal((await ask('/orders')).queries, 1 + 20 + 20);
  assert.equal((await ask('/chosen')).queries, 1 + 1 + 1);
  const { left } = await end();
  assert.deepEqual(left, ['loaded lazily: lazy-loading:Order.items']);
});

test('refuses an unknown relation, and names the existing ones', {
  skip: noOrm,
}, async t => {
  const options = { modules: ['sqlalchemy'], app: 'relation_app:app' };
  const { ask, end } = await startRemedy(t, 'lazy-loading:Order.lines', options);
  assert.equal((await ask('/orders')).queries, 1 + 20 + 60);
  const { acted, refused } = await end();
  assert.equal(acted, 0);
  assert.equal(refused, 'Order has no relation lines; its relations: items');
});
