/** Starts a load generator on its own processor, and ends it with all that it has started. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { startChild } from '../../lib/base/process/child.js';
import { isSameProcess, readStartTicks, readStat } from '../../lib/base/process/process-table.js';
import { onCore } from './cores.js';
import { measureTree } from './measure-tree.js';

/** To write its report after Ctrl+C. */
const STOP_GRACE_MS = 20_000;
const LOG_TAIL_LINES = 15;

/**
 * @typedef {object} Command
 * @property {string} file
 * @property {string[]} args
 * @property {Record<string, string>} [env] besides ours
 */

/** @typedef {ReturnType<typeof startGenerator>} Generator */

/**
 * @param {Command} command
 * @param {{core: number, dir: string}} place `dir` is its working directory and gets `output.log`
 */
export function startGenerator({ file, args, env }, { core, dir }) {
  const logFile = path.join(dir, 'output.log');
  const [program = file, ...words] = [...onCore(core), file, ...args];
  const log = openSync(logFile, 'w');
  const child = startChild(program, words, {
    cwd: dir,
    // settings of proxies or targets would change what is measured
    env: { ...pickVariables(), ...env },
    extendEnv: false,
    stdout: /** @type {any} */ (log),
    stderr: /** @type {any} */ (log),
  });
  closeSync(log);
  const cpuOfEndedBefore = readEndedCpu();
  const listTree = () =>
    measureTree(child.pid).pids.map(pid => ({ pid, startTicks: readStartTicks(pid) }));
  return {
    pid: child.pid,
    isAlive: child.isAlive,
    ended: child.ended,
    /** What it has printed. */
    output: () => readFileSync(logFile, 'utf8'),
    tail: () =>
      readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n'),
    /** CPU time of the whole command from start to end; only right when nothing else of ours ended meanwhile. */
    async totalCpuMs() {
      await child.ended;
      return readEndedCpu() - cpuOfEndedBefore;
    },
    /** Ctrl+C, then SIGKILL for whatever of it is still there. */
    async stop() {
      const started = listTree();
      child.signal('SIGINT');
      await Promise.race([child.ended, sleep(STOP_GRACE_MS, undefined, { ref: false })]);
      for (const one of [...started, ...listTree()]) kill(one);
      await child.ended;
    },
  };
}

/** CPU time of the children of this process that have ended. */
function readEndedCpu() {
  return readStat(process.pid)?.childCpuMs ?? Number.NaN;
}

/** It may have ended, and another have its number. @param {{pid: number, startTicks: number | null}} started by us */
function kill({ pid, startTicks }) {
  try {
    if (isSameProcess(pid, startTicks)) process.kill(pid, 'SIGKILL');
  } catch {}
}
