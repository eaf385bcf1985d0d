/** The command line as a person calls it: a process of its own, its output and exit code. */
import path from 'node:path';
import { execa } from 'execa';

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
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: 60_000,
  });
  return { exit: exitCode, stdout, stderr };
}

/** What an error prints. @param {string} stderr */
export function readError(stderr) {
  /** @param {string} name */
  const line = name => new RegExp(`^${name}: +(.*)$`, 'm').exec(stderr)?.[1] ?? null;
  return { message: line('error'), hint: line('hint'), code: line('code') };
}
