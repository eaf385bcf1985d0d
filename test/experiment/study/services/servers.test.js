/** The servers that the studies are made of, really started. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeEnvironment } from '../../../../lib/experiment/study/services/service-environment.js';
import { needs } from '../../../helpers/needs.js';
import { ask, declarePostgres, declareRedis } from './declare-passwords.js';
import { findServer, prepareStart, watchFamilies } from './services.js';

const env = makeEnvironment({});

test('Redis starts, responds and ends', { skip: needs('redis-server') }, async t => {
  const { ports, start } = await prepareStart(t, ['redis']);
  const { pids, stop } = await start([findServer('redis')]);
  const port = Number(ports.redis);
  assert.match(await ask({ port }, 'PING\r\nQUIT\r\n'), /^\+PONG/);
  const listLeft = watchFamilies(pids.values());
  assert.equal(listLeft().length, 1);
  await stop();
  assert.deepEqual(listLeft(), []);
  await assert.rejects(ask({ port }, 'PING\r\n'), { code: 'ECONNREFUSED' });
});

test('PostgreSQL is made as a user that it accepts, takes SQL by port and by socket, and is gone with its backends', {
  skip: needs('initdb', 'postgres', 'psql'),
}, async t => {
  const { ports, work, start } = await prepareStart(t, ['postgres']);
  const { pids, stop } = await start([findServer('postgres')]);
  const port = String(ports.postgres);
  const dir = path.join(work, 'postgres');
  for (const host of ['127.0.0.1', dir]) {
    const args = [
      '-h',
      host,
      '-p',
      port,
      '-U',
      'postgres',
      '-d',
      'postgres',
      '-Atc',
      'SELECT 6 * 7',
    ];
    const { stdout } = await execa('psql', args, { env, extendEnv: false });
    assert.equal(stdout, '42');
  }
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

declareRedis('content');
declarePostgres('content');

test('HAProxy passes on to nginx, and both are gone when they are stopped', {
  skip: needs('nginx', 'haproxy'),
}, async t => {
  const { ports, start } = await prepareStart(t, ['nginx', 'haproxy']);
  const { pids, stop } = await start([findServer('nginx'), findServer('haproxy')]);
  const answer = await fetch(`http://127.0.0.1:${ports.haproxy}/`);
  assert.equal(await answer.text(), 'backend\n');
  const listLeft = watchFamilies(pids.values());
  assert.equal(listLeft().length, 3);
  await stop();
  assert.deepEqual(listLeft(), []);
});
