/**
 * `test` for what looks at exact times and rates. Where such a test fails while the machine has no CPU to
 * spare, that says nothing: it is tried again. `npm test` runs a file that fails so once more, when nothing
 * else of it runs; if other processes take the CPU even then, the test is skipped, with that as the reason.
 */
import { readFileSync } from 'node:fs';
import { test as nodeTest } from 'node:test';

/** Below this share of idle CPU time others keep ours waiting. */
const LEAST_IDLE = 0.3;
const isAlone = process.env.TEST_ALONE === '1';
const TRIES = isAlone ? 4 : 2;

/** @typedef {(t: import('node:test').TestContext) => void | Promise<void>} TestFunction */

/**
 * @param {string} title
 * @param {import('node:test').TestOptions | TestFunction} options or the function
 * @param {TestFunction} [given]
 */
export function test(title, options, given) {
  const check = typeof options === 'function' ? options : given;
  if (!check) throw new TypeError(`the test "${title}" has no function`);
  return nodeTest(title, typeof options === 'function' ? {} : options, async t => {
    for (let tries = 1; ; tries += 1) {
      const before = readCpuTimes();
      try {
        return await check(t);
      } catch (error) {
        const idle = idleShare(before, readCpuTimes());
        if (idle >= LEAST_IDLE) throw error;
        t.diagnostic(`${(idle * 100).toFixed(0)} % of the CPU were idle in try ${tries}: ${error}`);
        if (tries < TRIES) continue;
        if (!isAlone) throw error;
        return t.skip('other processes took the CPU of this machine');
      }
    }
  });
}

/** Of all processors since boot. @returns {{idle: number, all: number}} */
function readCpuTimes() {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...rest] = line
      .split(/\s+/)
      .slice(1)
      .map(Number);
    const interrupts = rest.slice(0, 3).reduce((sum, n) => sum + n, 0);
    const spare = idle + waiting;
    return { idle: spare, all: user + nice + system + spare + interrupts };
  } catch {
    return { idle: 1, all: 1 };
  }
}

/** @param {{idle: number, all: number}} before @param {{idle: number, all: number}} after */
function idleShare(before, after) {
  const all = after.all - before.all;
  // A test of a few ms is shorter than a tick of the clock.
  return all > 0 ? (after.idle - before.idle) / all : 0;
}
