import assert from 'node:assert/strict';
import { runPhases } from '../../lib/load/pacing/run-phases.js';
import { holdTime } from '../helpers/hold-time.js';
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

/**
 * Runs phases by a clock that the test moves.
 * @param {import('node:test').TestContext} t @param {number} ms that pass
 * @param {import('../../lib/load/pacing/schedule.js').Phase[]} phases
 * @param {import('../../lib/load/pacing/schedule.js').RunPhasesOptions} options
 */
async function runHeld(t, ms, phases, options) {
  const { pass } = holdTime(t);
  const ended = runPhases(phases, options);
  await pass(ms);
  await ended;
  return pass;
}

test('a closed loop keeps exactly its users at work, each again and again on its own connection', async t => {
  const { seen, ...target } = createTarget(5);
  /** @type {number[]} */
  const samples = [];
  /** @type {(number | null)[]} */
  const lags = [];
  const { pass } = holdTime(t);
  const ended = runPhases([{ duration: 0.6, users: 8 }], {
    share: ALONE,
    onStart: lagMs => lags.push(lagMs),
    ...target,
  });
  for (let n = 0; n < 46; n++) {
    await pass(13);
    samples.push(seen.active);
  }
  await pass(2);
  await ended;
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
  await pass(30);
  assert.equal(seen.active, 0);
  assert.equal(seen.closed, 8, 'connections are closed when the phase is over');
});

test('users that end at once do not starve timers', async () => {
  // Other work on the machine starves them now and then, a loop without pauses does so always.
  /** @type {{tookMs: number, ticks: number, iterations: number}[]} */
  const runs = [];
  const isGood = (/** @type {{tookMs: number, ticks: number}} */ { tookMs, ticks }) =>
    tookMs < 800 && ticks > 5;
  while (runs.length < 5 && !runs.some(isGood)) {
    const { seen, ...target } = createTarget(0);
    let ticks = 0;
    const ticker = setInterval(() => {
      ticks += 1;
    }, 10);
    const fromMs = performance.now();
    await runPhases([{ duration: 0.3, users: 20 }], { share: ALONE, ...target });
    clearInterval(ticker);
    runs.push({ tookMs: performance.now() - fromMs, ticks, iterations: seen.iterations });
  }
  const good = runs.find(isGood);
  assert.ok(good && good.iterations > 500, JSON.stringify(runs));
});

test('users that fail at once again and again wait 100 ms, and each pause is reported', async t => {
  const { seen, ...target } = createTarget(0, new Error('connect ECONNREFUSED'));
  let pauses = 0;
  await runHeld(t, 600, [{ duration: 0.55, users: 4 }], {
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

test('users that fail after a while are not held up', async t => {
  const { seen, ...target } = createTarget(15, 'ETIMEDOUT');
  await runHeld(t, 600, [{ duration: 0.5, users: 2 }], {
    share: ALONE,
    onPause: () => assert.fail('nothing to pause for'),
    ...target,
  });
  assert.ok(seen.iterations > 20, `${seen.iterations}`);
});

test('users come and go with rampTo and go on into the next phase with their connections', async t => {
  const { seen, ...target } = createTarget(3);
  /** Users that were at work, of each 100 ms. @type {number[]} */
  const counts = [];
  const { pass } = holdTime(t);
  const ended = runPhases(
    [
      { duration: 0.4, users: 2, rampTo: 10 },
      { duration: 0.4, users: 10 },
      { duration: 0.4, users: 10, rampTo: 0 },
    ],
    { share: ALONE, ...target },
  );
  for (let n = 0; n < 12; n++) {
    await pass(100);
    counts.push(seen.perUser.size);
    seen.perUser.clear();
  }
  await pass(10);
  await ended;
  assert.equal(seen.opened, 10, 'nobody connected twice');
  assert.ok((counts[0] ?? 99) <= 7, `few at first: ${counts}`);
  assert.equal(Math.max(...counts), 10);
  assert.ok((counts.at(-1) ?? 99) <= 8, `few at last: ${counts}`);
  await pass(20);
  assert.equal(seen.closed, 10);
});

test('a phase of arrivals after a closed loop ends its users, who finish what they do', async t => {
  const { seen, ...target } = createTarget(60);
  let arrivals = 0;
  await runHeld(
    t,
    400,
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

test('users are shared over workers', async t => {
  const targets = [createTarget(5), createTarget(5), createTarget(5)];
  const { pass } = holdTime(t);
  const ended = targets.map(({ seen: _, ...target }, index) =>
    runPhases([{ duration: 0.1, users: 4 }], { share: { index, of: 3 }, ...target }),
  );
  await pass(120);
  await Promise.all(ended);
  assert.deepEqual(
    targets.map(({ seen }) => [...seen.perUser.keys()].sort()),
    [[0, 3], [1], [2]],
  );
});

test('an abort closes the connections of users at once and none begins again', async t => {
  const { seen, ...target } = createTarget(20);
  const stop = new AbortController();
  const { pass } = holdTime(t);
  setTimeout(() => stop.abort(), 70);
  const options = { share: ALONE, signal: stop.signal, ...target };
  const ended = runPhases([{ duration: 60, users: 5 }], options);
  await pass(71);
  await ended;
  assert.equal(seen.closed, 5);
  const { iterations } = seen;
  await pass(100);
  assert.equal(seen.iterations, iterations);
  assert.equal(seen.active, 0);
});

test('a user that tells twice that it is done is repeated once', async t => {
  let running = 0;
  await runHeld(t, 250, [{ duration: 0.2, users: 1 }], {
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
