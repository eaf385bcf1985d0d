import assert from 'node:assert/strict';
import { runPhases } from '../../lib/load/pacing/run-phases.js';
import { holdTime } from '../helpers/hold-time.js';
import { test } from '../helpers/quiet.js';

/** @typedef {import('../../lib/load/pacing/schedule.js').UserCounts} UserCounts */

/**
 * Runs phases whose users take different times, and keeps what they counted themselves.
 * @param {import('node:test').TestContext} t
 * @param {import('../../lib/load/pacing/schedule.js').Phase[]} phases
 * @param {{share?: {index: number, of: number}, serviceMs: (index: number) => number, stopAfterMs?: number, failing?: number}} options
 */
async function count(t, phases, options) {
  const { share = { index: 0, of: 1 }, serviceMs, stopAfterMs, failing } = options;
  const { pass } = holdTime(t);
  const stop = new AbortController();
  if (stopAfterMs) setTimeout(() => stop.abort(), stopAfterMs);
  /** @type {Map<number, number>} user → scenarios that ended while a phase went on */
  const ended = new Map();
  /** @type {{name: string | undefined, counts: UserCounts}[]} */
  const told = [];
  let isOn = false;
  const running = runPhases(phases, {
    share,
    signal: stop.signal,
    startUser({ slot }, _, done) {
      const index = slot?.index ?? -1;
      setTimeout(() => {
        if (isOn) ended.set(index, (ended.get(index) ?? 0) + 1);
        done(index === failing ? new Error('no') : undefined);
      }, serviceMs(index));
    },
    usersActive: () => 0,
    onPhaseStart: () => {
      isOn = true;
    },
    onPhaseEnd: () => {
      isOn = false;
    },
    onUserCounts: ({ name }, counts) => told.push({ name, counts }),
  });
  await pass(1000);
  await running;
  return { ended, told };
}

test('at its end a phase reports how often each of its users ended, including 0', async t => {
  const { ended, told } = await count(t, [{ name: 'one', duration: 0.4, users: 3 }], {
    serviceMs: index => [10, 40, 5000][index] ?? 0,
  });
  assert.deepEqual(
    told.map(({ name }) => name),
    ['one'],
  );
  const counts = told[0]?.counts;
  assert.deepEqual(counts?.ended, [ended.get(0), ended.get(1), 0]);
  assert.equal(counts?.failed, null);
  assert.ok((counts?.ended[0] ?? 0) > (counts?.ended[1] ?? 0), String(counts?.ended));
});

test('counts users per phase and worker, and no arrivals', async t => {
  const { ended, told } = await count(
    t,
    [
      { name: 'a', duration: 0.2, users: 4 },
      { name: 'pause', pause: 0.05 },
      { name: 'open', duration: 0.1, arrivalRate: 20 },
      { name: 'b', duration: 0.2, users: 7 },
      { name: 'fewer', duration: 0.1, users: 2 },
    ],
    { share: { index: 1, of: 2 }, serviceMs: () => 10 },
  );
  assert.deepEqual(
    told.map(({ name, counts }) => [name, counts.ended.length]),
    [
      ['a', 2],
      ['b', 3],
      ['fewer', 1],
    ],
  );
  const sum = told.flatMap(({ counts }) => counts.ended).reduce((total, n) => total + n, 0);
  const own = [1, 3, 5].reduce((total, index) => total + (ended.get(index) ?? 0), 0);
  assert.ok(Math.abs(sum - own) <= 4, `${sum} told, ${own} ended`);
});

test('reports failed scenarios beside the others', async t => {
  const { told } = await count(t, [{ duration: 0.2, users: 2 }], {
    serviceMs: () => 20,
    failing: 1,
  });
  const counts = told[0]?.counts;
  assert.deepEqual(counts?.failed, [0, counts?.ended[1]]);
  assert.ok((counts?.ended[1] ?? 0) > 0);
});

test('a shortened phase reports its counts until then', async t => {
  const { ended, told } = await count(t, [{ name: 'cut', duration: 60, users: 2 }], {
    serviceMs: () => 10,
    stopAfterMs: 200,
  });
  assert.equal(told.length, 1);
  const [first = 0] = told[0]?.counts.ended ?? [];
  assert.ok(first > 0 && first <= (ended.get(0) ?? 0), `${first} of ${ended.get(0)}`);
});
