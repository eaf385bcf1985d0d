import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../../lib/process/process-table.js';
import { checkPrograms } from '../../../lib/study/services/start-services.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeService, prepareStart, watchFamilies } from './services.js';

const NODE = process.execPath;
const FOR_EVER = 'setInterval(() => {}, 1000);';
const isRoot = process.getuid?.() === 0;

/** @param {string} code @param {Record<string, unknown>} [more] @param {string} [name] */
const nodeService = (code, more = {}, name = 'api') =>
  makeService(name, { command: [NODE, '-e', code], ...more });

test('services start in their order, each when the one before it is ready, and stop in reverse', async t => {
  const { work, start } = await prepareStart(t);
  mkdirSync(work);
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

test('files, prepare, the program and after share the folder, the environment and the log', async t => {
  const { work, names, start } = await prepareStart(t, { api: 2 });
  const say = (/** @type {string} */ word) => [
    NODE,
    '-e',
    `console.log('${word}', process.env.GREETING, process.cwd(), require('fs').readFileSync('conf/a.conf', 'utf8'))`,
  ];
  await start([
    nodeService(`console.log(require('fs').readFileSync('conf/a.conf', 'utf8')); ${FOR_EVER}`, {
      files: { 'conf/a.conf': 'port {{ port.api }}' },
      env: { GREETING: 'in {{ dir }}' },
      prepare: [say('prepare')],
      after: [say('after')],
      ready: { log: 'port \\d+' },
    }),
  ]);
  const dir = path.join(work, 'api');
  const port = `port ${names['port.api']}`;
  assert.equal(
    readFileSync(path.join(work, 'api.log'), 'utf8'),
    `prepare in ${dir} ${dir} ${port}\n${port}\nafter in ${dir} ${dir} ${port}\n`,
  );
});

test('a service sees a path to servers and its own variables, no proxy and no secret of ours', async t => {
  const { work, start } = await prepareStart(t);
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
  const env = JSON.parse(readFileSync(path.join(work, 'api.log'), 'utf8'));
  const usual = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'OWN', 'LOADFLAME_GROUP'];
  assert.deepEqual(
    Object.keys(env).filter(name => !usual.includes(name)),
    [],
  );
  assert.equal(env.OWN, '1');
  assert.ok(env.PATH.split(':').includes('/usr/sbin'));
});

test('each kind of readiness waits for what it names', async t => {
  const { names, start, work } = await prepareStart(t, { a: 1, b: 1 });
  const serve = (/** @type {string} */ port, /** @type {number} */ status) =>
    `setTimeout(() => require('http').createServer((_, answer) => answer.writeHead(${status}).end()).listen(${port}, '127.0.0.1', () => console.log('listening')), 150)`;
  await start([
    nodeService(serve('{{ port.a }}', 200), { ready: { port: '{{ port.a }}' } }, 'port'),
    nodeService(
      serve('{{ port.b }}', 204),
      { ready: { url: 'http://127.0.0.1:{{ port.b }}/', status: 204 } },
      'url',
    ),
    nodeService(
      `setTimeout(() => require('fs').writeFileSync('there', ''), 150); ${FOR_EVER}`,
      { ready: { command: [NODE, '-e', "require('fs').statSync('there')"] } },
      'command',
    ),
    nodeService(FOR_EVER, {}, 'none'),
  ]);
  assert.equal((await fetch(`http://127.0.0.1:${names['port.b']}/`)).status, 204);
  assert.match(readFileSync(path.join(work, 'port.log'), 'utf8'), /listening/);
});

test('a service that is not ready in time is stopped, with those before it, and its log is told', async t => {
  const { start, work } = await prepareStart(t, { api: 1 });
  const code = `require('fs').writeFileSync('pid', String(process.pid)); console.log('still loading'); ${FOR_EVER}`;
  const starting = start([
    nodeService(code, {}, 'first'),
    nodeService(code, { ready: { port: '{{ port.api }}', timeout: '2s' } }),
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
    const pidFile = path.join(work, name, 'pid');
    assert.ok(!existsSync(pidFile) || !isProcessAlive(Number(readFileSync(pidFile, 'utf8'))));
  }
});

test('a log is told once, and one that can not be written keeps no service from being stopped', async t => {
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

test('a service that ends while it starts is told with the end of its log', async t => {
  const { start } = await prepareStart(t, { api: 1 });
  const ready = { port: '{{ port.api }}' };
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

test('a missing program is named with its service and its package before anything is started', async t => {
  const { start, names, logs } = await prepareStart(t);
  const services = [
    nodeService(FOR_EVER),
    makeService('cache', { command: ['no-such-server', '{{ dir }}'], install: 'no-such-package' }),
  ];
  const expected = {
    code: 'STUDY_PROGRAM_MISSING',
    message: 'no-such-server was not found; the service cache needs it',
    hint: /apt-get install no-such-package.*scripts\/install-study-servers\.sh/,
  };
  assert.throws(() => checkPrograms(services, names), expected);
  await assert.rejects(start(services), expected);
  assert.ok(!existsSync(logs));
  const late = makeService('late', { command: ['{{ dir }}/not-there'] });
  await assert.rejects(start([late]), {
    code: 'STUDY_PROGRAM_MISSING',
    hint: /put it on the PATH/,
  });
});

test('a command that fails ends the start with what it said', async t => {
  const { start } = await prepareStart(t);
  const fail = [NODE, '-e', "console.error('disk is full'); process.exit(4)"];
  for (const when of ['prepare', 'after']) {
    await assert.rejects(start([nodeService(FOR_EVER, { [when]: [fail] }, when)]), {
      code: 'STUDY_COMMAND_FAILED',
      message: /the service \w+ failed \(exit code 4\): .*\ndisk is full$/s,
    });
  }
});

test('a file outside of the own folder is refused', async t => {
  const { start, work } = await prepareStart(t);
  for (const file of ['../api.conf', '/tmp/loadflame-api.conf', '.', 'conf/../../x']) {
    await assert.rejects(start([nodeService(FOR_EVER, { files: { [file]: '' } })]), {
      code: 'STUDY_FILE_OUTSIDE',
    });
  }
  assert.ok(!existsSync(path.join(work, 'api.conf')));
});

test('a user that does not exist is refused; one that does owns the folder and closes it', {
  skip: isRoot ? false : 'only root can start a service as somebody else',
}, async t => {
  const { start, work } = await prepareStart(t);
  await assert.rejects(start([nodeService(FOR_EVER, { user: 'no-such-user' })]), {
    code: 'STUDY_USER_UNKNOWN',
  });
  // The Node of this project may lie where nobody else may look: the system's own programs do not.
  const { pids } = await start([
    makeService('guest', { command: ['sleep', '60'], user: 'nobody', files: { 'a/b': 'x' } }),
  ]);
  const stat = statSync(path.join(work, 'guest', 'a', 'b'));
  const { uid } = statSync(path.join(work, 'guest'));
  assert.notEqual(uid, 0);
  assert.equal(stat.uid, uid);
  assert.equal(statSync(path.join(work, 'guest')).mode & 0o777, 0o700);
  const pid = pids.get('guest');
  await waitUntil(
    () => /^sleep/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    'the program in place of setpriv',
  );
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}`, 'm'));
  assert.match(status, /^Groups:\s*$/m);
});

test('a service of another user can put no link in place of a file that its next one gets', {
  skip: isRoot ? false : 'only root can start a service as somebody else',
}, async t => {
  const { start, work } = await prepareStart(t);
  const victim = path.join(work, '..', 'shadow');
  mkdirSync(path.dirname(victim), { recursive: true });
  writeFileSync(victim, 'root');
  const plant = `while ! ln -s ${victim} ../second/last 2>/dev/null; do :; done; sleep 60`;
  const many = Array.from({ length: 400 }, (_, index) => [`f${index}`, '']);
  const second = {
    command: ['sleep', '60'],
    user: 'nobody',
    files: { ...Object.fromEntries(many), last: 'of the service' },
  };
  await start([
    makeService('first', { command: ['sh', '-c', plant], user: 'nobody' }),
    makeService('second', second),
  ]);
  assert.equal(readFileSync(victim, 'utf8'), 'root');
  assert.equal(readFileSync(path.join(work, 'second', 'last'), 'utf8'), 'of the service');
});

test('an interrupt ends the start and what was started', async t => {
  const { start, progress, work } = await prepareStart(t);
  const stop = new AbortController();
  const code = `require('fs').writeFileSync('pid', String(process.pid)); console.log('here'); ${FOR_EVER}`;
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
  assert.ok(!isProcessAlive(Number(readFileSync(path.join(work, 'first', 'pid'), 'utf8'))));
});

test('what a service that dies leaves has ended when its death is told', async t => {
  const { work, start } = await prepareStart(t);
  const script = 'sleep 60 & echo $! > left; echo ready; sleep 0.3; exit 3';
  const service = makeService('api', {
    command: ['sh', '-c', script],
    ready: { log: '^ready$' },
  });
  const { failure } = await start([service]);
  assert.equal((await failure).code, 'STUDY_SERVICE_DIED');
  const left = Number(readFileSync(path.join(work, 'api', 'left'), 'utf8'));
  assert.ok(left > 0 && !isProcessAlive(left));
});
