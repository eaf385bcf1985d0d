/**
 * Parts of Artillery that we use as they are. The package exports none of them, so they are imported
 * by path; read in version 2.0.34. `launch-platform` and `cmds/run` are never among them: they bring
 * the SDKs of two clouds.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const PACKAGE = require.resolve('artillery/package.json');

/** @type {string} */
export const ARTILLERY_VERSION = require(PACKAGE).version;

/**
 * @param {string} module below Artillery's `dist/lib`, e.g. `core/ssms.js`
 * @returns {Promise<any>} its namespace
 */
export function importArtillery(module) {
  return import(pathToFileURL(pathOf(module)).href);
}

/**
 * The same at once, for what is needed inside a synchronous call of a plugin only.
 * @param {string} module below Artillery's `dist/lib`
 * @returns {any} its namespace
 */
export function requireArtillery(module) {
  return require(pathOf(module));
}

/**
 * A package that Artillery brings along.
 * @param {string} name
 * @returns {Promise<any>} its namespace
 */
export function importArtillerysPackage(name) {
  return import(pathToFileURL(createRequire(PACKAGE).resolve(name)).href);
}

/** @param {string} module */
function pathOf(module) {
  return path.join(path.dirname(PACKAGE), 'dist', 'lib', ...module.split('/'));
}
