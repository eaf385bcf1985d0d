/**
 * Sets the project up: a Node that is new enough, npm packages, a Python environment for the demo
 * and py-spy. Runs on Node 18 and newer without any package, because it is what installs them.
 * What is in place already is left alone: a second call installs nothing. An interrupted call is
 * taken up by the next one, and two at once wait for each other.
 */
import path from 'node:path';
import { findNode, installNode } from './setup/node.js';
import { arePackagesReady, installPackages, PACKAGE_BIN } from './setup/packages.js';
import { installPython, isPythonReady, PYTHON_BIN } from './setup/python.js';
import { say } from './setup/say.js';
import { withLock } from './setup/with-lock.js';

/**
 * Does all the set-up that is missing.
 * @param {{dev: boolean}} options `dev`: what checks and tests need, too
 * @returns {Promise<{node: string, env: NodeJS.ProcessEnv}>} the Node to use, and an environment
 *   whose PATH finds it, the npm packages' programs and the Python environment's
 * @throws {import('./setup/setup-error.js').SetupError}
 */
export async function setUp(options) {
  if (!isReady(options)) {
    await withLock(async () => {
      if (isReady(options)) return;
      say('what is missing is installed into this folder, once; it takes about a minute');
      const node = findNode() ?? (await installNode());
      // At once: npm mostly waits for the network, pip mostly calculates. When one fails, the other still ends.
      const ends = await Promise.allSettled([
        arePackagesReady(options) || installPackages(node, options),
        isPythonReady() || installPython(),
      ]);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
  }
  const node = findNode() ?? process.execPath;
  const bins = [path.dirname(node), PACKAGE_BIN, PYTHON_BIN];
  const env = { ...process.env, PATH: [...bins, process.env.PATH].join(path.delimiter) };
  return { node, env };
}

/** @param {{dev: boolean}} options */
function isReady(options) {
  return findNode() !== null && arePackagesReady(options) && isPythonReady();
}
