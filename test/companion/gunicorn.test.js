import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stackOf } from '../../lib/profile/node-table.js';
import { keepBusy, startGunicorn, waitUntil } from '../helpers/gunicorn.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { test } from '../helpers/quiet.js';
import { readSegment, startRecording } from '../helpers/recording.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');
const OURS =
  /^total;dur=(\d+\.\d{3}), cpu;dur=(\d+\.\d{3}), worker;desc="([0-9a-f]{8})\.(\d+)", around;dur=(\d+\.\d{3}), now;dur=(\d{13}\.\d), companion;desc="[\d.]+"$/;

/**
 * @param {import('node:test').TestContext} t
 * @param {{workers?: number, args?: string[], env?: Record<string, string>, config?: string}} [options]
 */
function startApp(
  t,
  { workers = 2, args = [], env = { LOADFLAME: '1' }, config = COMPANION } = {},
) {
  const environment = { ...env, PYTHONDONTWRITEBYTECODE: '1' };
  return startGunicorn(t, {
    workers,
    args: ['-c', config, ...args],
    env: environment,
    app: 'companion_app:app',
  });
}

/** @param {string} url */
async function timingOf(url) {
  const response = await fetch(url);
  const body = await response.text();
  const timing = response.headers.get('server-timing') ?? '';
  const [, totalMs, cpuMs, instance, pid, aroundMs] = OURS.exec(timing) ?? [];
  return {
    ...{ response, body, timing, instance, pid },
    ...{ totalMs: Number(totalMs), cpuMs: Number(cpuMs), aroundMs: Number(aroundMs) },
  };
}

