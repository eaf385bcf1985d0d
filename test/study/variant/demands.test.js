import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../../lib/math/random.js';
import { estimateDemand } from '../../../lib/study/variant/demands.js';
import { drawNormal, holds, shareOf } from '../simulated-target.js';

test('what a transaction costs is U ÷ X, and the bound is what the component can use ÷ that', () => {
  const demand = estimateDemand({
    component: 'workers',
    mostCores: 2,
    cells: [
      { repeat: 1, throughputPerSec: 100, cores: 1 },
      { repeat: 2, throughputPerSec: 150, cores: 1.5 },
    ],
  });
  assert.equal(demand?.demandMs.value, 10);
  assert.equal(demand?.boundPerSec.value, 200);
  assert.equal(demand?.utilization, 0.625);
});

test('with noise in both the interval of three repeats holds the true demand', () => {
  const held = shareOf(1000, seed => {
    const random = createRandom(seed);
    const cells = Array.from({ length: 3 }, (_, repeat) => {
      const throughputPerSec = 200 * (1 + 0.05 * drawNormal(random));
      return {
        repeat,
        throughputPerSec,
        cores: 0.004 * throughputPerSec * (1 + 0.05 * drawNormal(random)),
      };
    });
    const demand = estimateDemand({ component: 'redis', mostCores: 1, cells });
    return holds(demand?.demandMs ?? null, 4) && holds(demand?.boundPerSec ?? null, 250);
  });
  assert.ok(held > 0.93, `${held}`);
});

test('one cell has the interval of its seconds, and none without them', () => {
  const cells = [{ repeat: 1, throughputPerSec: 100, cores: 0.5 }];
  const plain = estimateDemand({ component: 'api', mostCores: 1, cells });
  assert.deepEqual(plain?.demandMs, { value: 5, low: null, high: null });
  assert.deepEqual(plain?.boundPerSec, { value: 200, low: null, high: null });
  const random = createRandom(1);
  const windows = Array.from({ length: 12 }, () => ({
    bottom: 100,
    top: 500 * (1 + 0.1 * drawNormal(random)),
  }));
  const within = estimateDemand({
    component: 'api',
    mostCores: 1,
    cells: cells.map(cell => ({ ...cell, windows })),
  });
  assert.equal(within?.demandMs.value, 5);
  assert.ok(holds(within?.demandMs ?? null, 5));
  assert.ok((within?.demandMs.high ?? 9) < 6);
});

test('a component that did nothing, or a cell without throughput, has no demand', () => {
  assert.equal(
    estimateDemand({
      component: 'redis',
      mostCores: 1,
      cells: [{ repeat: 1, throughputPerSec: 9, cores: 0 }],
    }),
    null,
  );
  assert.equal(
    estimateDemand({
      component: 'redis',
      mostCores: 1,
      cells: [{ repeat: 1, throughputPerSec: 0, cores: 1 }],
    }),
    null,
  );
  assert.equal(estimateDemand({ component: 'redis', mostCores: 1, cells: [] }), null);
});
