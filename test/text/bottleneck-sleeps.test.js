/** Sleeps of the API itself, and pauses between tries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRESSED } from '../analysis/bottleneck/runs-table.js';
import { makeLoad } from '../analysis/facts.js';
import { call, EXPORTS, findWaits } from './find-waits.js';

/** Ever more users get as many responses. */
const RAMP = {
  ...PRESSED,
  users: (/** @type {number} */ second) => 4 + second,
  inFlight: (/** @type {number} */ second) => 3.9 + second,
};

test('a sleep in one function limits from a third of the response time on, if nothing takes longer', () => {
  const own = findWaits({ sleep: 0.4, 'external-call': 0.35, cpu: 0.25 }, EXPORTS);
  assert.deepEqual([own.id, own.component], ['wait', 'sleep']);
  assert.match(own.title, /^Requests wait for a sleep to end 40 % .*\(exports\.py:24\), while/);
  assert.match(own.detail ?? '', /may be none: .* whether it spaces requests out: .* twice/);
  assert.match(own.advice ?? '', /^If the sleep is a rate limit of the API's own, raise it/);
  // The holder of a lock that is polled sets the rate.
  assert.match(own.advice ?? '', /If that is a lock, .* hold it for less of the work\./);
  assert.equal(
    findWaits({ sleep: 0.3, cpu: 0.25, gil: 0.2, database: 0.25 }, EXPORTS).id,
    'unknown',
  );
  const nowhere = findWaits({ sleep: 0.4, cpu: 0.35, database: 0.25 }, null);
  assert.equal(nowhere.id, 'unknown', 'in no function of the API');
});

test('a sleep sets the rate where more users get no more, whatever takes longer', () => {
  const shares = { 'external-call': 0.55, sleep: 0.4, cpu: 0.05 };
  const all = { busyThreads: 13 };
  const flat = findWaits(shares, EXPORTS, all, null, {}, makeLoad(RAMP));
  assert.deepEqual([flat.id, flat.facts.why], ['wait', 'flat']);
  assert.match(flat.title, /for a sleep to end 39 % .*, in list_rows \(views\.py\), while/);
  const rates = flat.evidence.find(({ label }) => label === 'with more users');
  assert.equal(rates?.value, '20/s became 20/s');
  const rising = { ...RAMP, requests: (/** @type {number} */ second) => 20 + 5 * second };
  assert.equal(findWaits(shares, EXPORTS, all, null, {}, makeLoad(rising)).id, 'external-call');
  assert.equal(findWaits(shares, EXPORTS).id, 'external-call', 'as many users all the time');
});

test('a sleep between tries to take something in a database ends with the wait for a turn, and one for a result may not', () => {
  const found = (/** @type {string} */ text, perRequest = 14, name = EXPORTS.function) => {
    const tried = { ...call(text, 50, 'redis'), ...EXPORTS, function: name, line: 20, perRequest };
    return findWaits({ sleep: 0.77, cpu: 0.23 }, EXPORTS, {}, { statements: [tried] });
  };
  const lowOf = (/** @type {any} */ { fix }) => fix?.gain.low ?? 0;
  for (const text of [
    'SET localhost:6379',
    'INCRBY localhost:6379',
    'INSERT INTO locks VALUES (?)',
  ])
    assert.ok(lowOf(found(text)) > 0.5, text);
  assert.match(found('SET localhost:6379').detail ?? '', /^If no request had to wait there,/);
  for (const other of [found('GET localhost:6379'), found('SET a', 1), found('SET a', 14, 'save')])
    assert.equal(lowOf(other), 0, other.detail ?? '');
});

test('predicts a shorter sleep, and none at all', () => {
  const [path] = findWaits({ sleep: 0.97, cpu: 0.03 }, EXPORTS).paths.filter(
    ({ kind }) => kind === 'sleep',
  );
  assert.equal(path?.function, 'wait_for_job');
  assert.ok(Math.abs((path?.half?.value ?? 0) - 1) < 0.2, `half as long: ${path?.half?.value}`);
  assert.ok((path?.without?.value ?? 0) > 2, `gone: ${path?.without?.value}`);
});

test('tries and the pauses between them are one wait where a quota refuses many, with its advice', () => {
  const statements = [call('GET partner: 429', 60, 'http'), call('GET partner', 40, 'http')];
  const waits = { 'external-call': 0.5, sleep: 0.45, cpu: 0.05 };
  const { id, title, advice } = findWaits(waits, EXPORTS, {}, { statements });
  assert.equal(id, 'external-call');
  assert.match(title, /60\.0 % of the calls to other services got status 429/);
  assert.match(advice ?? '', /^A quota of the service refuses calls/);
  const few = [call('GET partner: 429', 10, 'http'), call('GET partner', 90, 'http')];
  assert.doesNotMatch(findWaits(waits, EXPORTS, {}, { statements: few }).advice ?? '', /quota/);
});

test('says how many calls a quota refused beside the pauses between tries', () => {
  const statements = [call('GET partner: 429', 60, 'http'), call('GET partner', 40, 'http')];
  const { title, advice } = findWaits({ sleep: 0.9, cpu: 0.1 }, EXPORTS, {}, { statements });
  assert.match(
    title,
    / 60\.0 % of the calls to other services got status 429, which means a quota\.$/,
  );
  assert.match(advice ?? '', /^A quota of the service refuses calls/);
  const none = findWaits(
    { sleep: 0.9, cpu: 0.1 },
    EXPORTS,
    {},
    { statements: [call('GET a', 9, 'http')] },
  );
  assert.doesNotMatch(none.title, /429/);
});
