import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBursts } from '../../../../lib/analysis/load/logs/find-bursts.js';
import { createRandom } from '../../../../lib/base/math/random.js';
import { totalLoad } from '../../../helpers/total-load.js';

const START_SEC = 1_795_000_000;
const GET = 'GET /a/';
const POST = 'POST /b/';

/**
 * Seconds of a load, one record each.
 * @param {number} length
 * @param {(second: number) => Record<string, {requests: number, statuses?: Record<string, number | undefined>, none?: number}>} endpointsOf
 * @param {(second: number) => Record<string, number | undefined>} [errorsOf]
 */
function makeSeconds(length, endpointsOf, errorsOf = () => ({})) {
  return Array.from({ length }, (_, second) => ({
    t: 0,
    kind: 'second',
    fromMs: (START_SEC + second) * 1000,
    counters: Object.fromEntries(
      Object.entries(errorsOf(second)).map(([name, n]) => [`errors.${name}`, n]),
    ),
    endpoints: Object.fromEntries(
      Object.entries(endpointsOf(second)).map(([name, { requests, statuses = {}, none = 0 }]) => [
        name,
        {
          requests,
          errors: Object.values(statuses).reduce(
            (/** @type {number} */ a, b) => a + (b ?? 0),
            none,
          ),
          statuses: Object.fromEntries(
            Object.entries(statuses).map(([status, count]) => [status, { count }]),
          ),
        },
      ]),
    ),
  }));
}

/** @param {ReturnType<typeof findBursts>} bursts */
const told = bursts =>
  bursts.map(({ startMs, endMs, code, endpoint, errors, isSteady }) => [
    startMs / 1000 - START_SEC,
    endMs / 1000 - START_SEC,
    code,
    endpoint,
    errors,
    isSteady,
  ]);

test('finds a burst with its seconds, code and endpoint, and reports constant errors separately', () => {
  const seconds = makeSeconds(60, second => ({
    [GET]: {
      requests: 20,
      statuses: { 200: 18, ...(second >= 30 && second < 33 ? { 500: 8 } : {}) },
    },
    [POST]: { requests: 20, statuses: { 404: second % 3 === 0 ? 2 : 1 } },
  }));
  const bursts = findBursts(totalLoad(seconds).errors);
  assert.deepEqual(told(bursts), [
    [0, 60, '404', POST, 80, true],
    [30, 33, '500', GET, 24, false],
  ]);
  assert.equal(bursts[1]?.requests, 60);
});

test('a slow burst of one error a second is found, a single error is not', () => {
  const seconds = makeSeconds(120, second => ({
    [GET]: {
      requests: 10,
      statuses: {
        ...(second >= 50 && second < 60 && { 503: 1 }),
        ...(second === 100 && { 502: 1 }),
      },
    },
  }));
  assert.deepEqual(told(findBursts(totalLoad(seconds).errors)), [[50, 60, '503', GET, 10, false]]);
});

test('the same status on several endpoints at once is one burst, and its requests are summed', () => {
  const seconds = makeSeconds(30, second => ({
    [GET]: { requests: 5, statuses: second === 10 || second === 11 ? { 500: 5 } : {} },
    [POST]: { requests: 4, statuses: second === 11 ? { 500: 4 } : {} },
  }));
  const [burst, ...more] = findBursts(totalLoad(seconds).errors);
  assert.equal(more.length, 0);
  assert.equal(burst?.endpoint, null);
  assert.deepEqual(burst?.endpoints, [
    { name: GET, errors: 10 },
    { name: POST, errors: 4 },
  ]);
  assert.equal(burst?.requests, 18);
});

test('assigns lost connections to the endpoint whose requests got no response', () => {
  const seconds = makeSeconds(
    30,
    second => ({
      [GET]: { requests: 5, none: second === 20 ? 5 : 0 },
      [POST]: { requests: 5 },
    }),
    second => (second === 20 ? { ECONNRESET: 5 } : {}),
  );
  assert.deepEqual(told(findBursts(totalLoad(seconds).errors)), [
    [20, 21, 'ECONNRESET', GET, 5, false],
  ]);
});

test('random errors at a constant rate are not a burst: at most 4 of 200 runs of two minutes report one', () => {
  const random = createRandom(7);
  let spoke = 0;
  for (let run = 0; run < 200; run++) {
    const rate = [0.002, 0.01, 0.05][run % 3] ?? 0;
    const seconds = makeSeconds(120, () => {
      let failed = 0;
      for (let n = 0; n < 30; n++) if (random() < rate) failed++;
      return { [GET]: { requests: 30, statuses: { 500: failed } } };
    });
    if (findBursts(totalLoad(seconds).errors).some(({ isSteady }) => !isSteady)) spoke++;
  }
  assert.ok(spoke <= 4, `${spoke} of 200`);
});

test('a load without errors, and no load at all, have no burst', () => {
  assert.deepEqual(findBursts(totalLoad([]).errors), []);
  assert.deepEqual(
    findBursts(totalLoad(makeSeconds(10, () => ({ [GET]: { requests: 5 } }))).errors),
    [],
  );
});

test('errors all the time are of all requests of that time, not of the seconds with an error', () => {
  const seconds = makeSeconds(200, second => ({
    [GET]: { requests: 10, statuses: second % 10 === 0 ? { 200: 9, 500: 1 } : { 200: 10 } },
  }));
  const [steady, ...others] = findBursts(totalLoad(seconds).errors);
  assert.deepEqual(others, []);
  assert.deepEqual([steady?.errors, steady?.requests, steady?.isSteady], [20, 1910, true]);
});
