import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributeByRoute } from '../../../../lib/analysis/profile/costs/attribute.js';
import { parseRaw } from '../../../helpers/parse-raw.js';

const PROFILE = parseRaw(
  ['GET /a', 'GET /b', 'GET /c', 'GET /quiet']
    .map((route, index) => `${route} (<loadflame route>:1);f (a.py:${index}) ${10 * (index + 1)}\n`)
    .concat('f (a.py:9) 7\n')
    .join(''),
);
const perWindow = [1];

/** @param {import('../../../../lib/analysis/load/load-rates.d.ts').LoadRates['endpoints']} endpoints */
function attribute(endpoints) {
  const { owners, ownerOf, split, basis } = attributeByRoute(PROFILE, { endpoints });
  /** @type {Record<string, number>} */
  const samples = {};
  for (let row = 0; row < PROFILE.rows.node.length; row++) {
    const add = (/** @type {number} */ owner, /** @type {number} */ weight) => {
      const name = owners[owner]?.name ?? 'nobody';
      samples[name] = (samples[name] ?? 0) + weight;
    };
    const weight = PROFILE.rows.weight[row] ?? 0;
    const owner = ownerOf(row, 0);
    if (owner >= -1) add(owner, weight);
    else split(row, 0, 0, 0, weight, add);
  }
  return { samples, basis, endpoints: Object.fromEntries(owners.map(o => [o.name, o.endpoint])) };
}

test('a route belongs to the endpoint of its name; others are their own rows, or unattributed', () => {
  const { samples, endpoints } = attribute([
    { name: 'GET /a', requests: 5, perWindow },
    { name: 'GET /never sampled', requests: 5, perWindow },
  ]);
  assert.deepEqual(samples, {
    'GET /a': 10,
    'GET /b': 20,
    'GET /c': 30,
    'GET /quiet': 40,
    nobody: 7,
  });
  assert.deepEqual(endpoints, {
    'GET /a': 0,
    'GET /never sampled': 1,
    'GET /b': -1,
    'GET /c': -1,
    'GET /quiet': -1,
  });
});

test('what a worker names by the path before it knows the route is in the row of that name', () => {
  const routes = { 'GET /0/a': 5 };
  const { owners } = attributeByRoute(PROFILE, {
    endpoints: [{ name: 'GET /a', requests: 5, perWindow, routes }],
  });
  const names = owners.map(({ name }) => name);
  assert.deepEqual(names, ['GET /a', 'GET /b', 'GET /c', 'GET /quiet']);
});

test('a request named by the script owns the routes in its responses', () => {
  const { samples } = attribute([
    { name: 'look around', requests: 8, perWindow, routes: { 'GET /a': 4, 'GET /b': 4 } },
    { name: 'first page', requests: 9, perWindow, routes: { 'GET /c': 9 } },
    { name: 'second page', requests: 3, perWindow, routes: { 'GET /c': 3 } },
  ]);
  assert.deepEqual(samples, {
    'look around': 30,
    'first page': 23,
    'second page': 7,
    'GET /quiet': 40,
    nobody: 7,
  });
});
