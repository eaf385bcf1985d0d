import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { allocatePorts } from '../../../../lib/experiment/study/services/allocate-ports.js';

test('each name gets a free port, none of them twice', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `service-${index}`);
  const ports = await allocatePorts(names);
  assert.deepEqual(Object.keys(ports), names);
  const all = Object.values(ports);
  assert.equal(new Set(all).size, 40);
  const servers = all.map(port => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map(server => new Promise(done => server.once('listening', done))));
  await Promise.all(servers.map(server => new Promise(done => server.close(done))));
});

test('another call gives other ports', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const [first, second] = await Promise.all([allocatePorts(names), allocatePorts(names)]);
  assert.equal(new Set([...Object.values(first), ...Object.values(second)]).size, 10);
});

test('no port lies where outgoing connections take theirs from', {
  skip: process.platform === 'linux' ? false : 'needs /proc',
}, async () => {
  const text = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const [from = 0, to = 0] = text.trim().split(/\s+/).map(Number);
  const names = Array.from({ length: 100 }, (_, index) => `service-${index}`);
  const all = Object.values(await allocatePorts(names));
  const isClear = all.every(port => port < from || port > to);
  assert.ok(isClear || (from < 15_000 && to > 60_000), all.join(' '));
});
