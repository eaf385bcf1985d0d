import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCollections, countExplicit } from '../../../lib/analysis/load/collections.js';

/** @param {Record<string, [count: number, cpuUs: number]>} sums */
function shareOf(sums) {
  const entries = Object.entries(sums).map(([key, [count, cpuUs]]) => {
    return [key, { count, cpuUs, longestUs: cpuUs / count }];
  });
  const gc = { python: '3.12.1', objects: 0, sums: Object.fromEntries(entries) };
  const server = { count: 100, cpuMs: 10_000, gc };
  const load = /** @type {any} */ ({ list: () => [{ name: 'GET /' }], of: () => ({ server }) });
  const found = buildCollections(load);
  assert.deepEqual(found?.endpoints[0]?.share, found?.share);
  return found?.share;
}

test('the share of few full collections has the interval of their number', () => {
  const { value = 0, low = 0, high = 0 } = shareOf({ r2: [3, 900_000], n2: [5, 10] }) ?? {};
  assert.equal(value, 0.09);
  // exact: 0.619 and 8.767 of 3, Poisson
  assert.ok(Math.abs((low ?? 0) / 0.09 - 0.619 / 3) < 0.01, `${low}`);
  assert.ok(Math.abs((high ?? 0) / 0.09 - 8.767 / 3) < 0.01, `${high}`);
});

test('the share of many small collections is exact, and none is above 100 %', () => {
  const { value, low, high } = shareOf({ r0: [4000, 800_000] }) ?? {};
  assert.equal(value, 0.08);
  assert.ok((low ?? 0) > 0.077 && (high ?? 1) < 0.083, `${low} to ${high}`);
  assert.equal(shareOf({ r2: [1, 5_000_000] })?.high, 1);
});

/** 110 requests of 65 ms, each with a full collection. @param {any} share of the cause, in samples @param {any} [more] */
function shareOfExplicit(share, more = {}) {
  const cause = { id: 'explicit-garbage-collection', share, cpuMsPerRequest: null, ...more };
  const collections = {
    share: { value: 0.985, low: 0.81, high: 1 },
    generations: [{ cpuMs: 0 }, { cpuMs: 80 }, { cpuMs: 6920 }],
    endpoints: [{ cpuMs: 7000 }],
  };
  const cpu = { requests: 110, perRequest: { value: 65.2, low: null, high: null } };
  const facts = /** @type {any} */ ({ profile: { causes: [cause] }, load: { collections }, cpu });
  return countExplicit(facts).profile?.causes[0]?.share;
}

test('explicit collections have the share that the collector counts, where samples leave it open', () => {
  const {
    value = 0,
    low = 0,
    high = 0,
  } = shareOfExplicit({ value: 0.8, low: 0.4, high: 0.99 }) ?? {};
  assert.equal(value.toFixed(3), '0.965');
  assert.deepEqual([low?.toFixed(2), high?.toFixed(2)], ['0.79', '0.98']);
});

test('what samples exclude, and another cause, keep their share', () => {
  const clear = { value: 0.3, low: 0.28, high: 0.32 };
  assert.equal(shareOfExplicit(clear), clear, 'most collections are those of Python');
  const wide = { value: 0.8, low: 0.4, high: 0.99 };
  assert.equal(shareOfExplicit(wide, { id: 'deepcopy' }), wide);
});
