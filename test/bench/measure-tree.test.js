import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { measureTree } from '../../research/bench/measure-tree.js';
import { test } from '../helpers/quiet.js';

/** @param {number} pid of a stat line @param {number} ppid @param {Partial<import('../../lib/base/process/process-table.js').ProcessStat>} parts */
const stat = (pid, ppid, parts) => ({
  pid,
  ppid,
  pgid: 0,
  state: 'S',
  cpuMs: 0,
  childCpuMs: 0,
  threads: 1,
  startTicks: 0,
  rssBytes: 0,
  ...parts,
});

test('a tree is a process with all that descends from it, and nothing beside', () => {
  const table = [
    stat(1, 0, { cpuMs: 1000 }),
    stat(10, 1, { cpuMs: 1, childCpuMs: 2 }),
    stat(12, 11, { cpuMs: 4 }),
    stat(11, 10, { cpuMs: 8 }),
    stat(13, 1, { cpuMs: 500 }),
  ];
  const { cpuMs, pids } = measureTree(10, table);
  assert.deepEqual([cpuMs, pids], [15, [10, 11, 12]]);
  assert.deepEqual(measureTree(99, table), { cpuMs: 0, memoryBytes: 0, pids: [] });
});

test('CPU time is that of the process and of its children, also of one that has ended', async t => {
  const script = `
    const { spawnSync } = require('node:child_process');
    const used = ({ user, system } = process.cpuUsage()) => (user + system) / 1000;
    const burn = ms => { while (used() < ms); };
    if (process.argv[1] === 'child') burn(300);
    else {
      spawnSync(process.execPath, ['-e', process.env.SCRIPT, 'child'], { stdio: 'inherit' });
      burn(400);
      console.log(used());
      setTimeout(() => {}, 60_000);
    }`;
  const child = spawn(process.execPath, ['-e', script], {
    env: { ...process.env, SCRIPT: script },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const signal = AbortSignal.timeout(20_000);
  const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal });
  const { cpuMs, memoryBytes, pids } = measureTree(child.pid ?? -1);
  const ownMs = Number(line);
  assert.ok(ownMs >= 400);
  // the kernel counts in ticks of 10 ms, and the child needs some to end
  assert.ok(cpuMs >= ownMs + 240, `${cpuMs} ms for ${ownMs} + 300`);
  assert.ok(cpuMs <= ownMs + 300 + 150, `${cpuMs} ms for ${ownMs} + 300`);
  assert.ok(memoryBytes > 20 * 2 ** 20 && memoryBytes < 200 * 2 ** 20);
  assert.deepEqual(pids, [child.pid]);
});
