/** Settings from `envs.sh` (a shell file that may run commands) and `.env`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { LoadflameError } from '../errors.js';

/** What a shell sets by itself: not the file's doing. */
const SHELL_OWN = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD']);

/** A file that asks a question would wait for ever. */
const SHELL_TIMEOUT_MS = 15_000;

/**
 * Runs `envs.sh` with `sh` and gives the variables that it sets or changes.
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env what the file sees
 * @returns {Record<string, string>}
 * @throws {LoadflameError} ENVS_FILE_FAILED
 */
export function readShellFile(file, env) {
  if (!existsSync(file)) return {};
  // `env` runs in the same shell, so exported and plain assignments both count (`set -a`).
  const script = 'set -a; . "$1" >&2 || exit; exec env -0';
  const { status, stdout, stderr, error } = spawnSync(
    'sh',
    ['-c', script, 'sh', path.resolve(file)],
    {
      env,
      encoding: 'utf8',
      timeout: SHELL_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  if (status !== 0) {
    const reason = error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
    throw new LoadflameError('ENVS_FILE_FAILED', { file, reason }, { cause: error });
  }
  /** @type {Record<string, string>} */
  const changed = {};
  for (const entry of stdout.split('\0')) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    const value = entry.slice(at + 1);
    if (at > 0 && !SHELL_OWN.has(name) && env[name] !== value) changed[name] = value;
  }
  return changed;
}

/**
 * @param {string} file
 * @returns {Record<string, string>}
 * @throws {LoadflameError} ENVS_FILE_FAILED
 */
export function readDotenvFile(file) {
  if (!existsSync(file)) return {};
  try {
    return parseDotenv(readFileSync(file));
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('ENVS_FILE_FAILED', { file, reason }, { cause });
  }
}
