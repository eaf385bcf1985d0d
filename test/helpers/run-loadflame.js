/** The command line as a person calls it, in a process of its own or in this one: output and exit code. */
import path from 'node:path';
import { execa } from 'execa';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { runCommandLine } from '../../lib/cli/main.js';

export const LOADFLAME = path.resolve(import.meta.dirname, '../../bin/loadflame.js');

/**
 * @typedef {object} Ended
 * @property {number | undefined} exit
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * @param {string} folder in which it is called
 * @param {string[]} args
 * @param {Record<string, string>} [env] beside PATH, which is this process's
 * @param {string} [program] loadflame of another place
 * @returns {Promise<Ended>}
 */
export async function runLoadflame(folder, args, env = {}, program = LOADFLAME) {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...pickVariables(['PATH', 'NODE_COMPILE_CACHE']), HOME: folder, ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 300_000,
  });
  return { exit: exitCode, stdout, stderr };
}

/**
 * The same in this process, which is several times as fast: for commands that start nothing and end by
 * themselves. Only one at a time, for a process has one working directory.
 * @param {string} folder in which it is called
 * @param {string[]} args
 * @param {Record<string, string>} [env] all that it sees
 * @returns {Promise<Ended>}
 */
export async function callLoadflame(folder, args, env = {}) {
  const written = { stdout: '', stderr: '' };
  /** @param {keyof typeof written} name */
  const collect = name => ({
    write: (/** @type {string} */ text) => {
      written[name] += text;
    },
  });
  const io = {
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
  };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const exit = await runCommandLine(args, io);
    return { exit, stdout: written.stdout.trimEnd(), stderr: written.stderr.trimEnd() };
  } finally {
    process.chdir(before);
  }
}

/** What an error prints. @param {string} stderr */
export function readError(stderr) {
  /** @param {string} name */
  const line = name => new RegExp(`^${name}: +(.*)$`, 'm').exec(stderr)?.[1] ?? null;
  return { message: line('error'), hint: line('hint'), code: line('code') };
}
