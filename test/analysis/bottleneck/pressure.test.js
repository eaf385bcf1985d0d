import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurePressure } from '../../../lib/analysis/judge/bottleneck/pressure.js';
import { makeLoad, makeNoise } from '../facts.js';

const noise = makeNoise(7);

/** @type {[what: string, id: string, load: Parameters<typeof makeLoad>[0]][]} */
const TABLE = [
  ['a steady open load', 'steady', {}],
  ['a noisy open load', 'steady', { lengthSec: 60, p50Ms: () => 40 + 15 * noise() }],
  [
    'responses that get slower and slower',
    'slower',
    { lengthSec: 40, p50Ms: second => 20 + 5 * second },
  ],
  [
    'responses that take nearly twice as long at the end',
    'slower',
    { lengthSec: 40, p50Ms: second => 40 + (35 * second) / 39 },
  ],
  [
    'responses that get slower by a little',
    'steady',
    { lengthSec: 40, p50Ms: second => 200 + second },
  ],
  [
    'responses of milliseconds that double',
    'steady',
    { lengthSec: 40, p50Ms: second => 3 + second / 10 },
  ],
  [
    'responses that get quicker after a cold start',
    'steady',
    { lengthSec: 40, p50Ms: second => 20 + 400 / (1 + second) },
  ],
  ['one slow second', 'steady', { lengthSec: 40, p50Ms: second => (second === 30 ? 900 : 20) }],
  ['users of a closed loop that wait', 'waiting', { model: 'closed', users: 8, inFlight: () => 7 }],
  ['users of a closed loop that think', 'steady', { model: 'closed', users: 8, inFlight: () => 2 }],
  ['as many under way, but users arrive', 'steady', { users: 8, inFlight: () => 7 }],
  ['dropped arrivals', 'dropped', { created: 100, skipped: 5 }],
  ['hardly a dropped arrival', 'steady', { created: 1000, skipped: 5 }],
  ['requests that time out', 'timeouts', { errors: [{ name: 'ETIMEDOUT', count: 20 }] }],
  [
    'messages that time out, few of many',
    'steady',
    { errors: [{ name: 'ack timeout', count: 20 }], emits: 10_000 },
  ],
  [
    'more and more under way at one rate, where medians of mixed endpoints hide it',
    'backlog',
    { lengthSec: 40, p50Ms: () => 40 + 30 * noise(), inFlight: second => 1 + second / 4 },
  ],
  [
    'twice as many under way at twice the rate',
    'steady',
    { lengthSec: 40, inFlight: second => 3 + second / 8, requests: second => 30 + second },
  ],
  [
    'four times as many under way at twice the rate, which falls again',
    'backlog',
    {
      lengthSec: 42,
      inFlight: second => (second > 14 && second < 28 ? 12 : 3),
      requests: second => (second > 14 && second < 28 ? 40 : 20),
    },
  ],
  ['few under way, by chance one more', 'steady', { inFlight: second => (second < 7 ? 0 : 1) }],
  ['other errors', 'steady', { errors: [{ name: 'ECONNRESET', count: 20 }] }],
  ['three seconds', 'short', { lengthSec: 3 }],
];

for (const [what, id, load] of TABLE)
  test(`${what}: ${id}`, () => {
    assert.equal(measurePressure(makeLoad(load)).id, id);
  });

test('the times of requests say nothing of a load of messages; of both, they do', () => {
  const both = { ...makeLoad({}), websocket: { replies: 9 }, socketio: null };
  assert.equal(measurePressure(both).id, 'steady');
  assert.deepEqual(
    measurePressure({ ...both, http: { ...both.http, requests: 0, responses: 0 } }),
    {
      id: 'messages',
      facts: { replies: 9 },
    },
  );
});

test('reports timeouts as a share of all that can time out', () => {
  const errors = [{ name: 'ack timeout', count: 150 }];
  const { id, facts } = measurePressure(makeLoad({ errors, emits: 10_000 }));
  assert.deepEqual([id, facts], ['timeouts', { count: 150, tried: 10_400 }]);
});

test('calculates the exact waits of consecutive users', () => {
  const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 7 });
  const times = (/** @type {number} */ meanMs) => ({ count: 400, meanMs, p99Ms: 2 * meanMs });
  const timed = {
    ...load,
    users: { ...load.users, sessionMs: times(400) },
    http: { ...load.http, totalTime: times(398) },
  };
  const share = (/** @type {any} */ one) => {
    const pressure = measurePressure(one);
    return pressure.id === 'waiting' ? pressure.facts.share : null;
  };
  assert.equal(share(timed), 0.995);
  const lasting = { ...timed, users: { ...timed.users, sessionMs: times(4000) } };
  assert.equal(share(lasting), 7 / 8);
});

test('users without responses wait, whatever other responses took', () => {
  const load = makeLoad({ model: 'closed', users: 8, inFlight: () => 2 });
  const seconds = load.seconds.map((/** @type {any} */ second) => ({
    ...second,
    inFlightAtEnd: 8,
  }));
  assert.deepEqual(measurePressure({ ...load, seconds }), {
    id: 'waiting',
    facts: { users: 8, share: 1 },
  });
});