for (const args of [[], ['-k', 'gthread', '--threads', '4']]) {
  const kind = args[1] ?? 'sync';
  test(`responses of ${kind} workers report total time, thread CPU and worker`, async t => {
    const { url, masterPid } = await startApp(t, { args });
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

/** CPU time of all threads of a process, as the scheduler counts it. @param {string} pid @returns {number} ms */
const readCpuMs = pid =>
  readdirSync(`/proc/${pid}/task`)
    .map(id => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1e6, 0);

const TIMES = { '/burn/0': 60, '/naps': 5, '/stream': 3 };

for (const kind of ['sync', 'gthread', 'gevent'])
  test(`reports all CPU of ${kind} workers, in requests and around them`, async t => {
    const args = ['-k', kind, '--access-logfile', '/dev/null'];
    const { url } = await startApp(t, { workers: 1, args });
    /** @param {string} at @param {number} times by each of three at once */
    const ask = async (at, times) => {
      const lists = [1, 2, 3].map(async () => {
        const all = [];
        for (let n = 0; n < times; n++) all.push(await timingOf(url + at));
        return all;
      });
      return (await Promise.all(lists)).flat();
    };
    for (const [at, times] of Object.entries(TIMES)) {
      const [first] = await ask(at, 2);
      const before = readCpuMs(first?.pid ?? '');
      const answers = await ask(at, times);
      const spent = readCpuMs(first?.pid ?? '') - before;
      const own = answers.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
      const around = answers.reduce((sum, { aroundMs }) => sum + aroundMs, 0);
      const told = `${at}: ${own.toFixed(1)} and ${around.toFixed(1)} of ${spent.toFixed(1)} ms`;
      t.diagnostic(told);
      assert.ok(own > 0 && around > 0 && Math.abs((own + around) / spent - 1) < 0.1, told);
    }
  });

test('measures each request of a gevent worker separately, however they interleave', async t => {
  const { url } = await startApp(t, { workers: 1, args: ['-k', 'gevent'] });
  const [naps, burnt] = await Promise.all([timingOf(`${url}/naps`), timingOf(`${url}/burn/40`)]);
  assert.ok(burnt.cpuMs >= 40 && burnt.cpuMs < 60, `${burnt.cpuMs} ms`);
  assert.ok(naps.totalMs > 50 && naps.cpuMs < 25, `${naps.cpuMs} of ${naps.totalMs} ms`);
});

test('a gevent worker’s waits are charged to the request that waits, not to the next one', async t => {
  const { url } = await startApp(t, { workers: 1, args: ['-k', 'gevent'] });
  /** CPU of a request to the first path, each before one to the second. @param {string[]} paths */
  const measure = async (...paths) => {
    let sumMs = 0;
    for (let n = 0; n < 20; n++)
      for (const [index, at] of paths.entries()) {
        const { cpuMs, aroundMs } = await timingOf(url + at);
        if (index === 0) sumMs += cpuMs + aroundMs;
      }
    return sumMs / 20;
  };
  await measure('/burn/5', '/waits');
  const aloneMs = await measure('/burn/5', '/burn/0');
  const besideMs = await measure('/burn/5', '/waits');
  const told = `${besideMs.toFixed(2)} ms beside waits, ${aloneMs.toFixed(2)} ms without`;
  t.diagnostic(told);
  // 1.48 times before the hub's time was charged to the waits, 1.03 to 1.31 since. What makes up the rest is not known.
  assert.ok(besideMs < aloneMs * 1.45, told);
});

test('every kind of response arrives unchanged', async t => {
  const { url } = await startApp(t, { workers: 1 });
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

test('without LOADFLAME=1 nothing is added', async t => {
  const { url } = await startApp(t, { env: { LOADFLAME: '' } });
  assert.equal((await timingOf(`${url}/burn/1`)).timing, '');
});

for (const place of ['first', 'last']) {
  test(`an import as the ${place} line of a configuration leaves its hooks alone`, async t => {
    const folder = makeTempFolder(t);
    copyFileSync(COMPANION, path.join(folder, 'loadflame_companion.py'));
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
    const { url } = await startApp(t, { config });
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
  const broken = readFileSync(COMPANION, 'utf8')
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
  const { url } = await startApp(t, { config });
  const { body, response, timing } = await timingOf(`${url}/burn/1`);
  assert.deepEqual([body, response.status, timing], ['ok', 200, '']);
});

test('py-spy sees the route and the half-second of each request, streamed ones too', async t => {
  const { url, masterPid } = await startApp(t, { args: ['-k', 'gthread', '--threads', '2'] });
  const { profiler, files, lines } = await startRecording(t, masterPid, {
    segmentMs: 60_000,
    rateHz: 100,
  });
  const startedMs = Date.now();
  const stop = keepBusy(t, url);
  const streams = (async () => {
    while (Date.now() < startedMs + 1500) await timingOf(`${url}/stream?id=${Date.now()}`);
  })();
  await streams;
  await stop();
  const endedMs = Date.now();
  await profiler.stop();
  const profile = parseRaw(readSegment(files, (await lines('segment'))[0]));
  assert.deepEqual([...profile.routes].sort(), ['GET /burn/:id', 'GET /stream']);
  /** @type {Map<string, number>} */
  const found = new Map();
  let burning = 0;
  for (let row = 0; row < profile.rows.node.length; row++) {
    const node = profile.rows.node[row] ?? -1;
    const names = stackOf(profile, node).map(id => profile.frames[id]?.name ?? '');
    if (!names.includes('burn')) continue;
    const weight = profile.rows.weight[row] ?? 0;
    burning += weight;
    const expected = names.includes('stream') ? 'GET /stream' : 'GET /burn/:id';
    if (profile.routes[profile.rows.route[row] ?? -1] !== expected) continue;
    found.set(expected, (found.get(expected) ?? 0) + weight);
    const atMs = (profile.rows.halfSecond[row] ?? 0) * 500;
    assert.ok(atMs > startedMs - 500 && atMs <= endedMs, `${atMs - startedMs} ms`);
  }
  assert.ok((found.get('GET /stream') ?? 0) > 20 && (found.get('GET /burn/:id') ?? 0) > 20);
  assert.equal(
    [...found.values()].reduce((sum, n) => sum + n, 0),
    burning,
    'none without a route',
  );
  for (const { file } of profile.frames) assert.ok(!file.startsWith('<loadflame'), file);
});
