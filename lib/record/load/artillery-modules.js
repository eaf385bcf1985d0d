/**
 * Parts of Artillery that we use as they are. The package exports none of them, so they are imported
 * by path; read in version 2.0.34. `launch-platform` and `cmds/run` are never among them: they bring
 * the SDKs of two clouds.
 */
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ownPackage from '../../../package.json' with { type: 'json' };
import { LoadflameError } from '../../errors.js';
import { escapeUnicode } from '../../files/secret-forms.js';

const require = createRequire(import.meta.url);
const PACKAGE = require.resolve('artillery/package.json');

/** @type {string} */
export const ARTILLERY_VERSION = require(PACKAGE).version;

/**
 * Another version has other files, or the same with other contents.
 * @param {string} [found]
 * @throws {LoadflameError} ARTILLERY_VERSION
 */
export function checkArtilleryVersion(found = ARTILLERY_VERSION) {
  const wanted = ownPackage.dependencies.artillery;
  if (found === wanted) return;
  throw new LoadflameError('ARTILLERY_VERSION', { found, wanted, folder: path.dirname(PACKAGE) });
}

/**
 * What the parts that we use import for others, and would be most of what they load: a parser of HTML that
 * few captures need, and what Artillery's own runner runs with.
 */
const STAND_INS = new URL('./artillery-stand-ins.js', import.meta.url).href;
const STOOD_IN = /^(?:cheerio|moment|uuid|\.\/(?:engine_(?:http|socketio|ws)|phases|ssms)\.js)$/;
const IMPORTERS =
  /\/artillery\/dist\/lib\/(?:util|commons\/engine_util|core\/(?:index|runner))\.js$/;

/**
 * @param {string} module below Artillery's `dist/lib`, e.g. `core/ssms.js`
 * @returns {Promise<any>} its namespace
 */
export async function importArtillery(module) {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      STOOD_IN.test(specifier) && IMPORTERS.test(context.parentURL ?? '')
        ? { url: STAND_INS, shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return await import(pathToFileURL(pathOf(module)).href);
  } finally {
    hooks.deregister();
  }
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

/**
 * JSON that Artillery's YAML parser takes whatever it holds: it refuses some raw control characters.
 * @param {unknown} script
 */
export function serializeScript(script) {
  return escapeUnicode(JSON.stringify(script));
}
