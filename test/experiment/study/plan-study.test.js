import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSteps } from '../../../lib/experiment/study/analysis/matrix.js';
import { planStudy } from '../../../lib/experiment/study/plan-study.js';
import { readStudy } from '../../../lib/experiment/study/study-file/read-study.js';
import { SMALL, writeStudy } from './study-file/write-study.js';

const FACTORS = `factors: {workers: [1, 2, 4], cache: ["off", redis]}
exclude: [{workers: 4, cache: redis}]
`;

/** @param {import('node:test').TestContext} t @param {string} added */
const read = (t, added) => readStudy(writeStudy(t, SMALL + added));

test('variants are all combinations but those that are left out', t => {
  const { variants } = planStudy(read(t, FACTORS));
  assert.deepEqual(
    variants.map(({ id }) => id),
    ['1,cache=off', '1,cache=redis', '2,cache=off', '2,cache=redis', '4,cache=off'].map(
      rest => `workers=${rest}`,
    ),
  );
  assert.equal(variants[0]?.label, '1 worker, cache off');
  const [one] = planStudy(read(t, 'factors: {processes: [1, 2]}\n')).variants;
  assert.equal(one?.label, '1 process');
  assert.equal(variants[3]?.label, '2 workers, cache redis');
  assert.deepEqual(variants[3]?.factors, { workers: '2', cache: 'redis' });
});

test('a study without factors has one variant', t => {
  const { variants, blocks } = planStudy(read(t, 'repeats: 2\n'));
  assert.deepEqual(variants, [{ id: 'all', label: 'all', factors: {} }]);
  assert.deepEqual(
    blocks.map(({ repeat }) => repeat),
    [1, 2],
  );
});

test('each round runs each variant once, in another order, and the same seed gives the same', t => {
  const study = read(t, `${FACTORS}repeats: 20\n`);
  const plan = planStudy(study, { seed: 7 });
  assert.equal(plan.seed, 7);
  assert.deepEqual(planStudy(study, { seed: 7 }).blocks, plan.blocks);
  assert.deepEqual(planStudy(study, { seed: 8 }).seed, 8);
  assert.notDeepEqual(planStudy(study, { seed: 8 }).blocks, plan.blocks);
  const ids = plan.variants.map(({ id }) => id).sort();
  const orders = Array.from({ length: 20 }, (_, index) =>
    plan.blocks.slice(index * 5, index * 5 + 5),
  );
  for (const [index, round] of orders.entries()) {
    assert.deepEqual(round.map(({ variant }) => variant).sort(), ids);
    assert.ok(round.every(({ repeat }) => repeat === index + 1));
  }
  assert.ok(new Set(orders.map(round => round.map(({ variant }) => variant).join())).size > 10);
  const first = orders.filter(([block]) => block?.variant === 'workers=1,cache=off').length;
  assert.ok(first < 15, 'the first of the list is not always the first to run');
});

test('without a seed the order is by chance, and the seed is kept', t => {
  const study = read(t, FACTORS);
  const { seed, blocks } = planStudy(study);
  assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32);
  assert.deepEqual(planStudy(study, { seed }).blocks, blocks);
});

test('the estimate counts cells and their time, a profile per variant, and the start of services', t => {
  const time = 'warmUp: 1s\nduration: 4s\nsettle: 1s\nrepeats: 2\n';
  const bare = planStudy(read(t, time + FACTORS)).estimate;
  assert.deepEqual(bare, { cells: 5 * 3 * 2, seconds: 30 * 9 });
  const profiled = planStudy(read(t, `${time}${FACTORS}record: {profile: plateau}\n`)).estimate;
  assert.deepEqual(profiled, { cells: 35, seconds: 35 * 9 });
  const services = `services:
  api: {command: x}
  redis: {command: x, when: {cache: redis}}
`;
  const started = planStudy(read(t, time + FACTORS + services)).estimate;
  assert.equal(started.seconds - bare.seconds, (5 + 2) * 2);
});

test('steps that double end at the most, whole for users and with decimals for arrivals', () => {
  const list = (/** @type {number[]} */ [from = 1, factor = 2, most = 1], model = 'closed') =>
    listSteps({ model: /** @type {'closed'} */ (model), steps: { from, factor, most } });
  assert.deepEqual(list([1, 2, 64]), [1, 2, 4, 8, 16, 32, 64]);
  assert.deepEqual(list([1, 2, 50]), [1, 2, 4, 8, 16, 32, 50]);
  assert.deepEqual(list([1, 1.5, 8]), [1, 2, 3, 5, 8]);
  assert.deepEqual(list([4, 2, 4]), [4]);
  assert.deepEqual(list([0.5, 2, 3], 'open'), [0.5, 1, 2, 3]);
  assert.deepEqual(list([1, 1.05, 3]), [1, 2, 3]);
  assert.ok(list([1, 1.05, 1_000_000]).length < 300);
  const steps = [1, 5, 9];
  assert.equal(listSteps({ model: 'open', steps }), steps);
});
