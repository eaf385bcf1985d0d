/** The servers that the studies are made of, really started. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { execa } from 'execa';
import { makeEnvironment } from '../../../lib/study/services/service-environment.js';
import { PASSWORD } from '../../../lib/study/study-file/names.js';
import { needs } from '../../helpers/needs.js';
import { findServer, findStudyService, prepareStart, watchFamilies } from './services.js';

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

test('Redis and PostgreSQL without a password are reported', {
  skip: needs('redis-server', 'initdb', 'postgres', 'createdb'),
}, async t => {
  const { notes, start } = await prepareStart(t, { redis: 1, postgres: 1 });
  await start([findServer('redis'), findServer('postgres')]);
  const names = notes.map(line => /the service (\w+) accepts commands from every/.exec(line)?.[1]);
  assert.deepEqual(names, ['redis', 'postgres']);
});

for (const study of ['content', 'tasks', 'mail'])
  test(`Redis of the study ${study} asks for a password`, {
    skip: needs('redis-server'),
  }, async t => {
    const { names, notes, start } = await prepareStart(t, { redis: 1 });
    names.password = PASSWORD;
    await start([findStudyService(study, 'redis')]);
    const port = Number(names['port.redis']);
    assert.match(await ask({ port }, 'INFO\r\nQUIT\r\n'), /^-NOAUTH/);
    assert.match(await ask({ port }, `AUTH ${PASSWORD}\r\nPING\r\nQUIT\r\n`), /^\+OK\r\n\+PONG/);
    assert.deepEqual(notes, []);
  });

for (const study of ['content', 'stacks', 'tasks'])
  test(`PostgreSQL of the study ${study} asks for a password, and other users can not reach its socket`, {
    skip: needs('initdb', 'postgres', 'createdb', 'psql'),
  }, async t => {
    const { names, notes, work, start } = await prepareStart(t, { postgres: 1 });
    names.password = PASSWORD;
    await start([findStudyService(study, 'postgres')]);
    const args = ['-h', '127.0.0.1', '-p', String(names['port.postgres']), '-U', 'postgres'];
    const query = (/** @type {string} */ password) =>
      execa('psql', [...args, '-w', '-d', 'study', '-Atc', 'SELECT 6 * 7'], {
        env: { ...env, PGPASSWORD: password },
        extendEnv: false,
        reject: false,
      });
    assert.match((await query('')).stderr, /no password supplied/);
    assert.match((await query('postgres')).stderr, /password authentication failed/);
    assert.equal((await query(PASSWORD)).stdout, '42');
    assert.equal(statSync(path.join(work, 'postgres')).mode & 0o077, 0);
    assert.deepEqual(notes, []);
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
