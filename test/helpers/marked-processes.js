/** All processes that a test started, whoever their parent is by now: a variable in their environment marks them. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  listProcesses,
  readCommandLine,
  readStartTicks,
  readText,
} from '../../lib/base/process/process-table.js';
import { killIfAlive } from './gunicorn.js';

const VARIABLE = 'LOADFLAME_TEST_MARK';

/**
 * @typedef {object} MarkedProcess
 * @property {number} pid
 * @property {string} command
 */

/**
 * @param {import('node:test').TestContext} t what is left at its end is killed
 */
export function markProcesses(t) {
  const mark = `${process.pid}-${performance.now()}`;
  /** @returns {MarkedProcess[]} those that live */
  const list = () =>
    listProcesses()
      .filter(
        ({ pid, state }) => state !== 'Z' && readEnvironment(pid).includes(`${VARIABLE}=${mark}\0`),
      )
      .map(({ pid }) => ({ pid, command: (readCommandLine(pid) ?? []).join(' ') }));
  t.after(() => {
    for (const { pid } of list()) killIfAlive(pid, readStartTicks(pid));
  });
  return {
    env: { [VARIABLE]: mark },
    list,
    /** @param {RegExp} command */
    find: command => list().filter(found => command.test(found.command)),
    /** What has not ended after a while. @param {number} [timeoutMs] */
    async listLeft(timeoutMs = 60_000) {
      const deadlineMs = Date.now() + timeoutMs;
      while (list().length > 0 && Date.now() < deadlineMs) await sleep(50);
      return list();
    },
  };
}

/** Ends with a NUL like every entry. @param {number} pid */
export function readEnvironment(pid) {
  return readText(`/proc/${pid}/environ`) ?? '';
}
