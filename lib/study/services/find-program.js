import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Where a program is, as `execvp` would find it.
 * @param {string} program a name, or a path (relative to `cwd`)
 * @param {{env: Record<string, string>, cwd: string}} surroundings
 * @returns {string | null}
 */
export function findProgram(program, { env, cwd }) {
  const folders = program.includes('/') ? [''] : (env.PATH ?? '').split(':');
  return (
    folders.map(folder => path.resolve(cwd, folder, program)).find(file => isExecutable(file)) ??
    null
  );
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
