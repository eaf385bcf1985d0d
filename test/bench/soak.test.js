import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { checkMemory, checkSeconds, checkTotals } from '../../research/bench/soak/checks.js';
import { countAccessLog } from '../../research/bench/soak/count-access-log.js';
import { readSeconds } from '../../research/bench/soak/read-seconds.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const START_MS = 1_795_211_103_400;

/** Metrics of a phase of five seconds. @param {import('node:test').TestContext} t @param {(record: any) => boolean} [keep] */
async function recordFiveSeconds(t, keep = () => true) {
  const file = path.join(makeTempFolder(t), 'metrics.ndjson');
  const second = Math.floor(START_MS / 1000);
  const records = Array.from({ length: 6 }, (_, index) => {
    const fromMs = (second + index) * 1000;
    return [
      { kind: 'second', fromMs, counters: { 'http.requests': 10 } },
      { kind: 'second', fromMs, counters: { 'http.requests': 5 } },
      { kind: 'generator', fromMs: fromMs + 3, worker: 1 },
    ];
  }).flat();
  const all = [
    { kind: 'phase-start', t: START_MS },
    ...records.filter(keep),
    { kind: 'phase-end', t: START_MS + 5000 },
    { kind: 'load-end', counters: { 'http.requests': 90 } },
  ];
  writeFileSync(file, all.map(record => `${JSON.stringify(record)}\n`).join(''));
  return readSeconds(file);
}

/** @param {number} requests @param {number} [answered] */
const report = (requests, answered = requests) => ({
  http: { requests, responses: answered, codes: [{ code: '200', count: answered }] },
});

test("totals are good only when they are exactly the server's", async t => {
  const seconds = await recordFiveSeconds(t);
  const areGood = (/** @type {any} */ load, /** @type {Record<string, number>} */ server) =>
    checkTotals(load, seconds, server).map(({ isGood }) => isGood);
  assert.deepEqual(areGood(report(90), { 200: 90 }), [true, true]);
  assert.deepEqual(areGood(report(90), { 200: 89 }), [false, false]);
  assert.deepEqual(areGood(report(90), { 200: 89, 500: 1 }), [true, false]);
  assert.deepEqual(areGood(report(90, 89), { 200: 90 }), [false, false]);
  assert.deepEqual(areGood(report(0), {}), [false, false]);
});

test('a second without requests, or without the generator, is a lost one', async t => {
  const lostMs = (Math.floor(START_MS / 1000) + 2) * 1000;
  const whole = checkSeconds(await recordFiveSeconds(t), 5);
  assert.ok(whole.isGood, whole.detail);
  assert.match(whole.detail, /^4 full seconds in a phase of 5\.0 s, 0 without/);
  const noRequests = await recordFiveSeconds(
    t,
    ({ kind, fromMs }) => kind !== 'second' || fromMs !== lostMs,
  );
  assert.match(checkSeconds(noRequests, 5).detail, /, 1 without requests, 0 without the gen/);
  assert.equal(checkSeconds(noRequests, 5).isGood, false);
  const unwatched = await recordFiveSeconds(
    t,
    ({ kind, fromMs }) => kind !== 'generator' || fromMs !== lostMs + 3,
  );
  assert.match(checkSeconds(unwatched, 5).detail, /, 0 without requests, 1 without the gen/);
  assert.equal(checkSeconds(unwatched, 5).isGood, false);
  assert.equal(checkSeconds(await recordFiveSeconds(t), 60).isGood, false);
  const blind = await recordFiveSeconds(t, ({ kind }) => kind !== 'generator');
  assert.equal(checkSeconds(blind, 5).isGood, false);
});

test('memory has not grown when no minute of the last ten is more than 5 % above the first of them', () => {
  const sample = (/** @type {(minute: number) => number} */ mb) =>
    Array.from({ length: 12 * 60 + 20 }, (_, second) => ({
      atMs: second * 1000,
      usage: { memoryBytes: mb(Math.floor(second / 60)) * 2 ** 20 },
    }));
  assert.equal(checkMemory(sample(minute => (minute < 2 ? 50 : 200))).isGood, true);
  assert.equal(checkMemory(sample(minute => (minute > 11 ? 900 : 200))).isGood, true);
  assert.equal(checkMemory(sample(minute => 200 + minute)).isGood, true);
  assert.equal(checkMemory(sample(minute => 200 + 2 * minute)).isGood, false);
  // A leak shows between two collections, too; what is given back is none.
  assert.equal(checkMemory(sample(minute => 200 + 2 * minute - (minute % 3) * 8)).isGood, false);
  assert.equal(checkMemory(sample(minute => (minute === 7 ? 190 : 214))).isGood, true);
  assert.equal(checkMemory(sample(minute => (minute < 5 ? 217 : 170))).isGood, true);
  assert.match(checkMemory(sample(minute => 200 + 2 * minute).slice(0, 100)).detail, /too short/);
});

test('the access log is counted by route and status', async t => {
  const file = path.join(makeTempFolder(t), 'access.log');
  const line = (/** @type {string} */ words, status = 200) =>
    `127.0.0.1 [21/Nov/2026:01:30:00 +0000] "${words}" ${status} 17 pid=1 us=500 trace=-\n`;
  const lines = [
    line('GET /api/v1/echo?text=hello HTTP/1.1'),
    line('POST /api/v1/echo HTTP/1.1'),
    line('POST /api/v1/echo HTTP/1.1', 500),
    line('GET /api/v1/echoes HTTP/1.1'),
    line('GET /api/v1/health HTTP/1.1'),
  ];
  writeFileSync(file, lines.join(''));
  assert.deepEqual(await countAccessLog(file, '/api/v1/echo'), { 200: 2, 500: 1 });
});
