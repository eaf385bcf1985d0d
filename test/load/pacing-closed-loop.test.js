import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { runPhases } from '../../lib/load/pacing/run-phases.js';
import { test } from '../helpers/quiet.js';

const ALONE = { index: 0, of: 1 };

/**
 * A target that takes `serviceMs` for an iteration, and counts who is at work.
 * @param {number} serviceMs
 * @param {unknown} [error] with which each iteration ends
 */
function createTarget(serviceMs, error) {
  const seen = {
    active: 0,
    iterations: 0,
    closed: 0,
    opened: 0,
    /** @type {Map<number, number>} */
    perUser: new Map(),
    /** @type {number[]} */
    slots: [],
  };
  return {
    seen,
    /** @type {import('../../lib/load/pacing/schedule.js').RunPhasesOptions['startUser']} */
    startUser({ slot }, _, done) {
      assert.ok(slot);
      if (!slot.connections) {
        seen.opened += 1;
        slot.connections = {
          close: () => {
            seen.closed += 1;
          },
        };
      }
      seen.active += 1;
      seen.iterations += 1;
      seen.perUser.set(slot.index, (seen.perUser.get(slot.index) ?? 0) + 1);
      const end = () => {
        seen.active -= 1;
        done(error);
      };
      if (serviceMs === 0) end();
      else setTimeout(end, serviceMs);
    },
    usersActive: () => seen.active,
  };
}

test('a closed loop keeps exactly its users at work, each again and again on its own connection', async () => {
  const { seen, ...target } = createTarget(5);
  /** @type {number[]} */
  const samples = [];
  const sampler = setInterval(() => samples.push(seen.active), 13);
  /** @type {(number | null)[]} */
  const lags = [];
  await runPhases([{ duration: 0.6, users: 8 }], {
    share: ALONE,
    onStart: lagMs => lags.push(lagMs),
    ...target,
  });
  clearInterval(sampler);
  assert.ok(samples.length > 20 && samples.every(active => active <= 8), `${samples}`);
  // A user is between two iterations for one turn of the event loop.
  assert.ok(samples.filter(active => active >= 6).length > samples.length * 0.5, `${samples}`);
  assert.equal(seen.perUser.size, 8);
  for (const count of seen.perUser.values()) assert.ok(count > 15 && count <= 121, `${count}`);
  assert.ok(
    lags.every(lagMs => lagMs === null),
    'no schedule, no lag',
  );
  assert.equal(seen.opened, 8);
  await sleep(30);
  assert.equal(seen.active, 0);
  assert.equal(seen.closed, 8, 'connections are closed when the phase is over');
});

test('users that end at once do not starve timers', async () => {
  const { seen, ...target } = createTarget(0);
  let ticks = 0;
  const ticker = setInterval(() => {
    ticks += 1;
  }, 10);
  const fromMs = performance.now();
  await runPhases([{ duration: 0.3, users: 20 }], { share: ALONE, ...target });
  clearInterval(ticker);
  assert.ok(performance.now() - fromMs < 800);
  assert.ok(ticks > 5, `${ticks}`);
  assert.ok(seen.iterations > 500, `${seen.iterations}`);
});

test('users that fail at once again and again wait 100 ms, and that is told', async () => {
  const { seen, ...target } = createTarget(0, new Error('connect ECONNREFUSED'));
  let pauses = 0;
  await runPhases([{ duration: 0.55, users: 4 }], {
    share: ALONE,
    onPause: () => {
      pauses += 1;
    },
    ...target,
  });
  // Three in a row, then one every 100 ms: 3 + 5 of each user.
  assert.ok(seen.iterations >= 4 * 5 && seen.iterations <= 4 * 8, `${seen.iterations}`);
  assert.ok(pauses >= 4 * 3 && pauses <= 4 * 6, `${pauses}`);
});

test('users that fail after a while are not held up', async () => {
  const { seen, ...target } = createTarget(15, 'ETIMEDOUT');
  await runPhases([{ duration: 0.5, users: 2 }], {
    share: ALONE,
    onPause: () => assert.fail('nothing to pause for'),
    ...target,
  });
  assert.ok(seen.iterations > 20, `${seen.iterations}`);
});

test('users come and go with rampTo and go on into the next phase with their connections', async () => {
  const { seen, ...target } = createTarget(3);
  /** @type {Record<string, number>} */
  const atMs = {};
  const begun = performance.now();
  const sampler = setInterval(() => {
    atMs[Math.round((performance.now() - begun) / 100)] = seen.perUser.size;
    seen.perUser.clear();
  }, 100);
  await runPhases(
    [
      { duration: 0.4, users: 2, rampTo: 10 },
      { duration: 0.4, users: 10 },
      { duration: 0.4, users: 10, rampTo: 0 },
    ],
    { share: ALONE, ...target },
  );
  clearInterval(sampler);
  assert.equal(seen.opened, 10, 'nobody connected twice');
  const counts = Object.values(atMs);
  assert.ok(counts.length >= 6, JSON.stringify(atMs));
  assert.ok((counts[0] ?? 99) <= 7, `few at first: ${counts}`);
  assert.equal(Math.max(...counts), 10);
  assert.ok((counts.at(-1) ?? 99) <= 8, `few at last: ${counts}`);
  await sleep(20);
  assert.equal(seen.closed, 10);
});

test('a phase of arrivals after a closed loop ends its users, who finish what they do', async () => {
  const { seen, ...target } = createTarget(60);
  let arrivals = 0;
  await runPhases(
    [
      { duration: 0.1, users: 3 },
      { duration: 0.2, arrivalRate: 50 },
    ],
    {
      share: ALONE,
      usersActive: target.usersActive,
      startUser(arrival, phase, done) {
        if (arrival.slot) target.startUser(arrival, phase, done);
        else arrivals += 1;
      },
    },
  );
  assert.ok(seen.iterations >= 3 && seen.iterations <= 6, `${seen.iterations}`);
  assert.equal(seen.closed, 3);
  assert.equal(arrivals, 10);
});

test('users are shared over workers', async () => {
  const targets = [createTarget(5), createTarget(5), createTarget(5)];
  await Promise.all(
    targets.map(({ seen: _, ...target }, index) =>
      runPhases([{ duration: 0.1, users: 4 }], { share: { index, of: 3 }, ...target }),
    ),
  );
  assert.deepEqual(
    targets.map(({ seen }) => [...seen.perUser.keys()].sort()),
    [[0, 3], [1], [2]],
  );
});

test('an abort closes the connections of users at once and none begins again', async () => {
  const { seen, ...target } = createTarget(20);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 70);
  await runPhases([{ duration: 60, users: 5 }], { share: ALONE, signal: stop.signal, ...target });
  assert.equal(seen.closed, 5);
  const { iterations } = seen;
  await sleep(100);
  assert.equal(seen.iterations, iterations);
  assert.equal(seen.active, 0);
});

test('a user that tells twice that it is done is repeated once', async () => {
  let running = 0;
  await runPhases([{ duration: 0.2, users: 1 }], {
    share: ALONE,
    usersActive: () => running,
    startUser(_arrival, _phase, done) {
      running += 1;
      assert.equal(running, 1);
      setTimeout(() => {
        running -= 1;
        done();
        done();
      }, 5);
    },
  });
});
