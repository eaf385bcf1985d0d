/** The report that `npm start` makes. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { findRunFolders } from '../../../lib/run/run-folder.js';

const PROGRAM = path.resolve(import.meta.dirname, '../../../bin/loadflame.js');

/** @param {string} root where the run's folder is made @returns {Promise<string>} the run's folder */
export async function makeDemoRun(root) {
  const child = spawn(process.execPath, [PROGRAM, 'start', '--profiles', root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const folder = findRunFolders(root, 'report.html').at(-1);
  if (!folder) throw new Error(`loadflame start ended with ${code} and left no report`);
  return folder;
}
