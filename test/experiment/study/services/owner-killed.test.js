/** Nothing outlives a study that is killed in a way that it can not notice. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, readCommandLine } from '../../../../lib/base/process/process-table.js';
import { FIXTURES, PYTHON, waitUntil } from '../../../helpers/gunicorn.js';
import { needs } from '../../../helpers/needs.js';
import { findServer, makeService, nodeCommand, prepareStart, watchFamilies } from './services.js';

const START_SERVICES = new URL(
  '../../../../lib/experiment/study/services/start-services.js',
  import.meta.url,
);
const skip = process.platform === 'linux' ? false : 'needs /proc and setpriv';

/**
 * Has a process of its own start the services.
 * @param {import('node:test').TestContext} t
 * @param {import('./services.js').Service[]} services
 * @param {string[]} [names] of services that get a port
 * @returns {Promise<{owner: import('node:child_process').ChildProcess, listLeft: () => number[]}>}
 */
async function startOwner(t, services, names) {
  const { options: places, work } = await prepareStart(t, names);
  const code = `
    import { startServices } from ${JSON.stringify(START_SERVICES.href)};
    const { services, ...options } = ${JSON.stringify({ services, ...places })};
    const { signal } = new AbortController();
    const { pids } = await startServices(services, { ...options, signal });
    console.log(JSON.stringify([...pids.values()]));
    setInterval(() => {}, 1000);`;
  const file = path.join(work, '..', 'owner.mjs');
  writeFileSync(file, code);
  const owner = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => owner.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: owner.stdout }), 'line');
  const listLeft = watchFamilies([...JSON.parse(line), Number(owner.pid)]);
  return { owner, listLeft };
}

test('a kill -9 ends servers in the way they like best', {
  skip: skip || needs('redis-server', 'postgres', 'nginx', 'haproxy'),
}, async t => {
  const serve = `-w 2 -b 127.0.0.1:$STUDY_PORT --chdir ${FIXTURES} burn_app:app`;
  const gunicorn = makeService('gunicorn', {
    command: `${PYTHON} -m gunicorn --control-socket "$STUDY_WORK/control" ${serve}`,
    ready: { url: '/' },
  });
  const names = ['redis', 'postgres', 'nginx', 'haproxy'];
  const servers = names.map(findServer);
  const { owner, listLeft } = await startOwner(t, [...servers, gunicorn], [...names, 'gunicorn']);
  // Redis 1, PostgreSQL 6, nginx 2, HAProxy 1, gunicorn 3, the owner and its reaper
  assert.ok(listLeft().length >= 14, `${listLeft().length} processes`);
  owner.kill('SIGKILL');
  await waitUntil(() => listLeft().length === 0, 'the end of all servers');
});

test('a kill -9 ends what heeds no signal, what a leader leaves behind and what became a daemon', {
  skip,
}, async t => {
  const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const run = (/** @type {object} */ options) =>
    `spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], ${JSON.stringify(options)})`;
  const code = `const { spawn } = require('child_process');
    ${run({})}; ${run({ detached: true, stdio: 'ignore' })};`;
  const ready = { log: 'ready' };
  const make = (/** @type {string} */ name, /** @type {string} */ more) =>
    makeService(name, {
      command: nodeCommand(`${code} ${more} console.log('ready'); setInterval(() => {}, 1000)`),
      ready,
    });
  const services = [make('heeds', ''), make('deaf', deaf)];
  const { owner, listLeft } = await startOwner(t, services);
  assert.equal(listLeft().length, 8);
  owner.kill('SIGKILL');
  await waitUntil(() => listLeft().length === 0, 'the end of all processes');
});

test('an owner that ends without a word to its services leaves nothing either', {
  skip,
}, async t => {
  const service = makeService('api', { command: 'exec sleep 60' });
  const { owner, listLeft } = await startOwner(t, [service]);
  assert.equal(listLeft().length, 3);
  owner.kill('SIGTERM');
  await waitUntil(() => listLeft().length === 0, 'the end of all processes');
});

test('a kill -9 while programs start leaves none of them', {
  skip,
}, async t => {
  const seconds = `86400.${process.pid}`;
  const startGroup = new URL('../../../../lib/experiment/server/start-group.js', import.meta.url);
  const log = path.join((await prepareStart(t)).work, '..', 'sleep.log');
  const surroundings = { cwd: '/', env: { PATH: process.env.PATH }, log };
  const code = `
    import { startGroup } from ${JSON.stringify(startGroup.href)};
    console.log('begins');
    for (;;) startGroup(['sleep', '${seconds}'], ${JSON.stringify(surroundings)});`;
  const listSleepers = () =>
    listProcesses().filter(({ pid }) => readCommandLine(pid)?.includes(seconds));
  for (const afterMs of [0, 1, 3, 5, 8, 12]) {
    const args = ['--input-type=module', '-e', code];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(owner.stdout, 'data');
    await sleep(afterMs);
    owner.kill('SIGKILL');
  }
  await waitUntil(() => listSleepers().length === 0, 'no program is left');
});
