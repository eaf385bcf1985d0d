import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { allocatePorts } from '../../../lib/study/services/allocate-ports.js';

test('each name gets as many free ports as it asks for, none of them twice', async () => {
  const ports = await allocatePorts({ api: 1, content: 40, none: 0 });
  assert.deepEqual(
    Object.entries(ports).map(([name, list]) => [name, list.length]),
    [
      ['api', 1],
      ['content', 40],
      ['none', 0],
    ],
  );
  const all = Object.values(ports).flat();
  assert.equal(new Set(all).size, 41);
  const servers = all.map(port => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map(server => new Promise(done => server.once('listening', done))));
  await Promise.all(servers.map(server => new Promise(done => server.close(done))));
});

test('another call gives other ports', async () => {
  const [first, second] = await Promise.all([allocatePorts({ a: 5 }), allocatePorts({ a: 5 })]);
  assert.equal(new Set([...(first.a ?? []), ...(second.a ?? [])]).size, 10);
});

test('no port lies where outgoing connections take theirs from', {
  skip: process.platform === 'linux' ? false : 'needs /proc',
}, async () => {
  const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const [from = 0, to = 0] = text.trim().split(/\s+/).map(Number);
  const { a = [] } = await allocatePorts({ a: 100 });
  const isClear = a.every(port => port < from || port > to);
  assert.ok(isClear || (from < 15_000 && to > 60_000), a.join(' '));
});
