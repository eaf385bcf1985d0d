import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, readCommandLine } from '../../../../lib/base/process/process-table.js';
import { waitUntil } from '../../../helpers/gunicorn.js';
import { test } from '../../../helpers/quiet.js';
import { makeService, nodeCommand, prepareStart, watchFamilies } from './services.js';

const FOR_EVER = 'setInterval(() => {}, 1000);';

/** @param {string} code @param {Record<string, unknown>} [more] @param {string} [name] */
const nodeService = (code, more = {}, name = 'api') =>
  makeService(name, { command: nodeCommand(code), ...more });

test('services start in their order, each when the one before it is ready, and stop in reverse', async t => {
  const { work, start } = await prepareStart(t);
  const journal = path.join(work, 'journal');
  const code = (/** @type {string} */ name) =>
    `const fs = require('fs');
     setTimeout(() => { fs.appendFileSync(${JSON.stringify(journal)}, '+${name} '); console.log('ready'); }, 200);
     process.on('SIGINT', () => { fs.appendFileSync(${JSON.stringify(journal)}, '-${name} '); process.exit(); });
     ${FOR_EVER}`;
  const more = { ready: { log: '^ready$' }, stopSignal: 'SIGINT' };
  const names = ['first', 'second', 'third'];
  const { pids, stop } = await start(names.map(name => nodeService(code(name), more, name)));
  assert.equal(readFileSync(journal, 'utf8'), '+first +second +third ');
  assert.deepEqual([...pids.keys()], names);
  await Promise.all([stop(), stop()]);
  assert.match(readFileSync(journal, 'utf8'), /third -third -second -first $/);
});

test('a service runs in the folder of the study with the variables, its own port and its environment', async t => {
  const { work, live, ports, start } = await prepareStart(t, ['api', 'redis']);
  const say = 'printf "%s " "$PWD" $STUDY_PORT $STUDY_PORT_REDIS $URL $STUDY_WORK $STUDY_SEED';
  await start([
    makeService('api', {
      command: `${say}; echo; sleep 60`,
      env: { URL: 'redis://{{ $env.STUDY_PORT_REDIS }}/{{ $env.STUDY_PORT }}' },
      ready: { log: '\\n' },
    }),
  ]);
  const url = `redis://${ports.redis}/${ports.api}`;
  const said = [import.meta.dirname, ports.api, ports.redis, url, work, 1];
  assert.equal(readFileSync(path.join(live, 'api.log'), 'utf8'), `${said.join(' ')} \n`);
});

test('a service sees a path to servers and its own variables, no proxy and no secret of ours', async t => {
  const { live, start } = await prepareStart(t);
  const secrets = { HTTPS_PROXY: 'http://proxy:1', OIDC_CLIENT_SECRET: 'hush', NODE_OPTIONS: '' };
  Object.assign(process.env, secrets);
  t.after(() => {
    for (const name of Object.keys(secrets)) delete process.env[name];
  });
  await start([
    nodeService(`console.log(JSON.stringify(process.env)); ${FOR_EVER}`, {
      env: { OWN: 1 },
      ready: { log: '}' },
    }),
  ]);
  const env = JSON.parse(readFileSync(path.join(live, 'api.log'), 'utf8'));
  const usual = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'OWN', 'LOADFLAME_GROUP', 'PWD'];
  assert.deepEqual(
    Object.keys(env).filter(name => !usual.includes(name) && !name.startsWith('STUDY_')),
    [],
  );
  assert.equal(env.OWN, '1');
  assert.ok(env.PATH.split(':').includes('/usr/sbin'));
});

