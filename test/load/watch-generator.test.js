import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createGeneratorWatch, readThreadCpuMs } from '../../lib/load/generator/generator-watch.js';
import { collectGarbage } from '../helpers/collect-garbage.js';
import { test } from '../helpers/quiet.js';
import { block } from './pacing-helpers.js';

/** @typedef {import('../../lib/load/generator/generator-watch.js').GeneratorRecord} GeneratorRecord */

/** @param {GeneratorRecord[]} records @param {(record: GeneratorRecord) => number} of */
function sum(records, of) {
  return records.reduce((total, record) => total + of(record), 0);
}

test('every second has a record, and together they count every user once', async () => {
  /** @type {GeneratorRecord[]} */
  const records = [];
  // Just before a full second the first record is of the one to come.
  await sleep(1050 - (Date.now() % 1000));
  const watch = createGeneratorWatch({
    worker: 3,
    sockets: { open: 12 },
    write: record => records.push(record),
  });
  const begunMs = performance.now();
  const epochMs = Date.now();
  for (let i = 0; i < 12; i += 1) {
    watch.arrived(i % 2 ? 1.5 : null);
    if (i < 5) watch.skipped();
    await sleep(100);
  }
  watch.stop();
  const tookMs = performance.now() - begunMs;
  assert.ok(records.length >= 2 && records.length <= 3, `${records.length}`);
  assert.ok(Math.abs(sum(records, ({ lengthMs }) => lengthMs) - tookMs) < 200);
  assert.equal(records[0]?.fromMs, Math.floor(epochMs / 1000) * 1000);
  records.forEach(({ fromMs }, i) => {
    assert.equal(fromMs, (records[0]?.fromMs ?? 0) + i * 1000);
  });
  assert.equal(
    sum(records, ({ arrivals }) => arrivals),
    12,
  );
  assert.equal(
    sum(records, ({ skipped }) => skipped),
    5,
  );
  assert.equal(
    sum(records, ({ lagMs }) => lagMs?.count ?? 0),
    6,
  );
  assert.ok(records.some(({ lagMs }) => lagMs && Math.abs((lagMs.max ?? 0) - 1.5) < 1e-9));
  for (const { worker, sockets, rssBytes } of records) {
    assert.deepEqual([worker, sockets], [3, 12]);
    assert.ok(rssBytes > 1e6);
  }
});

test('an event loop that stood still is seen, and so is what the garbage collector took', async () => {
  /** @type {GeneratorRecord[]} */
  const records = [];
  const watch = createGeneratorWatch({
    worker: 1,
    sockets: { open: 0 },
    write: record => records.push(record),
  });
  await sleep(60);
  block(200);
  // After other tests the heap may be so large that new objects make it collect nothing by itself.
  collectGarbage();
  await sleep(100);
  watch.stop();
  const worst = Math.max(...records.map(({ delayMs }) => delayMs.max));
  assert.ok(worst > 150, `${worst}`);
  assert.ok(Math.max(...records.map(record => record.gcMaxMs)) > 0);
});

test('an idle event loop shows hardly any delay, utilisation or CPU', async t => {
  /** @type {GeneratorRecord[]} */
  const records = [];
  const watch = createGeneratorWatch({
    worker: 1,
    sockets: { open: 0 },
    write: record => records.push(record),
  });
  await sleep(1600);
  watch.stop();
  const last = /** @type {GeneratorRecord} */ (records.find(({ lengthMs }) => lengthMs > 500));
  t.diagnostic(`idle: ${JSON.stringify({ ...last.delayMs, cpuMs: last.cpuMs })}`);
  assert.ok(last.delayMs.p50 < 3, `${last.delayMs.p50}`);
  assert.ok(last.utilization < 0.1, `${last.utilization}`);
  assert.ok((last.cpuMs ?? Number.NaN) < 60, `${last.cpuMs}`);
  assert.equal(last.lagMs, undefined);
});

test('CPU is that of the thread that asks, with and without help from Node', async () => {
  const start = async (/** @type {number} */ busyMs) => {
    const thread = new Worker(new URL('./fixtures/watch-thread.js', import.meta.url), {
      workerData: { busyCpuMs: busyMs, lifeMs: 800 },
    });
    const [message] = await once(thread, 'message');
    return /** @type {{records: GeneratorRecord[], cpuMs: number, schedstatMs: number, waitedMs: number}} */ (
      message
    );
  };
  const [busy, idle] = await Promise.all([start(300), start(0)]);
  const cpuMs = (/** @type {GeneratorRecord[]} */ records) =>
    sum(records, record => record.cpuMs ?? Number.NaN);
  assert.ok(cpuMs(busy.records) >= 300 && cpuMs(busy.records) < 700, `${cpuMs(busy.records)}`);
  assert.ok(cpuMs(idle.records) < 150, `${cpuMs(idle.records)}`);
  for (const thread of [busy, idle]) {
    assert.ok(Math.abs(thread.cpuMs - thread.schedstatMs) < 20, JSON.stringify(thread));
    const queuedMs = sum(thread.records, record => record.queuedMs ?? Number.NaN);
    assert.ok(Math.abs(queuedMs - thread.waitedMs) < 20, `${queuedMs} of ${thread.waitedMs}`);
  }
});

test('watching costs next to nothing per user', t => {
  const watch = createGeneratorWatch({ worker: 1, sockets: { open: 0 }, write: () => {} });
  const beforeMs = readThreadCpuMs() ?? Number.NaN;
  for (let i = 0; i < 300_000; i += 1) watch.arrived(i % 50);
  const perUserNs = (((readThreadCpuMs() ?? Number.NaN) - beforeMs) / 300_000) * 1e6;
  watch.stop();
  t.diagnostic(`${perUserNs.toFixed(0)} ns per user`);
  assert.ok(perUserNs < 1000, `${perUserNs} ns`);
});
