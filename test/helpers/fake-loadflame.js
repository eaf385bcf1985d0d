/** A process that looks like a recording of ours: what a manifest can name. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readStartTicks } from '../../lib/base/process/process-table.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} [args]
 */
export async function startFakeLoadflame(t, args = ['loadflame', 'profile']) {
  const code = "console.log('here'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', code, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  await once(child.stdout, 'data');
  const pid = Number(child.pid);
  return { pid, pidStartTicks: readStartTicks(pid) };
}
