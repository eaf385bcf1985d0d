import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sumCpu } from '../../../lib/analysis/profile/cpu-use.js';
import { measureProcesses, withUnseen } from '../../../lib/analysis/read/cpu.js';
import { startChild } from '../../../lib/base/process/child.js';
import {
  isProcessAlive,
  listProcesses,
  readStat,
} from '../../../lib/base/process/process-table.js';
import { startResourceRecorder } from '../../../lib/record/resources/recorder.js';
import { createGroupWatch } from '../../../lib/record/resources/watch-groups.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder, WORKER_CHILDREN } from '../../../lib/run/run-folder.js';
import { findFreePort, PYTHON, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const linux = { skip: process.platform === 'linux' ? false : 'needs /proc' };
/** @type {{recorded: number[], ours: number[]}} */
const NOBODY = { recorded: [], ours: [] };

/**
 * A program that is ended with the test.
 * @param {import('node:test').TestContext} t @param {string} program @param {string[]} args
 */
function start(t, program, args) {
  const child = startChild(program, args, { stdout: 'ignore', stderr: 'ignore' });
  t.after(() => child.stop({ graceMs: 500 }));
  return child;
}

/** A server with a pid file and no children. @param {import('node:test').TestContext} t @param {number} [given] port */
async function startServer(t, given) {
  const folder = makeTempFolder(t);
  const port = given ?? (await findFreePort());
  const args = ['-m', 'http.server', '--bind', '127.0.0.1', '--directory', folder, `${port}`];
  const child = start(t, PYTHON, args);
  await waitUntil(() => readListening(port, child.pid), 'the server');
  const pidFile = path.join(folder, 'pid');
  writeFileSync(pidFile, `${child.pid}\n`);
  return { pid: child.pid, port, pidFile, child };
}

/** @param {number} port @param {number} pid */
function readListening(port, pid) {
  const watch = createGroupWatch([{ name: 'a', selector: { port }, members: 'all' }]);
  return pidsOf(watch, 'a').includes(pid);
}

/** @param {ReturnType<typeof createGroupWatch>} watch @param {string} name */
function pidsOf(watch, name, others = NOBODY) {
  return watch
    .sample(others)
    .processes.filter(({ role }) => role === name)
    .map(({ stat }) => stat.pid);
}

test(
  'a process is found by pid, pid file, port and command line, and is one process each time',
  linux,
  async t => {
    const { pid, port, pidFile } = await startServer(t);
    for (const selector of [
      { pid },
      { pidFile },
      { port },
      { commandLine: `http\\.server .* ${port}` },
    ]) {
      const watch = createGroupWatch([{ name: 'server', selector, members: 'all' }]);
      assert.deepEqual(pidsOf(watch, 'server'), [pid], JSON.stringify(selector));
    }
  },
);

test('one that has gone is missed, and the next one at its port is found', linux, async t => {
  const { pid, port, child } = await startServer(t);
  const watch = createGroupWatch([{ name: 'server', selector: { port }, members: 'all' }]);
  assert.deepEqual(pidsOf(watch, 'server'), [pid]);
  await child.stop();
  assert.deepEqual(pidsOf(watch, 'server'), []);
  const next = await startServer(t, port);
  const found = await waitUntil(() => pidsOf(watch, 'server')[0], 'it in the group');
  assert.equal(found, next.pid);
});

test('members are all, those below the main process, or the main process alone', linux, async t => {
  const { masterPid } = await startGunicorn(t, { workers: 2 });
  const watch = createGroupWatch([
    { name: 'main', selector: { pid: masterPid }, members: 'main' },
    { name: 'children', selector: { pid: masterPid }, members: 'children' },
    { name: 'late', selector: { pid: masterPid }, members: 'all' },
  ]);
  assert.deepEqual(pidsOf(watch, 'main'), [masterPid]);
  const workers = pidsOf(watch, 'children');
  assert.ok(workers.length >= 2 && !workers.includes(masterPid));
  // All of it is in a group already.
  assert.deepEqual(pidsOf(watch, 'late'), []);
  const all = createGroupWatch([{ name: 'all', selector: { pid: masterPid }, members: 'all' }]);
  assert.deepEqual(pidsOf(all, 'all').sort(), [masterPid, ...workers].sort());
  // Gunicorn's own roles come before any group.
  const others = { recorded: [masterPid, ...workers], ours: [] };
  assert.deepEqual(pidsOf(all, 'all', others), []);
});

test('ourselves, those above us and what we run to measure are in no group', linux, async t => {
  const mark = `loadflame-mark-${process.pid}`;
  // The helper has a child, and what is measured is below us, too.
  const helper = start(t, 'sh', ['-c', 'sleep 60; :', mark, 'helper']);
  const target = start(t, 'sh', ['-c', 'sleep 60; :', mark, 'target']);
  const hasChild = (/** @type {number} */ pid) => listProcesses().some(({ ppid }) => ppid === pid);
  await waitUntil(() => hasChild(helper.pid) && hasChild(target.pid), 'the children');
  const node = path.basename(process.execPath);
  const watch = createGroupWatch([
    { name: 'marked', selector: { commandLine: mark }, members: 'all' },
    { name: 'node', selector: { commandLine: `(^|/)${node} ` }, members: 'main' },
  ]);
  const { processes } = watch.sample({ recorded: [], ours: [helper.pid] });
  const marked = processes.filter(({ role }) => role === 'marked').map(({ stat }) => stat);
  assert.ok(marked.some(({ pid }) => pid === target.pid));
  assert.ok(marked.every(({ pid, ppid }) => pid === target.pid || ppid === target.pid));
  const nodes = processes.filter(({ role }) => role === 'node').map(({ stat }) => stat.pid);
  assert.ok(!nodes.includes(process.pid) && !nodes.includes(process.ppid));
});

test('children that come and go between two samples lose no CPU time', linux, async t => {
  const files = createRunFolder(makeTempFolder(t), 'resources');
  // Each child lives for about 60 ms; samples are 250 ms apart.
  const burn = `${PYTHON} -S -c "import time\nwhile time.process_time() < 0.06: pass"`;
  const parent = start(t, 'sh', ['-c', `while :; do ${burn}; done`]);
  await waitUntil(() => (readStat(parent.pid)?.childCpuMs ?? 0) > 0, 'the first child');
  const atStart = readStat(parent.pid);
  const recorder = startResourceRecorder({
    roles: () => [],
    groups: [{ name: 'shell', selector: { pid: parent.pid }, members: 'all' }],
    helpers: () => [],
    files,
    intervalMs: 250,
  });
  await sleep(2500);
  recorder.sampleNow();
  const atEnd = readStat(parent.pid);
  recorder.stop();
  const { records } = await readNdjson(files.processes);
  const first = Number(records[0]?.t);
  const samples = records.filter(({ kind, pid }) => kind === 'sample' && pid === parent.pid);
  const groups = records.filter(({ kind }) => kind === 'group').slice(0, -1);
  assert.equal(groups[0]?.unseenCpuMs, 0);
  const children = records.filter(
    ({ kind, pid, t: at }) => kind === 'sample' && pid !== parent.pid && at > first,
  );
  const own = Number(samples.at(-1)?.cpuMs) - Number(samples[0]?.cpuMs);
  const unseen = Number(groups.at(-1)?.unseenCpuMs);
  const seen = [...Map.groupBy(children, ({ pid, startTicks }) => `${pid} ${startTicks}`).values()]
    .map(series => Number(series.at(-1)?.cpuMs))
    .reduce((sum, ms) => sum + ms, 0);
  const told = total(atEnd) - total(atStart);
  const measured = own + unseen + seen;
  // The first child was at work when the recording began, the last one when it ended; ticks are 10 ms.
  assert.ok(Math.abs(measured - told) <= 150, `${measured} ms measured, ${told} ms told`);
  assert.ok(measured > 500 && unseen > measured * 0.5, `${unseen} of ${measured} ms unseen`);
  for (const [at, { unseenCpuMs }] of groups.entries())
    assert.ok(unseenCpuMs >= (groups[at - 1]?.unseenCpuMs ?? 0), 'never falls');
});

test(
  'programs that a recorded worker runs are a group of their own, from the first one on',
  linux,
  async t => {
    const files = createRunFolder(makeTempFolder(t), 'resources');
    const burn = `${PYTHON} -S -c "import time\nwhile time.process_time() < 0.06: pass"`;
    const busy = start(t, 'sh', ['-c', `sleep 1; while :; do ${burn}; done`]);
    const idle = start(t, PYTHON, ['-c', 'import time; time.sleep(60)']);
    const recordUntil = async (/** @type {number[]} */ pids, /** @type {number} */ ms) => {
      const recorder = startResourceRecorder({
        roles: () => pids.map(pid => ({ pid, role: 'worker' })),
        groups: [{ name: WORKER_CHILDREN, selector: { find: () => pids }, members: 'children' }],
        helpers: () => [],
        files,
        intervalMs: 250,
      });
      await sleep(ms);
      recorder.stop();
      const { records } = await readNdjson(files.processes);
      return records;
    };
    const quiet = await recordUntil([idle.pid], 600);
    assert.ok(!quiet.some(({ kind }) => kind === 'group'));
    const records = await recordUntil([busy.pid], 3000);
    const uses = measureProcesses(withUnseen(/** @type {any} */ (records)), [
      { startMs: 0, endMs: Date.now() },
    ]);
    const childMs = sumCpu(uses, WORKER_CHILDREN) ?? 0;
    const trueMs = readStat(busy.pid)?.childCpuMs ?? 0;
    assert.ok(Math.abs(childMs - trueMs) <= 150 && trueMs > 500, `${childMs} ms of ${trueMs}`);
  },
);

test('shared memory is recorded of the target and not of ourselves', linux, async t => {
  const { masterPid } = await startGunicorn(t, { workers: 2, args: ['--threads', '4'] });
  const files = createRunFolder(makeTempFolder(t), 'resources');
  const recorder = startResourceRecorder({
    roles: () => [{ pid: process.pid, role: 'loadflame' }],
    groups: [{ name: 'api', selector: { pid: masterPid }, members: 'all' }],
    helpers: () => [],
    files,
    intervalMs: 60,
  });
  await sleep(700);
  recorder.stop();
  const { records } = await readNdjson(files.processes);
  const samples = records.filter(({ role }) => role === 'api');
  const byPid = Map.groupBy(samples, ({ pid }) => pid);
  assert.ok(byPid.size >= 3);
  for (const series of byPid.values()) {
    const read = series.filter(({ pssBytes }) => pssBytes !== undefined);
    assert.ok(
      read.length >= 1 && read.length <= series.length / 2,
      `${read.length} of ${series.length}`,
    );
    // The master's pages are its workers' too.
    for (const { pssBytes, rssBytes } of read)
      assert.ok(pssBytes > 100_000 && pssBytes < rssBytes, `${pssBytes} of ${rssBytes}`);
  }
  const own = records.find(({ role }) => role === 'loadflame');
  assert.ok(own && !('pssBytes' in own));
});

test('to look at all groups takes a few ms', linux, async t => {
  const { pid, port } = await startServer(t);
  const { masterPid } = await startGunicorn(t, { workers: 2 });
  const watch = createGroupWatch([
    { name: 'server', selector: { port }, members: 'all' },
    { name: 'api', selector: { pid: masterPid }, members: 'all' },
    { name: 'same', selector: { commandLine: 'http\\.server' }, members: 'all' },
    { name: 'none', selector: { commandLine: 'no such program' }, members: 'all' },
  ]);
  for (let n = 0; n < 10; n++) watch.sample(NOBODY);
  const before = process.cpuUsage();
  for (let n = 0; n < 40; n++) watch.sample(NOBODY);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000 / 40;
  t.diagnostic(`${cpuMs.toFixed(1)} ms of CPU for ${listProcesses().length} processes`);
  assert.ok(isProcessAlive(pid));
  // 1.8 ms for 90 processes on a quiet machine; on a full one the same work takes several times as much.
  assert.ok(cpuMs < 20 + listProcesses().length / 20, `${cpuMs} ms`);
});

/** What a process used and was told by its children. @param {ReturnType<typeof readStat>} stat */
function total(stat) {
  return (stat?.cpuMs ?? 0) + (stat?.childCpuMs ?? 0);
}
