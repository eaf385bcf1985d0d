/** What a cheaper path brings, against a queueing network whose solution is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictPaths, predictShorter } from '../../../lib/analysis/bottleneck/predict-fix.js';
import { makeWaits } from '../facts.js';
import { HOLDER, isNear, makeFacts, wide } from './waiting-run.js';

test('half of the CPU of a path: a quarter less CPU, a third more requests', () => {
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const waits = makeWaits({ cpu: 1 }, { slots: 1, busy: 1, fullest: 1 });
  const path = { kind: 'cpu', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const [gain] = predictPaths('workers', makeFacts({ waits, workers, paths: [path] }));
  assert.ok(isNear(25, gain?.ms), 'half of 50 ms');
  assert.ok(isNear(1 / 3, gain?.half?.value), JSON.stringify(gain));
  assert.ok(isNear(1, gain?.without?.value), JSON.stringify(gain));
});

test('half of the sleep under a lock is twice the throughput, beside it nothing', () => {
  const waits = makeWaits({ lock: 0.75, sleep: 0.125, database: 0.125 }, { slots: 16, busy: 8 });
  waits.holders = HOLDER;
  const paths = [
    { kind: 'sleep', function: 'reserve', file: 'shop.py', share: wide(0.125) },
    { kind: 'database', function: 'list', file: 'shop.py', share: wide(0.125) },
  ];
  const [sleep, database] = predictPaths('lock', makeFacts({ waits, paths }));
  assert.ok(isNear(1, sleep?.half?.value), JSON.stringify(sleep));
  assert.equal(database?.half?.value, 0);
  const unseen = { ...waits, holders: null };
  const [unknown] = predictPaths('lock', makeFacts({ waits: unseen, paths }));
  assert.equal(unknown?.half, null, 'whether the lock is held meanwhile is not known');
});

test('statements that go take their waiting and their CPU with them', () => {
  const waits = makeWaits({ database: 1 }, { slots: 16, busy: 8 });
  const facts = makeFacts({ waits });
  const path = (/** @type {any} */ kind, /** @type {number} */ value) => ({
    ...{ kind, function: 'list', file: 'shop.py', share: wide(value) },
  });
  const waiting = predictShorter('database', facts, [path('database', 0.5), path('cpu', 0.5)]);
  assert.ok(isNear(1, waiting?.value), JSON.stringify(waiting));
  const full = { processes: 1, cores: 1, busiestCores: 1 };
  const busy = makeFacts({ waits: makeWaits({ cpu: 1 }, { busy: 8 }), workers: full });
  const calculating = predictShorter('workers', busy, [path('database', 0), path('cpu', 0.5)]);
  assert.ok(isNear(1, calculating?.value), JSON.stringify(calculating));
  assert.equal(predictShorter('loop', facts, [path('database', 0.5)]), null);
});

test('more requests than the model allows: no path gets a gain', () => {
  const waits = makeWaits({ cpu: 1 }, { slots: 1, busy: 1, fullest: 1 });
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const path = { kind: 'sleep', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const facts = makeFacts({ waits, workers, paths: [path], host: { cores: 1, cpus: 0.5 } });
  assert.deepEqual(predictPaths('workers', facts), []);
});

test('greenlets of a full loop wait for their turn, whatever they waited for before: without half of its CPU twice as many', () => {
  const waits = makeWaits({ 'external-call': 0.9, cpu: 0.1 }, { slots: null, busy: 8 });
  const workers = { processes: 1, cores: 1, busiestCores: 1 };
  const path = { kind: 'cpu', function: 'parse', file: 'shop.py', share: wide(0.5) };
  const gainOf = (/** @type {number} */ suspended) => {
    const facts = makeFacts({ waits: { ...waits, suspended }, workers, paths: [path] });
    return predictPaths('workers', facts)[0]?.without;
  };
  assert.ok(isNear(1, gainOf(7)?.value), JSON.stringify(gainOf(7)));
  assert.ok((gainOf(7)?.low ?? 1) < 0.1, 'or they still wait');
  assert.ok((gainOf(0)?.value ?? 1) < 0.4, 'threads of a pool wait for what they show');
});
