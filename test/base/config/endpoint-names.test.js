import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupEndpoint, nameEndpoint } from '../../../lib/base/config/endpoint-names.js';

const TARGET = 'http://127.0.0.1:5000';
const GROUPS = ['/api/rates/:currency', '/shops/:shop/items/:item', '/:lang/about'];

/** @type {[url: string, name: string][]} */
const TABLE = [
  ['/api/rates/usd', 'GET /api/rates/:currency'],
  ['/api/rates/12?day=3', 'GET /api/rates/:currency'],
  ['/api/rates', 'GET /api/rates'],
  ['/api/rates/', 'GET /api/rates/'],
  ['/api/rates/usd/', 'GET /api/rates/usd/'],
  ['/api/rates/usd/history', 'GET /api/rates/usd/history'],
  ['/shops/oslo/items/7', 'GET /shops/:shop/items/:item'],
  ['/de/about', 'GET /:lang/about'],
  ['/orders/7', 'GET /orders/:id'],
];

test('paths that fit a rule are one endpoint, of the load and of the profile', () => {
  for (const [path, name] of TABLE) {
    const plain = nameEndpoint({ url: TARGET + path }, TARGET);
    assert.equal(nameEndpoint({ url: TARGET + path }, TARGET, GROUPS), name, path);
    assert.equal(groupEndpoint(plain, GROUPS), name, `${path} by the companion`);
  }
});

test('leaves names of the script, other hosts and non-paths unchanged', () => {
  assert.equal(
    nameEndpoint({ name: 'a rate', url: `${TARGET}/de/about` }, TARGET, GROUPS),
    'a rate',
  );
  const elsewhere = nameEndpoint({ url: 'http://other:1/de/about' }, TARGET, GROUPS);
  assert.equal(elsewhere, 'GET http://other:1/de/about');
  assert.equal(groupEndpoint('GET (other paths)', GROUPS), 'GET (other paths)');
});
