import assert from 'node:assert/strict';
import { checkPausing } from '../../../lib/record/profiler/check-pausing.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { PYTHON } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';

test('a cheap system call is shown about as large as it is when nothing is paused', async () => {
  const check = await checkPausing(await findPySpy(), PYTHON, { pauses: false });
  const { told = 1, truth = 0, isHonest } = check ?? {};
  assert.ok(truth > 0.005 && truth < 0.1, `truth ${truth}`);
  assert.ok(isHonest && told < truth + 0.1, `told ${told}`);
});

test('with pauses it is judged by the same measure', async () => {
  const check = await checkPausing(await findPySpy(), PYTHON, { pauses: true });
  const { told = 0, truth = 0, isHonest } = check ?? {};
  assert.ok(truth > 0.005 && truth < 0.1, `truth ${truth}`);
  if (isHonest) assert.ok(told < truth + 0.1, `honest with ${told}`);
  else assert.ok(told > truth + 0.03, `not honest with ${told}`);
});

test('where there is no interpreter nothing is said', async () => {
  assert.equal(await checkPausing(await findPySpy(), '/nonexistent', { pauses: false }), null);
});
