import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeQuality, NOTHING_BESIDES } from '../../../../lib/analysis/judge/quality/index.js';
import { countInFlight } from '../../../../lib/analysis/load/littles-law.js';
import { buildLoadReport } from '../../../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../../../lib/analysis/read/load/load-totals.js';
import { buildLoad, latency } from '../../../fixtures/reports/build-load.js';

/** @param {Partial<import('../../../../lib/run/facts/load-report.d.ts').LoadReport>} changes */
function qualityOf(changes, totalRequests = null) {
  const load = { ...buildLoad(0), ...changes };
  const run = /** @type {any} */ ({ reasons: [] });
  const items = judgeQuality(
    { run, load, profile: null, logs: null },
    { ...NOTHING_BESIDES, totalRequests },
  );
  return (/** @type {string} */ id) =>
    /** @type {{level: string, facts: any} | undefined} */ (items.find(item => item.id === id));
}

/** @param {number} n @param {{users: number, inFlight: number}} of */
const seconds = (n, { users, inFlight }) =>
  Array.from({ length: n }, (_, i) => ({
    startMs: i * 1000,
    requests: 10,
    errors: 0,
    p50Ms: 1,
    p95Ms: 1,
    p99Ms: 1,
    usersActive: users,
    inFlight,
  }));

test('only whole milliseconds are a coarse clock, and only Artillery has them', () => {
  const { http } = buildLoad(0);
  const fast = { ...http, timeToFirstByte: latency(100, 4) };
  assert.equal(qualityOf({ http: fast, engine: 'artillery' })('coarse-clock')?.level, 'warn');
  assert.equal(qualityOf({ http: fast, engine: 'loadflame' })('coarse-clock'), undefined);
  assert.equal(qualityOf({ engine: 'artillery' })('coarse-clock'), undefined);
});

test('of few answers p95 is compared, because their p99 is a hiccup or two', () => {
  const { http } = buildLoad(0);
  const totalTime = latency(320, 20);
  const late = { ...totalTime, p99Ms: (totalTime.p99Ms ?? 0) + 60 };
  const item = qualityOf({ http: { ...http, totalTime, totalFromIntended: late } });
  assert.equal(item('coordinated-omission')?.level, 'ok');
  assert.deepEqual(item('coordinated-omission')?.facts, {
    ...{ actualMs: 48, intendedMs: 48, matters: false, percent: 95 },
  });
});

test('a p99 that is later from the schedule than from the sending is a doubt, a hair is none', () => {
  const { http } = buildLoad(0);
  const from = (/** @type {number} */ p50) =>
    qualityOf({ http: { ...http, totalFromIntended: latency(1237, p50) } })('coordinated-omission');
  assert.equal(from(24.2)?.level, 'ok');
  assert.equal(from(48)?.level, 'warn');
  const { actualMs, intendedMs, matters, percent } = from(48)?.facts ?? {};
  assert.deepEqual([Math.round(actualMs), Math.round(intendedMs)], [104, 206]);
  assert.deepEqual([matters, percent], [true, 99]);
  assert.equal(
    qualityOf({ http: { ...http, totalFromIntended: null } })('coordinated-omission'),
    undefined,
  );
});

test('more requests under way than users at work are a doubt, in whichever window they are', () => {
  const calm = seconds(40, { users: 10, inFlight: 9.8 });
  const burst = seconds(10, { users: 10, inFlight: 25 });
  const held = qualityOf({ seconds: calm })('littles-law');
  assert.equal(held?.level, 'ok');
  const { inFlight, ...rest } = held?.facts ?? {};
  assert.equal(inFlight.toFixed(3), '9.800');
  assert.deepEqual(rest, { holds: true, users: 10, windowSec: 10, windows: 4 });
  const broken = qualityOf({ seconds: [...calm, ...burst] })('littles-law');
  assert.equal(broken?.level, 'warn');
  assert.deepEqual([broken?.facts.inFlight, broken?.facts.holds], [25, false]);
});

