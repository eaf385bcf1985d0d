/** Where a program is, as the programs of a study find it. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { makeEnvironment } from '../../lib/experiment/study/services/service-environment.js';

/** @param {string} program @returns {string | null} its path */
export function findProgram(program) {
  const folders = makeEnvironment({}).PATH?.split(':') ?? [];
  return folders.map(folder => path.join(folder, program)).find(isExecutable) ?? null;
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
