/**
 * Is py-spy honest on this machine when it pauses a process for each look? On virtual machines a pause often
 * takes effect late, at the next entry into the kernel, and samples pile up there. A loop with a cheap
 * system call, whose share is known by its thread's clock, shows it.
 */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { wilsonInterval } from '../../math/intervals.js';
import { inheritEnvironment } from '../../process/bare-environment.js';
import { makeTempFolder } from '../../process/temp-folder.js';

/** @import { PySpy } from './find-py-spy.js' */

const RATE_HZ = 200;
const LENGTH_SEC = 1;
/** py-spy ends the loop when it is done; it ends by itself should nobody be left to. */
const LOOP = `
import os, time
def pure():
    n = 0
    for i in range(300): n += i * i
def call():
    os.getppid()
def clock(function):
    start = time.thread_time()
    for _ in range(5000): function()
    return time.thread_time() - start
def true_share():
    calls = clock(call)
    return calls / (calls + clock(pure))
print(sorted(true_share() for _ in range(3))[1], flush=True)
end = time.monotonic() + 10
while time.monotonic() < end:
    pure(); call()
`;
/** A share may be told this much too large. */
const TOLERANCE = 0.03;

/**
 * @typedef {object} PausingCheck
 * @property {number} told share of the system call, by samples
 * @property {number} truth the same, by the clock of its thread
 * @property {boolean} isHonest
 */

/**
 * Takes a second.
 * @param {PySpy} pySpy
 * @param {string} python an interpreter
 * @param {{pauses: boolean}} how
 * @returns {Promise<PausingCheck | null>} null where it can't be tried
 */
export async function checkPausing(pySpy, python, { pauses }) {
  const folder = makeTempFolder();
  const file = path.join(folder, 'loop.raw');
  const args = ['record', '--format', 'raw', '--rate', `${RATE_HZ}`, '--duration', `${LENGTH_SEC}`];
  if (!pauses) args.push('--nonblocking');
  try {
    const { execa } = await import('execa');
    const { stdout } = await execa(
      pySpy.path,
      [...args, '--output', file, '--', python, '-I', '-S', '-c', LOOP],
      { stdin: 'ignore', timeout: 15_000, ...inheritEnvironment() },
    );
    const truth = Number(/^0\.\d+$/m.exec(stdout)?.[0]);
    const { calls, all } = countSamples(readFileSync(file, 'utf8'));
    if (!(truth > 0) || all === 0) return null;
    const isHonest = wilsonInterval(calls, all).low <= truth + TOLERANCE;
    return { told: calls / all, truth, isHonest };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the loop alone, without what its clock was read in. @param {string} raw collapsed stacks */
function countSamples(raw) {
  let [calls, all] = [0, 0];
  for (const line of raw.split('\n')) {
    const [, stack = '', count = '0'] = /^(.*) (\d+)$/.exec(line) ?? [];
    if (/(^|;)true_share /.test(stack)) continue;
    all += Number(count);
    if (/(^|;)call /.test(stack)) calls += Number(count);
  }
  return { calls, all };
}
