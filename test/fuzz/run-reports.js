/** Commands in a process of their own, each within bounds of time and memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const MOST_CPU_SEC = 20;
const MOST_BYTES = 1e9;
const LOOK_EVERY_MS = 50;
/** Of what the commands before have left: the memory of a command is that of a process of its own. */
const MOST_LEFT_BYTES = 4e8;
/** Of /proc. */
const [TICKS_PER_SEC, PAGE_BYTES] = [100, 4096];

/**
 * @typedef {object} Ended
 * @property {number} [exit]
 * @property {string} stdout
 * @property {string} stderr
 * @property {string | null} outOfBounds what was too much
 * @property {number} cpuSec
 * @property {number} peakBytes
 */

/** Starts the process when it is needed, and another one where that had to be ended. */
/** @param {string} cwd */
export function createRunner(cwd) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  const end = async () => {
    const ending = child;
    child = null;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  return {
    end,
    /** @param {string[]} args @returns {Promise<Ended>} */
    async run(args) {
      if ((look(child?.pid)?.rssBytes ?? 0) > MOST_LEFT_BYTES) await end();
      child ??= fork(path.join(import.meta.dirname, 'reporter.js'), {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        execArgv: [],
        cwd,
        env: { PATH: process.env.PATH },
      });
      const own = child;
      let crash = '';
      const listen = (/** @type {Buffer} */ text) => {
        crash += text;
      };
      own.stderr?.on('data', listen);
      /** @type {any} */
      let answer = null;
      const { promise: answered, resolve } = /** @type {PromiseWithResolvers<void>} */ (
        Promise.withResolvers()
      );
      const onMessage = (/** @type {object} */ message) => {
        answer = message;
        resolve();
      };
      const onExit = (/** @type {unknown} */ died) => {
        answer = { died };
        resolve();
      };
      own.once('message', onMessage).once('exit', onExit);
      const before = look(own.pid);
      let [cpuSec, peakBytes] = [0, 0];
      /** @type {string | null} */
      let outOfBounds = null;
      own.send(args);
      while (!answer && !outOfBounds) {
        await Promise.race([answered, wait(LOOK_EVERY_MS)]);
        const now = look(own.pid);
        if (!now) continue;
        cpuSec = now.cpuSec - (before?.cpuSec ?? 0);
        peakBytes = Math.max(peakBytes, now.rssBytes);
        if (cpuSec > MOST_CPU_SEC) outOfBounds = `over ${MOST_CPU_SEC} s of CPU`;
        if (peakBytes > MOST_BYTES) outOfBounds = 'over 1 GB';
      }
      own.off('message', onMessage).off('exit', onExit).stderr?.off('data', listen);
      if (outOfBounds || 'died' in answer) {
        await end();
        outOfBounds ??= `the process ended (${answer.died})`;
      }
      return { stdout: '', stderr: crash, ...answer, outOfBounds, cpuSec, peakBytes };
    },
  };
}

/** @param {number | undefined} pid */
function look(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const cpuSec = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
    return { cpuSec, rssBytes: Number(fields[21]) * PAGE_BYTES };
  } catch {
    return null;
  }
}
