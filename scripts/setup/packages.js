/**
 * The npm packages, as the lock files have them: those that loadflame runs with, those of its checks and tests, and
 * the demo's, which come with neither the tarball nor the image.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runNpm } from './npm.js';
import { ROOT } from './root.js';
import { SetupError } from './setup-error.js';

const FOLDERS = [ROOT, path.join(ROOT, 'demo')];

export const PACKAGE_BIN = path.join(ROOT, 'node_modules', '.bin');

/**
 * Are all of them there in the version of the lock file? More may be there. npm writes its list of what it installed
 * at the end of an installation, so that one that was cut off has none.
 * @param {{dev: boolean}} options `dev`: with those of checks and tests
 */
export function arePackagesReady(options) {
  return FOLDERS.every(folder => isReady(folder, options));
}

/** @param {string} folder @param {{dev: boolean}} options as above */
function isReady(folder, { dev }) {
  const installed = readPackages(path.join(folder, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(path.join(folder, 'package-lock.json'));
  return (
    installed !== null &&
    Object.entries(wanted ?? {}).every(
      ([at, entry]) =>
        at === '' ||
        // For another platform, or a part that somebody adds.
        entry.optional ||
        entry.devOptional ||
        (entry.dev && !dev) ||
        (installed[at]?.version === entry.version && installed[at]?.integrity === entry.integrity),
    )
  );
}

/**
 * @param {string} file of npm: a lock file
 * @returns {Record<string, Record<string, unknown>> | null} by place: `node_modules/yaml`
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}

/** @param {string} node @param {{dev: boolean}} options as above */
export async function installPackages(node, options) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
  };
  const own = options.dev
    ? 'installing npm packages, with those of checks and tests'
    : 'installing npm packages';
  for (const folder of FOLDERS.filter(each => !isReady(each, options))) {
    const title = folder === ROOT ? own : "installing the demo's npm packages";
    const args = ['ci', '--prefix', folder, '--no-fund', '--no-audit'];
    const reason = await runNpm(
      title,
      node,
      [...args, ...(options.dev ? [] : ['--omit=dev'])],
      env,
    );
    if (reason !== null) {
      throw new SetupError(
        `npm ci failed: ${reason}`,
        'check the network and the npm registry settings (`npm config get registry`); .tools/setup.log has all that npm said',
      );
    }
  }
}
