import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureCpuScale } from '../../../lib/analysis/costs/build-costs.js';

const owner = (/** @type {string} */ name, /** @type {number} */ endpoint) => ({
  name,
  basis: /** @type {const} */ ('companion'),
  endpoint,
  doubt: 0,
  views: [],
});
const OWNERS = [owner('a', 0), owner('b', 1), owner('a route without a load', -1)];

/**
 * @param {Record<string, {count: number, totalMs: number, cpuMs: number | null}>} told
 * @param {import('../../../lib/analysis/costs.d.ts').CostBasis} [basis]
 */
function measure(told, basis = 'companion') {
  const endpoints = /** @type {any} */ ([
    { name: 'a', codes: [{ count: 90 }, { count: 10 }] },
    { name: 'b', codes: [{ count: 100 }] },
  ]);
  return measureCpuScale(/** @type {any} */ ({ basis, owners: OWNERS }), [0.5, 0.25, 0.1], 10_000, {
    endpoints,
    serverTimes: new Map(Object.entries(told)),
  });
}

const A = { count: 100, totalMs: 0, cpuMs: 4000 };
const B = { count: 100, totalMs: 0, cpuMs: 2000 };

test('thread CPU of requests stands over what samples make of the same requests', () => {
  assert.equal(measure({ a: A, b: B }), 6000 / 7500);
  // five answers of a hundred did not tell: theirs are thought to be like the others
  assert.equal(measure({ a: A, b: { ...B, count: 95, cpuMs: 1900 } }), 6000 / 7500);
});

test('without thread CPU of most requests nothing is scaled', () => {
  assert.equal(measure({}), null);
  assert.equal(measure({ a: A }), null, 'half of the requests');
  assert.equal(measure({ a: A, b: { ...B, cpuMs: null } }), null, 'gevent');
  assert.equal(measure({ a: A, b: { ...B, count: 50 } }), null, 'half of the answers of one');
  assert.equal(measure({ a: A, b: B }, 'name'), null, 'routes are not on the stacks');
});
