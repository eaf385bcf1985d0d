/** The servers that the studies are made of, really started. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { execa } from 'execa';
import { readCommandLine } from '../../../../lib/base/process/process-table.js';
import { makeEnvironment } from '../../../../lib/experiment/study/services/service-environment.js';
import { PASSWORD } from '../../../../lib/experiment/study/study-file/variables.js';
import { listDescendants } from '../../../../lib/record/target/process-family.js';
import { needs } from '../../../helpers/needs.js';
import { findServer, findStudyService, prepareStart, watchFamilies } from './services.js';

const env = makeEnvironment({});
const STUDIES = path.resolve(import.meta.dirname, '../../../../studies');

/** Every user of the machine reads command lines. @param {number} [pid] */
function assertUntold(pid = 0) {
  const all = [pid, ...listDescendants(pid)].map(one => readCommandLine(one) ?? []);
  assert.ok(all.flat().length > 0);
  assert.ok(!all.flat().join(' ').includes(PASSWORD));
}

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

for (const study of ['content', 'tasks', 'mail'])
  test(`Redis of the study ${study} asks for a password`, {
    skip: needs('redis-server'),
  }, async t => {
    const { ports, start } = await prepareStart(t, ['redis'], STUDIES);
    const { pids } = await start([findStudyService(study, 'redis')]);
    const port = Number(ports.redis);
    assert.match(await ask({ port }, 'INFO\r\nQUIT\r\n'), /^-NOAUTH/);
    assert.match(await ask({ port }, `AUTH ${PASSWORD}\r\nPING\r\nQUIT\r\n`), /^\+OK\r\n\+PONG/);
    assertUntold(pids.get('redis'));
  });

for (const study of ['content', 'stacks', 'tasks'])
  test(`PostgreSQL of the study ${study} asks for a password, and other users can not reach its socket`, {
    skip: needs('initdb', 'postgres', 'psql'),
  }, async t => {
    const { options, ports, work, start } = await prepareStart(t, ['postgres'], STUDIES);
    const create = 'sh servers/postgres.sh create';
    await execa('sh', ['-c', create], { cwd: STUDIES, env: makeEnvironment(options.variables) });
    const { pids } = await start([findStudyService(study, 'postgres')]);
    const args = ['-h', '127.0.0.1', '-p', String(ports.postgres), '-U', 'postgres'];
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
    if (process.getuid?.() === 0) assert.notEqual(statSync(path.join(work, 'postgres')).uid, 0);
    assertUntold(pids.get('postgres'));
  });

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

/** @param {import('node:net').NetConnectOpts} place @param {string} line @returns {Promise<string>} */
async function ask(place, line) {
  const socket = connect(place);
  socket.write(line);
  return text(socket);
}
