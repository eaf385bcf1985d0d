/** Which run a command speaks of. */
import { LoadflameError } from '../errors.js';
import { findRunFolders } from '../run/run-folder.js';

/**
 * @param {string} root
 * @param {string} [holding] a file that its folder must hold
 * @returns {string} folder of the newest run
 * @throws {LoadflameError} NO_RUNS
 */
export function lastRun(root, holding) {
  const folder = findRunFolders(root, holding).at(-1);
  if (!folder) throw new LoadflameError('NO_RUNS', { root });
  return folder;
}
