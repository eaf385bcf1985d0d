import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entryOf } from '../../../lib/base/files/maps.js';
import { joinCompanion } from '../../../lib/cli/commands/companion.js';
import { createSecondRecorder } from '../../../lib/load/metrics/second-recorder.js';
import { waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { endWithFile, makeTempFolder } from '../../helpers/temp-folder.js';
import { OURS, startApp, timingOf } from '../../helpers/wsgi.js';
import { declareAllCpu } from './declare-workers.js';

const untilEnd = endWithFile();
/** Those that several tests only send requests to. @type {Map<string, ReturnType<typeof startApp>>} */
const started = new Map();
/** @param {string[]} args @param {Parameters<typeof startApp>[1]} [options] */
const startShared = (args, options = { workers: 1 }) =>
  entryOf(started, JSON.stringify([args, options]), () => startApp(untilEnd, { args, ...options }));
const GTHREAD = ['-k', 'gthread', '--threads', '4'];

for (const args of [[], GTHREAD]) {
  const kind = args[1] ?? 'sync';
  test(`responses of ${kind} workers report total time, thread CPU and worker`, async () => {
    const { url, masterPid } = await startShared(args);
    const burnt = await timingOf(`${url}/burn/30`);
    assert.match(burnt.timing, OURS);
    assert.ok(burnt.cpuMs >= 30 && burnt.cpuMs < 45, `${burnt.cpuMs} ms of CPU`);
    assert.ok(burnt.totalMs >= burnt.cpuMs - 0.5, `${burnt.totalMs} ms`);
    assert.equal(burnt.pid, burnt.response.headers.get('x-pid'));
    const slept = await timingOf(`${url}/sleep`);
    assert.ok(slept.totalMs >= 50 && slept.cpuMs < 20, `${slept.totalMs}, ${slept.cpuMs}`);
    assert.equal(slept.instance, burnt.instance);
    assert.notEqual(burnt.pid, String(masterPid));
  });
}

test('reports the CPU of threads of C code that end during a request, if it is alone', async t => {
  const { url } = await startApp(t, { workers: 1, args: GTHREAD });
  const endedOf = (/** @type {string} */ timing) => {
    const [, ended] = /ended;dur=([\d.]+)/.exec(timing) ?? [];
    return ended === undefined ? null : Number(ended);
  };
  const native = await timingOf(`${url}/native`);
  const others = Number(native.response.headers.get('x-others'));
  const ended = endedOf(native.timing) ?? Number.NaN;
  assert.ok(others > 5 && Math.abs(ended - others) < 0.1 * others + 1, `${ended} of ${others} ms`);
  const own = Number(native.response.headers.get('x-own'));
  assert.ok(native.cpuMs < own + others / 2, `${native.cpuMs} of ${own} ms of its own`);
  await timingOf(`${url}/beside`);
  const beside = endedOf((await timingOf(`${url}/burn/30`)).timing) ?? Number.NaN;
  assert.ok(beside < 2, `${beside} ms, though a thread that lives on works`);
  const both = await Promise.all([timingOf(`${url}/both`), timingOf(`${url}/both`)]);
  assert.deepEqual(
    both.map(({ timing }) => endedOf(timing)),
    [null, null],
  );
  const crowd = Array.from({ length: 200 }, () => timingOf(`${url}/burn/0`));
  await Promise.all(crowd);
  // A response may arrive before its request is over: the next one is then not alone.
  const later = [];
  for (let times = 0; times < 5; times++)
    later.push(endedOf((await timingOf(`${url}/native`)).timing) ?? 0);
  assert.ok(Math.max(...later) > 5, `none is left behind: ${later}`);
});

declareAllCpu('gthread');

test('measures each request of a gevent worker separately, however they interleave', async t => {
  const { url } = await startApp(t, { workers: 1, args: ['-k', 'gevent'] });
  const [naps, burnt] = await Promise.all([timingOf(`${url}/naps`), timingOf(`${url}/burn/40`)]);
  assert.ok(burnt.cpuMs >= 40 && burnt.cpuMs < 60, `${burnt.cpuMs} ms`);
  assert.ok(naps.totalMs > 50 && naps.cpuMs < 25, `${naps.cpuMs} of ${naps.totalMs} ms`);
});

test('every kind of response arrives unchanged', async () => {
  const { url } = await startShared([]);
  assert.equal((await timingOf(`${url}/own`)).timing.split(', ')[0], 'db;dur=5');
  assert.match((await timingOf(`${url}/own`)).timing.slice('db;dur=5, '.length), OURS);
  const stream = await timingOf(`${url}/stream`);
  assert.equal(stream.body, 'part0 part1 part2 part3 ');
  assert.equal((await timingOf(`${url}/closed`)).body, '/stream', 'the body was closed');
  assert.equal((await timingOf(`${url}/file`)).body, 'file');
  const late = await timingOf(`${url}/late`);
  assert.deepEqual([late.response.status, late.body], [503, 'sorry']);
  assert.equal((await timingOf(`${url}/boom`)).response.status, 500);
});

const statements = makeTempFolder(untilEnd);
for (const [at, when] of [
  ['/', 'in teardown_request'],
  ['/closing', 'after the body, as Django in request_finished'],
])
  test(`all statements that Flask executes ${when} are reported, of the last requests, too`, async () => {
    const file = path.join(statements, 'statements');
    const env = { LOADFLAME: '1', STATEMENTS: file };
    const { url } = await startShared([], { app: 'teardown_app:app', env });
    /** @type {Record<string, number>} responses by worker */
    const workers = {};
    let told = 0;
    const recorder = createSecondRecorder(({ endpoints }) => {
      told += endpoints?.[at ?? '']?.server?.sums?.['db.queriesPerRequest'] ?? 0;
    });
    writeFileSync(file, '');
    for (
      let n = 0;
      n < 5 || Object.keys(workers).length < 2 || Math.min(...Object.values(workers)) < 2;
      n++
    ) {
      const { response, body, timing, pid = '' } = await timingOf(url + at);
      assert.deepEqual([response.status, body], [200, 'ok']);
      workers[pid] = (workers[pid] ?? 0) + 1;
      const readCalls = () => response.headers.get('loadflame-calls');
      const read = { setCookies: null, readCookie: () => '', readRoute: null, readCalls };
      recorder.noteServer(recorder.endpoint(`${at}`), { ...read, timing, status: 200 });
    }
    recorder.flush({ all: true });
    const countExecuted = () => readFileSync(file, 'utf8').trim().split('\n').length;
    // The last ones may come after the response has arrived.
    await waitUntil(() => countExecuted() >= told, 'the last statements');
    assert.equal(told, countExecuted());
    assert.equal((await timingOf(`${url}/written`)).body, 'written', 'write() begins the response');
  });

test('without LOADFLAME=1 nothing is added', async t => {
  const { url } = await startApp(t, { workers: 1, env: { LOADFLAME: '' } });
  assert.equal((await timingOf(`${url}/burn/1`)).timing, '');
});

for (const place of ['first', 'last']) {
  test(`an import as the ${place} line of a configuration leaves its hooks alone`, async t => {
    const folder = makeTempFolder(t);
    writeFileSync(path.join(folder, 'loadflame_companion.py'), joinCompanion());
    const own = ['when_ready(server)', 'post_fork(server, worker)', 'post_worker_init(worker)']
      .map(
        hook =>
          `def ${hook}:\n    open(${JSON.stringify(folder)} + "/" + "${hook.split('(')[0]}", "w")`,
      )
      .join('\n');
    const lines = ['from loadflame_companion import *', own];
    if (place === 'last') lines.reverse();
    const config = path.join(folder, 'gunicorn.conf.py');
    const find = `import sys\nsys.path.insert(0, ${JSON.stringify(folder)})\n`;
    writeFileSync(config, `${find}${lines.join('\n')}\n`);
    const { url } = await startApp(t, { workers: 1, config });
    assert.match((await timingOf(`${url}/burn/1`)).timing, OURS);
    const ran = readdirSync(folder).filter(name => !name.includes('.') && !name.startsWith('__'));
    assert.deepEqual(ran.sort(), ['post_fork', 'post_worker_init', 'when_ready']);
  });
}

test('workers of a preloaded app, and those after a reload, have it once', async t => {
  const { url, child } = await startApp(t, { args: ['--preload'] });
  const before = await timingOf(`${url}/burn/1`);
  assert.match(before.timing, OURS);
  child.signal('SIGHUP');
  await waitUntil(async () => {
    const { pid, timing } = await timingOf(`${url}/burn/1`);
    assert.match(timing, OURS);
    return pid !== before.pid;
  }, 'a new worker');
});

test('an error inside it reaches no client', async t => {
  const folder = makeTempFolder(t);
  const broken = joinCompanion()
    .replace(
      'def name_route(method, target):',
      'def name_route(method, target):\n    raise KeyError',
    )
    .replace(
      'def add_timing(headers, value):',
      'def add_timing(headers, value):\n    raise KeyError',
    );
  const config = path.join(folder, 'loadflame_companion.py');
  writeFileSync(config, broken);
  const { url } = await startApp(t, { workers: 1, config });
  const { body, response, timing } = await timingOf(`${url}/burn/1`);
  assert.deepEqual([body, response.status, timing], ['ok', 200, '']);
});