test('each kind of readiness waits for what it names', async t => {
  const { live, ports, start } = await prepareStart(t, ['port', 'path', 'url']);
  const serve = (/** @type {number} */ status) =>
    `setTimeout(() => require('http').createServer((_, answer) => answer.writeHead(${status}).end()).listen(process.env.STUDY_PORT, '127.0.0.1', () => console.log('listening')), 150)`;
  await start([
    nodeService(serve(200), { ready: { port: '{{ $env.STUDY_PORT }}' } }, 'port'),
    nodeService(serve(200), { ready: { url: '/' } }, 'path'),
    nodeService(
      serve(204),
      { ready: { url: 'http://127.0.0.1:{{ $env.STUDY_PORT_URL }}/' } },
      'url',
    ),
    nodeService(FOR_EVER, {}, 'none'),
  ]);
  assert.equal((await fetch(`http://127.0.0.1:${ports.url}/`)).status, 204);
  for (const name of ['port', 'path', 'url'])
    assert.match(readFileSync(path.join(live, `${name}.log`), 'utf8'), /listening/);
});

test('stops a service that is not ready in time and those before it, and reports its log', async t => {
  const { start, work } = await prepareStart(t, ['api']);
  const code = (/** @type {string} */ name) =>
    `require('fs').writeFileSync(process.env.STUDY_WORK + '/${name}', String(process.pid)); console.log('still loading'); ${FOR_EVER}`;
  const starting = start([
    nodeService(code('first'), {}, 'first'),
    nodeService(code('api'), { ready: { port: '{{ $env.STUDY_PORT }}', timeout: '2s' } }),
  ]);
  await assert.rejects(starting, error => {
    const { code, message } = /** @type {any} */ (error);
    assert.equal(code, 'STUDY_SERVICE_NOT_READY');
    assert.match(
      message,
      /not ready after 2 s: nothing listens on 127\.0\.0\.1:\d+\nstill loading/,
    );
    return true;
  });
  for (const name of ['first', 'api']) {
    const pidFile = path.join(work, name);
    assert.ok(!existsSync(pidFile) || !isProcessAlive(Number(readFileSync(pidFile, 'utf8'))));
  }
});

test('reports a log once, and stops services even if a log cannot be written', async t => {
  const { start, logs } = await prepareStart(t);
  const more = { ready: { log: 'ready' } };
  const names = ['first', 'second', 'third'];
  const code = `console.log('ready'); ${FOR_EVER}`;
  const { pids, stop } = await start(names.map(name => nodeService(code, more, name)));
  mkdirSync(path.join(logs, 'second.log'));
  await Promise.all([stop(), stop()]);
  for (const pid of pids.values()) assert.ok(!isProcessAlive(pid), `${pid}`);
  for (const name of ['first', 'third'])
    assert.equal(readFileSync(path.join(logs, `${name}.log`), 'utf8'), 'ready\n');
});

test('reports a service that ends while it starts with the end of its log', async t => {
  const { start } = await prepareStart(t, ['api']);
  const ready = { port: '{{ $env.STUDY_PORT }}' };
  await assert.rejects(
    start([nodeService("console.error('no such table'); process.exit(3)", { ready })]),
    { code: 'STUDY_SERVICE_ENDED', message: /api exited .*\(exit code 3\)\nno such table/ },
  );
  // One that makes itself a daemon is found, whoever its parent is by now.
  const daemon = `const { spawn } = require('child_process');
    const child = spawn(process.execPath, ['-e', '${FOR_EVER}'], { detached: true, stdio: 'ignore' });
    console.log('daemon', child.pid); child.unref();`;
  const error = await start([nodeService(daemon, { ready })]).catch(error => error);
  assert.equal(error.code, 'STUDY_SERVICE_ENDED');
  assert.match(error.hint, /foreground/);
  assert.ok(!isProcessAlive(Number(/daemon (\d+)/.exec(error.message)?.[1])));
});

