/** One round of one tool: a fresh server, a fresh generator, and neither left behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { watchTree } from './measure-tree.js';
import { startGenerator } from './start-generator.js';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * @template {{url: string, stop: () => Promise<void>}} Server
 * @template T
 * @param {object} options
 * @param {import('./bench.d.ts').Tool} options.tool
 * @param {import('./bench.d.ts').Setting} options.setting
 * @param {() => Promise<Server>} options.startServer
 * @param {Omit<import('./bench.d.ts').Job, 'url' | 'dir'>} options.load
 * @param {number} [options.sampleIntervalMs] how often memory is looked at; only when asked if absent
 * @param {(parts: {server: Server, generator: import('./start-generator.js').Generator,
 *   watch: ReturnType<typeof watchTree>, job: import('./bench.d.ts').Job}) => Promise<T>} observe
 * @returns {Promise<T | null>} null when the tool can't do this
 */
export async function withGenerator(options, observe) {
  const { tool, setting, startServer, load, sampleIntervalMs } = options;
  const { dir, cores } = setting;
  const server = await startServer();
  try {
    const job = { ...load, url: server.url, dir };
    const command = tool.command(job);
    if (!command) return null;
    const generator = startGenerator(command, { core: cores.generator, dir });
    const watch = watchTree(generator.pid, sampleIntervalMs);
    try {
      return await observe({ server, generator, watch, job });
    } finally {
      watch.stop();
      await generator.stop();
    }
  } finally {
    await server.stop();
  }
}

/** A tool may ask whether the target is there before it begins: these are no load. */
const MOST_QUESTIONS = 5;

/**
 * @param {import('./start-generator.js').Generator} generator
 * @param {{countRequests: () => Promise<number>}} server
 */
export function waitForLoad(generator, server) {
  return waitUntil(generator, async () => (await server.countRequests()) > MOST_QUESTIONS);
}

/**
 * @param {import('./start-generator.js').Generator} generator
 * @param {() => Promise<boolean>} isTrue
 * @param {number} [timeoutMs]
 * @throws {Error} with the generator's last words, when it ends before that or takes too long
 */
export async function waitUntil(generator, isTrue, timeoutMs = START_TIMEOUT_MS) {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (!generator.isAlive()) throw fail('it ended too early', generator);
    if (performance.now() > deadlineMs) throw fail('it takes too long', generator);
    await sleep(POLL_MS);
  }
}

/**
 * @param {import('./start-generator.js').Generator} generator that ends by itself
 * @param {number} timeoutMs
 * @throws {Error} with its last words, when it does not, or ends with an exit code
 */
export async function waitForEnd(generator, timeoutMs) {
  await Promise.race([generator.ended, sleep(timeoutMs, undefined, { ref: false })]);
  if (generator.isAlive()) throw fail('it does not end', generator);
  const { exitCode } = await generator.ended;
  if (exitCode !== 0) throw fail(`it ended with exit code ${exitCode}`, generator);
}

/**
 * What a count rises by in a window, and what that costs the generator.
 * @param {ReturnType<typeof watchTree>} watch
 * @param {() => Promise<number>} count
 * @param {number} windowSec
 */
export async function measureWindow(watch, count, windowSec) {
  const take = async () => ({
    count: await count(),
    cpuMs: watch.sample().cpuMs,
    atMs: performance.now(),
  });
  const start = await take();
  await sleep(windowSec * 1000);
  const end = await take();
  const [risen, cpuMs] = [end.count - start.count, end.cpuMs - start.cpuMs];
  const lengthMs = end.atMs - start.atMs;
  return {
    perCpuSec: (risen * 1000) / cpuMs,
    perSec: (risen * 1000) / lengthMs,
    cpuShare: cpuMs / lengthMs,
    peakMemoryMb: watch.peakMemoryBytes() / 2 ** 20,
    lengthMs,
  };
}

/** @param {string} problem @param {import('./start-generator.js').Generator} generator */
function fail(problem, generator) {
  return new Error(`${problem}\n${generator.tail()}`);
}
