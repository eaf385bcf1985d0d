/** Calls of a service that wait for each other there: a service that works for one at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneckFinding } from '../../../lib/analysis/judge/findings/bottleneck.js';
import { sayBottleneck } from '../../../lib/text/bottleneck.js';
import { buildCalls, buildStatement } from '../../fixtures/reports/build-calls.js';
import { makeLoad, makeWaits } from '../facts.js';
import { findByRecorded } from './find-by.js';
import { PRESSED } from './runs-table.js';

/**
 * 8 users and 20 requests/s; each calls the service once, 350 ms.
 * @param {number | undefined} aloneMs of the quickest call
 * @param {any} [slots] @param {any} [call] more of it
 */
function findCalls(aloneMs, slots = { slots: 16, busy: 8, fullest: 8 }, call = {}) {
  const uses = [{ name: 'GET /prices', requests: 400 }];
  const http = { kind: /** @type {const} */ ('http'), text: 'GET 10.0.0.7:4731/price/:id' };
  const statement = buildStatement({ ...http, meanMs: 350, uses, aloneMs, ...call });
  const waits = makeWaits({ 'external-call': 0.875, sleep: 0.125 }, slots);
  return findByRecorded({ cores: [0.02], waits }, { calls: buildCalls([statement]) });
}

test('a service that makes calls wait for each other limits at the rate at which it completes them', () => {
  const found = findCalls(50);
  assert.deepEqual([found.id, found.facts.why], ['external-call', 'turns']);
  const { title, detail, advice } = sayBottleneck(found);
  assert.match(
    title,
    /^Calls of 10\.0\.0\.7:4731 wait for each other there: with 7\.0 under way, one takes 350 ms; alone, about 50 ms\. The service completes 20\/s, so more/,
  );
  assert.match(detail ?? '', /^If the service worked for all calls at once, .* about \d/);
  assert.match(advice ?? '', /^Let the service work for several calls at once/);
});

test('without others, a call takes one turn, so the gain has a lower end', () => {
  const { fix } = findCalls(50);
  // Of 400 ms, 50 stay at the service, and 50 where the request sleeps.
  const { value = 0 } = fix?.afterPerSec ?? {};
  assert.ok(value > 70 && value < 82, JSON.stringify(fix));
  assert.ok((fix?.gain.low ?? 0) > 0.3);
  assert.equal(findCalls(undefined).fix?.gain.low, 0);
});

test('threads that are all taken by calls of such a service are not the limit', () => {
  const taken = { slots: 4, busy: 4, fullest: 4 };
  assert.equal(findCalls(undefined, taken).id, 'slots');
  assert.equal(findCalls(50, taken).id, 'external-call');
});

test('the quickest call may be another one: a service that works for one at a time takes its turn for each', () => {
  assert.equal(findCalls(5).facts.turns?.aloneMs, 50);
  assert.equal(findCalls(90).facts.turns?.aloneMs, 90, 'it works for two at a time');
});

test('a server may report anything as its quickest call: it stays between one turn and the mean', () => {
  assert.equal(findCalls(0).facts.turns?.aloneMs, 50);
  const { facts, fix } = findCalls(3.6e9);
  assert.deepEqual([facts.turns?.aloneMs, fix], [350, null]);
});

test('few calls at a time, and calls of a database or without a name, do not wait for each other', () => {
  for (const call of [{ meanMs: 60 }, { kind: 'redis' }, { text: null }])
    assert.notEqual(findCalls(50, undefined, call).facts.why, 'turns', JSON.stringify(call));
});

test('each of several workers sees only its own calls, so the report says how to find out', () => {
  const waits = makeWaits({ 'external-call': 0.9, cpu: 0.1 }, { slots: 16, busy: 8 });
  const titleOf = (/** @type {number[]} */ cores) =>
    sayBottleneck(findByRecorded({ cores, waits })).title;
  assert.match(titleOf([0.02, 0.02]), / With one worker, a run shows whether these calls wait/);
  assert.doesNotMatch(titleOf([0.02]), /With one worker/);
});

test('where a response takes no longer than the quickest one, nothing waits for another call, and the calls are no bottleneck', () => {
  const waits = makeWaits({ 'external-call': 0.94, cpu: 0.06 }, { slots: 16, busy: 8 });
  const findWith = (/** @type {number} */ p50Ms) => {
    const load = makeLoad({ ...PRESSED, responseMs: 130 });
    Object.assign(load.http.totalTime ?? {}, { minMs: 122, p50Ms });
    const bottleneck = findByRecorded({ cores: [0.02, 0.02], waits }, { load });
    const [{ severity = null } = {}] = findBottleneckFinding(/** @type {any} */ ({ bottleneck }));
    return { severity, title: sayBottleneck(bottleneck).title };
  };
  const { severity, title } = findWith(128);
  assert.equal(severity, 'info');
  assert.match(title, /so nothing queues at this load\.$/);
  assert.doesNotMatch(title, /is the bottleneck|twice as many/);
  const narrow = findWith(308);
  assert.equal(narrow.severity, 'warn');
  assert.match(narrow.title, /is the bottleneck\. With twice as many users, the rate doubles if/);
});
