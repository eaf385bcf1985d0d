import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import { startResourceRecorder } from '../../../lib/record/resources/recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const linux = { skip: process.platform === 'linux' ? false : 'needs /proc' };
const noGroups = { groups: [], helpers: () => [] };

test(
  'CPU time of a busy process grows as its wall time does, and its last sample stays',
  linux,
  async t => {
    const files = createRunFolder(makeTempFolder(t), 'resources');
    const busy = startChild('sh', ['-c', 'while :; do :; done']);
    t.after(() => busy.stop());
    const roles = () => [
      { pid: busy.pid, role: 'worker' },
      { pid: process.pid, role: 'loadflame' },
    ];
    const recorder = startResourceRecorder({ ...noGroups, roles, files, intervalMs: 100 });
    await sleep(1000);
    recorder.sampleNow();
    await busy.stop();
    await sleep(150);
    recorder.stop();
    recorder.stop();

    const { records, torn } = await readNdjson(files.processes);
    assert.equal(torn, 0);
    const worker = records.filter(({ role }) => role === 'worker');
    const first = worker[0];
    const last = worker.at(-1);
    const share = (last?.cpuMs - first?.cpuMs) / (Number(last?.t) - Number(first?.t));
    // Other work on the machine takes from it, nothing can add to it (but for the tick of 10 ms).
    assert.ok(share > 0.2 && share < 1.1, `share of a core ${share}`);
    const lines = records.filter(({ kind }) => kind === 'threads');
    const [[, before], [, after]] = [lines[0], lines.at(-1)].map(line => line?.threads[0]);
    const counted = Number(lines.at(-1)?.t) - Number(lines[0]?.t);
    const same = last?.cpuMs - first?.cpuMs;
    assert.ok(lines.every(({ pid }) => pid === busy.pid));
    // It runs in each interval, whether or not anything takes the core from it in between.
    const least = Math.max(5, worker.length - 2);
    assert.ok(lines.length >= least, `${lines.length} lines of threads, ${least} expected`);
    assert.ok(Math.abs(after - before - same) < 150, `${after - before} of ${counted} ms, ${same}`);
    assert.ok(last?.rssBytes > 100_000 && last?.threads === 1 && last?.startTicks > 0);
    const own = records.filter(({ role }) => role === 'loadflame');
    assert.ok(own.length >= 8 && own.length > worker.length, `${own.length} samples of our own`);
    assert.ok(Number(own.at(-1)?.t) > Number(last?.t));
  },
);

test('the machine is sampled beside the processes', linux, async t => {
  const files = createRunFolder(makeTempFolder(t), 'resources');
  const recorder = startResourceRecorder({ ...noGroups, roles: () => [], files, intervalMs: 50 });
  await sleep(300);
  recorder.stop();
  const hosts = (await readNdjson(files.processes)).records.filter(({ kind }) => kind === 'host');
  const [first, last] = [hosts[0], hosts.at(-1)];
  assert.ok(hosts.length >= 3);
  assert.ok(last?.totalMs > first?.totalMs);
  assert.ok(last?.busyMs - first?.busyMs <= last?.totalMs - first?.totalMs);
  const perCpuMs = (last?.totalMs - first?.totalMs) / first?.cpus;
  assert.ok(
    Math.abs(perCpuMs - (Number(last?.t) - Number(first?.t))) < 150,
    `${perCpuMs} ms per CPU`,
  );
});
