/** The servers that the studies are made of, really started. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeEnvironment } from '../../../lib/study/services/service-environment.js';
import { needs } from '../../helpers/needs.js';
import { findServer, prepareStart, watchFamilies } from './services.js';

const env = makeEnvironment({});

test('Redis is started, answers and is gone', { skip: needs('redis-server') }, async t => {
  const { names, start } = await prepareStart(t, { redis: 1 });
  const { pids, stop } = await start([findServer('redis')]);
  const port = Number(names['port.redis']);
  assert.match(await ask({ port }, 'PING\r\nQUIT\r\n'), /^\+PONG/);
  const listLeft = watchFamilies(pids.values());
  assert.equal(listLeft().length, 1);
  await stop();
  assert.deepEqual(listLeft(), []);
  await assert.rejects(ask({ port }, 'PING\r\n'), { code: 'ECONNREFUSED' });
});

test('PostgreSQL is made as a user that it accepts, takes SQL by port and by socket, and is gone with its backends', {
  skip: needs('initdb', 'postgres', 'createdb', 'psql'),
}, async t => {
  const { names, work, progress, start } = await prepareStart(t, { postgres: 1 });
  const { pids, stop } = await start([findServer('postgres')]);
  const port = String(names['port.postgres']);
  const dir = path.join(work, 'postgres');
  for (const host of ['127.0.0.1', dir]) {
    const args = ['-h', host, '-p', port, '-U', 'postgres', '-d', 'study', '-Atc', 'SELECT 6 * 7'];
    const { stdout } = await execa('psql', args, { env, extendEnv: false });
    assert.equal(stdout, '42');
  }
  assert.deepEqual(progress, ['postgres: initdb', 'postgres: starting', 'postgres: createdb']);
  assert.equal(statSync(path.join(dir, 'data')).mode & 0o777, 0o700);
  if (process.getuid?.() === 0) assert.notEqual(statSync(dir).uid, 0);
  const args = ['-h', dir, '-p', port, '-U', 'postgres', '-c', 'SELECT pg_sleep(60)'];
  const client = execa('psql', args, { env, extendEnv: false, reject: false });
  const isBusy = () => watchFamilies(pids.values())().length > 6;
  for (let n = 0; n < 100 && !isBusy(); n++) await new Promise(done => setTimeout(done, 50));
  const listLeft = watchFamilies(pids.values());
  await stop();
  await client;
  assert.deepEqual(listLeft(), []);
});

test('HAProxy passes on to nginx; both stay inside their folders and are gone, the last one first', {
  skip: needs('nginx', 'haproxy'),
}, async t => {
  const { names, work, start } = await prepareStart(t, { nginx: 1, haproxy: 1 });
  const { pids, stop } = await start([findServer('nginx'), findServer('haproxy')]);
  const answer = await fetch(`http://127.0.0.1:${names['port.haproxy']}/`);
  assert.equal(await answer.text(), 'backend\n');
  const socket = path.join(work, 'haproxy', 'stats.sock');
  assert.match(await ask({ path: socket }, 'show stat\n'), /^edge,nginx,/m);
  const listLeft = watchFamilies(pids.values());
  assert.equal(listLeft().length, 3);
  await stop();
  assert.deepEqual(listLeft(), []);
});

/** @param {import('node:net').NetConnectOpts} place @param {string} line @returns {Promise<string>} */
async function ask(place, line) {
  const socket = connect(place);
  socket.write(line);
  return text(socket);
}
