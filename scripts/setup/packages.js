/** The npm packages, as the lock file has them. */
import path from 'node:path';
import { runNpm } from './npm.js';
import { ROOT } from './root.js';
import { SetupError } from './setup-error.js';
import { fingerprint, isStamped, stamp } from './stamp.js';

const FOLDER = path.join(ROOT, 'node_modules');

export const PACKAGE_BIN = path.join(FOLDER, '.bin');

export function arePackagesReady() {
  return isStamped(FOLDER, wanted());
}

/** @param {string} node */
export async function installPackages(node) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
  };
  const title = 'installing npm packages';
  const reason = await runNpm(title, node, ['ci', '--no-fund', '--no-audit'], env);
  if (reason !== null) {
    throw new SetupError(
      `npm ci failed: ${reason}`,
      'check the network and the npm registry settings (`npm config get registry`); .tools/setup.log has all that npm said',
    );
  }
  stamp(FOLDER, wanted());
}

/** The lock file alone: npm scripts change more often, and need no installation. */
function wanted() {
  return fingerprint(['package-lock.json'], [process.platform, process.arch]);
}
