/**
 * `test` for what looks at exact times and rates. Where such a test fails while other processes take the CPU
 * of the machine, that says nothing: it is tried again. `npm test` runs a file that fails so once more, when
 * nothing else of it runs; if others take the CPU even then, the test is skipped, with that as the reason.
 */
import { readFileSync } from 'node:fs';
import { test as nodeTest } from 'node:test';
import { measureTree } from '../../research/bench/measure-tree.js';

/** Below this share of idle CPU time somebody's work has to wait. */
const LEAST_IDLE = 0.3;
/** From this share of all CPU time on others are the reason. */
const LEAST_OTHERS = 0.2;
const MS_PER_TICK = 10;
const isAlone = process.env.TEST_ALONE === '1';
const TRIES = isAlone ? 4 : 2;

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {(t: TestContext) => void | Promise<void>} TestFunction */

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
        return await tryOnce(t, check);
      } catch (error) {
        const after = readCpuTimes();
        if (!isStarved(before, after)) throw error;
        t.diagnostic(`${describeCpu(before, after)} in try ${tries}: ${error}`);
        if (tries < TRIES) continue;
        if (!isAlone) throw error;
        return t.skip('other processes took the CPU of this machine');
      }
    }
  });
}

/**
 * What the test leaves for its end, servers and clients, ends with the try: the next one must not share
 * the machine with it.
 * @param {TestContext} t @param {TestFunction} check
 */
async function tryOnce(t, check) {
  /** @type {(() => unknown)[]} */
  const hooks = [];
  const own = new Proxy(t, {
    get(_, name) {
      if (name === 'after') return (/** @type {() => unknown} */ hook) => void hooks.push(hook);
      const value = Reflect.get(t, name, t);
      return typeof value === 'function' ? value.bind(t) : value;
    },
  });
  try {
    await check(own);
  } finally {
    for (const hook of hooks) await hook();
  }
}

/**
 * Of all processors since boot, and what this process and those that it started used, in ms.
 * @returns {{idle: number, all: number, ours: number}}
 */
function readCpuTimes() {
  const ours = measureTree(process.pid).cpuMs;
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, ...rest] = line
      .split(/\s+/)
      .slice(1)
      .map(ticks => Number(ticks) * MS_PER_TICK);
    const interrupts = rest.slice(0, 3).reduce((sum, n) => sum + n, 0);
    const spare = idle + waiting;
    return { idle: spare, all: user + nice + system + spare + interrupts, ours };
  } catch {
    return { idle: 1, all: 1, ours };
  }
}

/** @typedef {ReturnType<typeof readCpuTimes>} CpuTimes */

/**
 * Did others take the CPU between two looks? What the test itself used is no excuse.
 * @param {CpuTimes} before @param {CpuTimes} after
 */
export function isStarved(before, after) {
  const { idle, others } = shareOut(before, after);
  return idle < LEAST_IDLE && others >= LEAST_OTHERS;
}

/** @param {CpuTimes} before @param {CpuTimes} after */
function describeCpu(before, after) {
  const { idle, others } = shareOut(before, after);
  const toPercent = (/** @type {number} */ share) => (share * 100).toFixed(0);
  return `${toPercent(idle)} % of the CPU were idle and ${toPercent(others)} % used by other processes`;
}

/** @param {CpuTimes} before @param {CpuTimes} after */
function shareOut(before, after) {
  const all = after.all - before.all;
  // A test of a few ms is shorter than a tick of the clock.
  if (all <= 0) return { idle: 0, others: 1 };
  const idle = (after.idle - before.idle) / all;
  return { idle, others: 1 - idle - (after.ours - before.ours) / all };
}
