import assert from 'node:assert/strict';
import { io } from 'socket.io-client';
import { isProcessAlive } from '../../lib/base/process/process-table.js';
import { chooseCores } from '../../research/bench/cores.js';
import { startNginx } from '../../research/bench/servers/nginx.js';
import { startNodeServer } from '../../research/bench/servers/start-node-server.js';
import { autocannon } from '../../research/bench/tools/autocannon.js';
import { WORKS } from '../../research/bench/works/index.js';
import { needs } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {string} name */
function canPin(name) {
  try {
    chooseCores();
    return needs('nginx');
  } catch (error) {
    return `${name}: ${/** @type {Error} */ (error).message}`;
  }
}

test('nginx counts its requests, without status requests', {
  skip: canPin('this'),
}, async t => {
  const server = await startNginx({ dir: makeTempFolder(t), cores: chooseCores() });
  t.after(server.stop);
  assert.equal(await server.countRequests(), 0);
  for (let index = 0; index < 3; index++) {
    assert.match(await (await fetch(server.url)).text(), /^\{"ok":true/);
  }
  assert.equal(await server.countRequests(), 3);
  await server.stop();
  assert.equal(isProcessAlive(server.pid), false);
});

test('the slow server takes as long as it says, and its truth is what a client sees', async t => {
  const { server: core } = chooseCores();
  const server = await startNodeServer('slow-server.js', { core, args: [20] });
  t.after(server.stop);
  const seenMs = [];
  for (let index = 0; index < 20; index++) {
    const startMs = performance.now();
    await (await fetch(server.url)).text();
    seenMs.push(performance.now() - startMs);
  }
  const truth = await server.ask('/truth');
  assert.equal(truth.count, 20);
  // A busy machine only adds to it.
  assert.ok(truth.min >= 20 && truth.min < 30, `${truth.min} ms`);
  assert.ok(truth.min <= Math.min(...seenMs));
  assert.equal((await server.ask('/truth')).count, 0);
});

test('a stall holds back what comes in it until its end', async t => {
  const { server: core } = chooseCores();
  const server = await startNodeServer('slow-server.js', { core, args: [1, 600, 300] });
  t.after(server.stop);
  const startMs = performance.now();
  const slow = [];
  while (performance.now() - startMs < 1500) {
    const askedMs = performance.now();
    await (await fetch(server.url)).text();
    if (performance.now() - askedMs > 100) slow.push(performance.now() - askedMs);
  }
  assert.ok(slow.length >= 2, `${slow.length} stalls in 1.5 s`);
  assert.ok(Math.max(...slow) < 600);
});

test("socket.io's own client connects and gets its events back", async t => {
  const { server: core } = chooseCores();
  const server = await startNodeServer('socketio-server.js', { core });
  t.after(server.stop);
  const options = { transports: ['websocket'], forceNew: true, reconnection: false };
  const [main, room] = [io(server.url, options), io(`${server.url}/room`, options)];
  t.after(() => {
    main.close();
    room.close();
  });
  const long = 'ü'.repeat(500);
  assert.deepEqual(await main.timeout(5000).emitWithAck('echo', { text: long }), { text: long });
  assert.equal(await room.timeout(5000).emitWithAck('any', 5), 5);
  main.emit('unanswered', 1);
  assert.equal(await main.timeout(5000).emitWithAck('echo', 'after'), 'after');
  assert.deepEqual(await server.ask('/counts'), { connections: 2, acknowledged: 3 });
});

test('a real generator is measured and gone afterwards', { skip: canPin('this') }, async t => {
  const closed = WORKS.find(({ name }) => name === 'closed-loop');
  assert.ok(closed);
  const setting = { cores: chooseCores(), dir: makeTempFolder(t), quick: true };
  const figures = await closed.measure(autocannon, setting);
  assert.ok(figures);
  const { perCpuSec = 0, perSec = 0, cpuShare = 0, peakMemoryMb = 0 } = figures;
  assert.ok(perSec > 100, `${perSec} requests/s`);
  assert.ok(cpuShare > 0 && cpuShare < 1.2, `${cpuShare} of a processor`);
  assert.ok(Math.abs(perCpuSec * cpuShare - perSec) < perSec * 0.01);
  assert.ok(peakMemoryMb > 30);
  assert.equal(await closed.measure({ ...autocannon, command: () => null }, setting), null);
});
