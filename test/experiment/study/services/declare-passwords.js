/** Declares tests of the passwords of a study's own servers, really started. */
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
import { findStudyService, prepareStart } from './services.js';

const env = makeEnvironment({});
const STUDIES = path.resolve(import.meta.dirname, '../../../../studies');

/** Every user of the machine reads command lines. @param {number} [pid] */
function assertUntold(pid = 0) {
  const all = [pid, ...listDescendants(pid)].map(one => readCommandLine(one) ?? []);
  assert.ok(all.flat().length > 0);
  assert.ok(!all.flat().join(' ').includes(PASSWORD));
}

/** @param {string} study */
export function declareRedis(study) {
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
}

/** @param {string} study */
export function declarePostgres(study) {
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
}

/** @param {import('node:net').NetConnectOpts} place @param {string} line @returns {Promise<string>} */
export async function ask(place, line) {
  const socket = connect(place);
  socket.write(line);
  return text(socket);
}
