import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadflameError } from '../../lib/base/errors.js';
import { readStep } from '../../lib/experiment/find/run-find.js';
import { runExperiment } from '../../lib/experiment/run-experiment.js';
import { nextPair } from '../../lib/experiment/strategies/pairs.js';

/** @param {number} runs @param {string[]} closed in which order the experiment and its folder were closed */
function makeFolder(runs, closed = []) {
  const end = (/** @type {string} */ reason) => void closed.push(reason);
  const redactError = (/** @type {unknown} */ error) => error;
  return /** @type {any} */ ({ runs: Array(runs).fill({}), earlierMs: 5000, end, redactError });
}

/** @param {Partial<Parameters<typeof runExperiment>[1]>} more */
const makeExperiment = more => ({
  next: () => ({ level: 1 }),
  measure: async () => {},
  estimateMs: () => 10,
  maxMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});

test('a strategy ends an experiment, or its time, and the folder is closed', async () => {
  let left = 3;
  /** @type {string[]} */
  const closed = [];
  const next = () => (left > 0 ? { level: left } : { end: /** @type {const} */ ('found') });
  const measure = async () => void left--;
  const folder = makeFolder(1, closed);
  const { end, elapsedMs, failure } = await runExperiment(
    folder,
    makeExperiment({ next, measure, close: async () => void closed.push('closed') }),
  );
  assert.deepEqual([end, failure, closed], ['found', null, ['closed', 'found']]);
  assert.ok(elapsedMs >= 5000, 'with the time of earlier attempts');
  const late = await runExperiment(makeFolder(0), makeExperiment({ maxMs: 5 }));
  assert.equal(late.end, 'time');
});

test('a failure or an interruption keeps what was measured; without a run it is thrown', async () => {
  const broken = new LoadflameError('LOAD_CRASHED', { reason: 'gone' });
  /** @type {string[]} */
  const closed = [];
  const close = async () => void closed.push('closed');
  const fails = makeExperiment({ measure: () => Promise.reject(broken), close });
  await assert.rejects(runExperiment(makeFolder(0, closed), fails), broken);
  assert.deepEqual(closed, ['closed', 'failed']);
  const { end, failure } = await runExperiment(makeFolder(1), fails);
  assert.deepEqual([end, failure], ['failed', broken]);
  const aborted = { ...fails, signal: AbortSignal.abort() };
  await assert.rejects(runExperiment(makeFolder(0), aborted), { code: 'INTERRUPTED' });
  assert.equal((await runExperiment(makeFolder(1), aborted)).end, 'interrupted');
  const stays = { ...makeFolder(0), stays: true };
  assert.equal((await runExperiment(stays, aborted)).end, 'interrupted');
});

test('pairs go on until each figure is decided, too many are invalid, or no test is left', () => {
  const decision = /** @type {any} */ ({ call: 'undecided' });
  const so = { pairs: 1, excludedInRow: 0 };
  assert.deepEqual(
    nextPair([decision], so, () => 0.5),
    { order: ['b', 'a'] },
  );
  assert.deepEqual(
    nextPair([decision], so, () => 0.49),
    { order: ['a', 'b'] },
  );
  assert.deepEqual(nextPair([{ ...decision, call: 'none' }], so), { end: 'decided' });
  assert.deepEqual(nextPair([decision], { ...so, excludedInRow: 3 }), { end: 'invalid' });
  assert.deepEqual(nextPair([decision], { ...so, pairs: 55 }), { end: 'limit' });
});

test('a search takes steps of its journal that have their shape, and no others', () => {
  const step = {
    ...{ level: 20, seconds: 12, isStopped: false, checks: [], problem: null, margin: null },
    ...{ verdict: 'limited', requestsPerSec: 20, sessionMs: 50, bottleneck: null, folder: 'a' },
  };
  const record = { t: 1, kind: 'run', ...step };
  assert.deepEqual(readStep(record), [step]);
  for (const change of [{ level: '20' }, { verdict: '<b>' }, { checks: {} }, { margin: 1 }])
    assert.deepEqual(readStep({ ...record, ...change }), [], JSON.stringify(change));
});
