import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startPodProfiler } from '../../../lib/record/profiler/pod-recorder.js';
import {
  findListedServer,
  LIST_PROCESSES,
  listListedWorkers,
  readProcessList,
} from '../../../lib/record/target/process-list.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { keepBusy, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { readSegment } from '../../helpers/recording.js';
import { startHere } from '../../helpers/start-here.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { PodServer } from '../../../lib/record/profiler/pod-recorder.js' */

/** @returns {Promise<import('../../../lib/record/target/process-list.js').ListedProcess[]>} */
async function list() {
  let text = '';
  const onOutput = (/** @type {Buffer} */ bytes) => {
    text += bytes.toString();
  };
  await (await startHere(['sh', '-c', LIST_PROCESSES], { onOutput, onError: () => {} })).ended;
  return readProcessList(text);
}

test('servers of two pods are recorded at the same time; one that goes keeps what there is', async t => {
  const pods = [await startGunicorn(t), await startGunicorn(t, { workers: 1 })];
  for (const { url } of pods) keepBusy(t, url, 2, 300);
  const pySpy = await findPySpy();
  const files = createRunFolder(makeTempFolder(t), 'profile');
  const all = await list();
  const servers = pods.map(({ masterPid }, index) => {
    const own = all.filter(({ pid, ppid }) => pid === masterPid || ppid === masterPid);
    const server = findListedServer(own);
    assert.equal(server?.masterPid, masterPid);
    assert.equal(listListedWorkers(own, masterPid).length, 2 - index);
    const mode = /** @type {const} */ ('nonblocking');
    return /** @type {PodServer} */ ({
      pod: `api-${index}`,
      start: startHere,
      pySpy,
      mode,
      ...server,
      python: null,
    });
  });
  const redact = (/** @type {string} */ text) => text.replaceAll('gunicorn', 'G');
  const options = { pods: servers, files, redact, rateHz: 50, segmentMs: 1000 };
  const profiler = await startPodProfiler(options);
  const read = async (/** @type {string} */ kind) =>
    (await readNdjson(files.segments)).records.filter(record => record.kind === kind);
  await waitUntil(() => profiler.stats().segments >= 4, 'two segments of each');
  await profiler.roll();
  const rolled = profiler.stats().segments;
  process.kill(pods[1]?.masterPid ?? 0, 'SIGTERM');
  await waitUntil(async () => (await read('worker-end')).length === 1, 'its end');
  await sleep(2500);
  assert.deepEqual(await profiler.stop(), { reason: 'stopped' });

  assert.ok(profiler.stats().segments > rolled + 2, 'the other goes on');
  const segments = await read('segment');
  const pids = segments.map(segment => {
    const text = readSegment(files, segment);
    assert.ok(
      !/py-spy>|bin\/gunicorn/.test(text),
      'its words are elsewhere, and command lines are redacted',
    );
    const found = new Set([...text.matchAll(/process (\d+):"/g)].map(([, pid]) => Number(pid)));
    return [...found].sort((a, b) => a - b);
  });
  const workersOf = async (/** @type {string} */ pod) =>
    (await read('worker-start')).flatMap(({ pid, name }) => (name.startsWith(pod) ? pid : []));
  for (const [index, pod] of ['api-0', 'api-1'].entries()) {
    const workers = await workersOf(pod);
    assert.equal(workers.length, 2 - index);
    for (const pid of workers) assert.equal(Math.floor(pid / 1e7), index + 1);
    const own = pids.filter(seen => workers.some(pid => seen.includes(pid)));
    assert.ok(own.length >= 2, `${pod} is in ${own.length} segments`);
    for (const seen of own) assert.ok(seen.every(pid => pid === 1e7 || workers.includes(pid)));
  }
  const { records: processes } = await readNdjson(files.processes);
  const roles = new Set(processes.map(({ role, pid }) => `${role} ${pid === 1e7}`));
  assert.deepEqual([...roles].sort(), ['master true', 'worker false']);
  const [recording] = await read('recording-start');
  assert.deepEqual(recording?.pods, ['api-0', 'api-1']);
  const { records: events } = await readNdjson(files.events);
  assert.deepEqual(
    events.map(({ kind, message }) => `${kind}: ${message}`),
    ['target-gone: api-1: the pod, or its server, is gone'],
  );
  // Nothing goes on behind our back: neither py-spy nor what looks each second.
  const left = () =>
    list().then(found => found.filter(({ argv }) => argv.includes(`${pods[0]?.masterPid}`)));
  await waitUntil(async () => (await left()).length === 0, 'the end of py-spy');
});

test('a list of processes is read whatever a command line holds, and the server is found in it', () => {
  const stat = (/** @type {number} */ pid, /** @type {number} */ ppid, name = 'x', state = 'S') =>
    `==> /proc/${pid}/stat <==\n${pid} (${name}) ${state} ${ppid} 1 1 0 -1 0 0 0 0 0 7 3 0 0 20 0 1 0 99 0 10 0\n\n`;
  const command = (/** @type {number} */ pid, /** @type {string[]} */ ...argv) =>
    `==> /proc/${pid}/cmdline <==\n${argv.map(word => `${word}\0`).join('')}\n`;
  const gunicorn = ['/opt/bin/python3', '/opt/bin/gunicorn', 'app:app'];
  const text = [
    stat(1, 0, 'sh -c (1) S'),
    stat(7, 1),
    stat(8, 7),
    stat(9, 7, 'gone', 'Z'),
    stat(20, 0),
    stat(30, 1),
    command(1, 'sh', '-c', 'a\nb ==> /proc/5/stat'),
    command(7, ...gunicorn),
    command(8, ...gunicorn),
    command(9, ...gunicorn),
    command(20, 'tail', '-n', '+1'),
    command(30, 'python3', '-m', 'celery', '-A', 'app', 'worker'),
  ].join('');
  const found = readProcessList(text);
  assert.deepEqual(
    found.map(({ pid, ppid, cpuMs }) => [pid, ppid, cpuMs]),
    [1, 7, 8, 20, 30].map(pid => [pid, { 7: 1, 8: 7, 30: 1 }[pid] ?? 0, 100]),
  );
  const { rootPid, masterPid, kind } = findListedServer(found) ?? {};
  assert.deepEqual([rootPid, masterPid, kind], [7, 7, 'gunicorn']);
  const alone = found.map(one => (one.pid === 7 ? { ...one, argv: ['python3', 'serve.py'] } : one));
  assert.equal(findListedServer(alone.filter(({ pid }) => pid !== 8))?.masterPid, null);
  assert.equal(findListedServer(found.filter(({ pid }) => pid === 1 || pid === 30)), null);
});