test('a service that dies in the middle is reported once, and one that is stopped is not', async t => {
  const { start } = await prepareStart(t);
  const code = `console.log('ready'); process.on('SIGUSR2', () => { console.log('out of memory'); process.exit(9); }); ${FOR_EVER}`;
  const ready = { log: 'ready' };
  const running = await start([
    nodeService(code, { ready }),
    nodeService(code, { ready }, 'other'),
  ]);
  let early = null;
  void running.failure.then(error => {
    early = error;
  });
  await sleep(100);
  assert.equal(early, null);
  process.kill(Number(running.pids.get('other')), 'SIGUSR2');
  const error = await running.failure;
  assert.equal(error.code, 'STUDY_SERVICE_DIED');
  assert.match(error.message, /other exited .*\(exit code 9\)\nready\nout of memory$/);
  await running.stop();

  const stopped = await start([nodeService(code, { ready })]);
  await stopped.stop();
  const told = await Promise.race([stopped.failure, sleep(100, 'silent')]);
  assert.equal(told, 'silent');
});

test('what a leader leaves behind is ended with it', async t => {
  const { start } = await prepareStart(t);
  const child = `spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); ${FOR_EVER}"])`;
  const code = `const { spawn } = require('child_process'); ${child}; ${child}; console.log('ready'); ${FOR_EVER}`;
  const { pids, stop } = await start([nodeService(code, { ready: { log: 'ready' } })]);
  const listLeft = watchFamilies(pids.values());
  assert.equal(listLeft().length, 3);
  await stop();
  assert.deepEqual(listLeft(), []);
});

test('a missing program is named with its service', async t => {
  const { start } = await prepareStart(t);
  const missing = {
    code: 'STUDY_PROGRAM_MISSING',
    message: /^a program that the service cache needs was not found\n.*no-such-server: not found/,
    hint: /scripts\/install-study-servers\.sh/,
  };
  await assert.rejects(
    start([makeService('cache', { command: 'no-such-server', ready: { log: 'never' } })]),
    missing,
  );
});

test('the program of a shell gets the stop signal, and time to end by itself', async t => {
  const { start, work } = await prepareStart(t);
  const code = `process.on('SIGINT', () => setTimeout(() => { require('fs').writeFileSync(process.env.STUDY_WORK + '/ended', ''); process.exit(); }, 300)); console.log('ready'); ${FOR_EVER}`;
  const command = `true; ${nodeCommand(code).replace('exec ', '')}; false`;
  const service = makeService('api', { command, ready: { log: 'ready' }, stopSignal: 'SIGINT' });
  const { pids, stop } = await start([service]);
  assert.equal(readCommandLine(pids.get('api') ?? 0)?.[0], process.execPath);
  await stop();
  assert.ok(existsSync(path.join(work, 'ended')));
});

test('an interrupt ends the start and what was started', async t => {
  const { start, progress, work } = await prepareStart(t);
  const stop = new AbortController();
  const code = `require('fs').writeFileSync(process.env.STUDY_WORK + '/pid', String(process.pid)); console.log('here'); ${FOR_EVER}`;
  const starting = start(
    [
      nodeService(code, { ready: { log: 'here' } }, 'first'),
      nodeService(FOR_EVER, { ready: { log: 'never' } }),
    ],
    stop.signal,
  );
  starting.catch(() => {});
  await waitUntil(() => progress.includes('api: starting'), 'the second service');
  stop.abort();
  await assert.rejects(starting, { code: 'INTERRUPTED' });
  assert.ok(!isProcessAlive(Number(readFileSync(path.join(work, 'pid'), 'utf8'))));
});

test('processes of a dead service have ended when its death is reported', async t => {
  const { work, start } = await prepareStart(t);
  const script = 'sleep 60 & echo $! > "$STUDY_WORK/left"; echo ready; sleep 0.3; exit 3';
  const service = makeService('api', {
    command: script,
    ready: { log: '^ready$' },
  });
  const { failure } = await start([service]);
  assert.equal((await failure).code, 'STUDY_SERVICE_DIED');
  const left = Number(readFileSync(path.join(work, 'left'), 'utf8'));
  assert.ok(left > 0 && !isProcessAlive(left));
});
