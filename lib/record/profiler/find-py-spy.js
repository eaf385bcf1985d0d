/** Finds a usable py-spy. */
import { constants, existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { canAccess } from '../../base/files/regular-file.js';
import { inheritEnvironment } from '../../base/process/bare-environment.js';

/** The oldest version whose messages and options the recorder supports. */
const MINIMUM_VERSION = '0.4.0';
const REPOSITORY = path.resolve(import.meta.dirname, '../../..');

/** @typedef {{path: string, version: string}} PySpy `path` is absolute */

/**
 * Searches the setting (which is final), the PATH, the project's own virtual environments and the active one.
 * Skips versions that are too old.
 * @param {string | null} [setting] `PYSPY`
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<PySpy>}
 * @throws {LoadflameError} PYSPY_MISSING, PYSPY_UNUSABLE
 */
export async function findPySpy(setting, env = process.env) {
  if (setting) return readVersion(path.resolve(setting));
  const folders = [
    ...(env.PATH ?? '').split(path.delimiter),
    path.resolve('.venv/bin'),
    path.join(REPOSITORY, '.venv/bin'),
    ...(env.VIRTUAL_ENV ? [path.join(env.VIRTUAL_ENV, 'bin')] : []),
  ].filter(Boolean);
  /** @type {unknown} */
  let refused = null;
  for (const folder of new Set(folders)) {
    const file = path.resolve(folder, 'py-spy');
    if (!canAccess(file, constants.X_OK)) continue;
    try {
      return await readVersion(file);
    } catch (error) {
      refused ??= error;
    }
  }
  if (refused) throw refused;
  const isClone = existsSync(path.join(REPOSITORY, 'scripts'));
  throw new LoadflameError(
    'PYSPY_MISSING',
    { tried: 'PATH, .venv/bin, VIRTUAL_ENV' },
    isClone ? { hint: 'install it with `node scripts/run.js`, or set PYSPY to where it is' } : {},
  );
}

/**
 * @param {import('../../base/config/read-config.js').Config} config
 * @returns {Promise<PySpy | null>} null if no stacks are recorded (`PROFILER=none`)
 * @throws {LoadflameError} PYSPY_MISSING, PYSPY_UNUSABLE
 */
export async function findNeededPySpy(config) {
  return config.get('PROFILER') === 'none' ? null : findPySpy(config.get('PYSPY'));
}

/** @param {string} file @returns {Promise<PySpy>} */
async function readVersion(file) {
  if (!canAccess(file, constants.X_OK)) throw unusable(file, 'it is no program');
  const { execa } = await import('execa');
  const { stdout, failed } = await execa(file, ['--version'], {
    reject: false,
    timeout: 10_000,
    ...inheritEnvironment(),
  });
  return checkVersion(file, failed ? '' : String(stdout));
}

/** @param {string} file @param {string} said by `--version` @returns {PySpy} @throws {LoadflameError} PYSPY_UNUSABLE */
export function checkVersion(file, said) {
  const version = /^py-spy (\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (!version) throw unusable(file, 'it does not print a version as py-spy does');
  const order = version.localeCompare(MINIMUM_VERSION, 'en', { numeric: true });
  if (order < 0) throw unusable(file, `its version is ${version}`);
  return { path: file, version };
}

/** @param {string} file @param {string} why */
function unusable(file, why) {
  return new LoadflameError('PYSPY_UNUSABLE', { path: file, why, minimum: MINIMUM_VERSION });
}
