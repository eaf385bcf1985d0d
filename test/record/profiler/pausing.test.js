import assert from 'node:assert/strict';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { chooseNearer, choosePausing } from '../../../lib/record/profiler/pausing.js';
import { PYTHON } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';

const WAY = { truth: 0.02, isHonest: true, asleep: 0, pauses: false };

test('takes the way whose share of a system call is nearer to the truth, whoever looks asleep', () => {
  const paused = { ...WAY, told: 0.084, isHonest: false, pauses: true };
  const free = { ...WAY, told: 0.014, asleep: 0.5 };
  assert.deepEqual(chooseNearer(paused, free), { ...free, other: { told: 0.084, asleep: 0 } });
  const near = { ...free, told: 0.1, isHonest: false };
  assert.equal(chooseNearer(paused, near)?.pauses, false, 'by less than the tolerance');
  const worse = { ...free, told: 0.2, isHonest: false };
  assert.deepEqual(chooseNearer(paused, worse), { ...paused, other: { told: 0.2, asleep: 0.5 } });
  assert.equal(chooseNearer({ ...paused, asleep: 0.2 }, worse)?.pauses, false, 'wakes sleepers');
  assert.deepEqual(chooseNearer(paused, null), { ...paused, other: null });
  assert.deepEqual(chooseNearer(null, free), { ...free, other: null });
  assert.equal(chooseNearer(null, null), null);
});

test('a cheap system call is shown about as large as it is when nothing is paused', async () => {
  const way = await choosePausing(await findPySpy(), PYTHON, { mayPause: false });
  const { told = 1, truth = 0, isHonest, asleep, pauses, other } = way ?? {};
  assert.ok(truth > 0.005 && truth < 0.1, `truth ${truth}`);
  assert.ok(isHonest && told < truth + 0.1, `told ${told}`);
  assert.deepEqual([asleep, pauses, other], [0, false, null]);
});

test('with pauses it is judged by the same measure, and both figures are kept', async () => {
  const way = await choosePausing(await findPySpy(), PYTHON, { mayPause: true });
  const { told = 0, truth = 0, pauses, isHonest, other } = way ?? {};
  assert.ok(truth > 0.005 && truth < 0.1, `truth ${truth}`);
  assert.ok(other && typeof pauses === 'boolean');
  if (isHonest) assert.ok(told < truth + 0.1, `honest with ${told}`);
  else assert.ok(told > truth + 0.03, `not honest with ${told}`);
});

test('where there is no interpreter nothing is said', async () => {
  assert.equal(await choosePausing(await findPySpy(), '/nonexistent', { mayPause: true }), null);
});