test('requests that time out are in progress until then', () => {
  const waiting = seconds(40, { users: 5.6, inFlight: 4.04 }).map((second, at) => ({
    ...second,
    inFlightAtEnd: 5.6,
    errors: at === 30 ? 6 : 0,
  }));
  const facts = qualityOf({ seconds: waiting })('littles-law')?.facts;
  assert.deepEqual([facts?.inFlight.toFixed(2), facts?.holds], ['5.60', true]);
  assert.equal(countInFlight(waiting)?.toFixed(2), '5.60');
  const healthy = waiting.map(second => ({ ...second, errors: 0 }));
  assert.equal(countInFlight(healthy)?.toFixed(2), '4.04');
  const unknown = waiting.map(second => ({ ...second, inFlightAtEnd: null }));
  assert.equal(countInFlight(unknown)?.toFixed(2), '4.04');
  assert.equal(countInFlight([]), null);
});

test("does not pass Little's law on records without the counts that it needs", () => {
  const calm = seconds(40, { users: 10, inFlight: 4 });
  const without = (/** @type {object} */ own) => calm.map(second => ({ ...second, ...own }));
  assert.equal(qualityOf({ seconds: without({}) })('littles-law')?.level, 'ok');
  assert.equal(qualityOf({ seconds: without({ inFlight: null }) })('littles-law'), undefined);
  assert.equal(qualityOf({ seconds: without({ usersActive: null }) })('littles-law'), undefined);
  const failed = without({ errors: 1, inFlightAtEnd: null });
  assert.equal(qualityOf({ seconds: failed })('littles-law'), undefined);
  const tooMany = failed.map(second => ({ ...second, inFlight: 25 }));
  assert.equal(qualityOf({ seconds: tooMany })('littles-law')?.level, 'warn');
  // Users that were not counted in every other second are not half as many.
  const some = seconds(40, { users: 10, inFlight: 9 }).map((second, at) => ({
    ...second,
    usersActive: at % 2 ? null : 10,
  }));
  assert.equal(qualityOf({ seconds: some })('littles-law'), undefined);
});

test('a stall between two counts casts no doubt', () => {
  const stall = [
    ...seconds(9, { users: 2, inFlight: 2 }),
    ...seconds(1, { users: 12, inFlight: 60 }),
  ];
  assert.equal(qualityOf({ seconds: stall })('littles-law')?.level, 'ok');
});

test("does not apply Little's law if it cannot tell", () => {
  const few = seconds(4, { users: 10, inFlight: 50 });
  assert.equal(qualityOf({ seconds: few })('littles-law'), undefined);
  const nobody = seconds(60, { users: 0.1, inFlight: 50 });
  assert.equal(qualityOf({ seconds: nobody })('littles-law'), undefined);
  const brief = { ...buildLoad(0).users, sessionMs: latency(60_000, 2) };
  const many = seconds(60, { users: 1, inFlight: 4 });
  assert.equal(qualityOf({ users: brief, seconds: many })('littles-law'), undefined);
  const long = { ...buildLoad(0).http, totalTime: latency(10, 2000) };
  const windows = qualityOf({ http: long, seconds: seconds(60, { users: 9, inFlight: 8 }) });
  const { windows: count, windowSec } = windows('littles-law')?.facts ?? {};
  assert.deepEqual([count, windowSec], [1, 43]);
});

test("the generator's own total is a check of the seconds", () => {
  assert.equal(qualityOf({}, /** @type {any} */ (1240))('counts-agree')?.level, 'ok');
  assert.equal(qualityOf({}, /** @type {any} */ (1300))('counts-agree')?.level, 'warn');
});

test('reports unchecked certificates of any of several loads', () => {
  assert.equal(qualityOf({ trustsAnyone: true })('trusts-anyone')?.level, 'warn');
  assert.equal(qualityOf({})('trusts-anyone'), undefined);
  const of = (/** @type {boolean} */ trustsAnyone) =>
    LoadTotals.of(
      [false, trustsAnyone].map((trusts, t) => ({
        t,
        kind: 'load-start',
        engine: 'loadflame',
        trustsAnyone: trusts,
      })),
    );
  const build = (/** @type {any} */ load) =>
    buildLoadReport(/** @type {any} */ ({ load, errors: [], tokens: [], artillery: null }));
  assert.equal(build(of(true))?.trustsAnyone, true);
  assert.equal(build(of(false))?.trustsAnyone, undefined);
});
