/** Packages that scripts name: plugins and engines of Artillery's language, and Artillery itself. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const ARTILLERY = createRequire(import.meta.url).resolve('artillery/package.json');
const require = createRequire(ARTILLERY);

/** @type {string} */
export const ARTILLERY_VERSION = require(ARTILLERY).version;
/** Where the package has its program, as its own manifest says. @type {string} */
export const ARTILLERY_PROGRAM = path.join(
  path.dirname(ARTILLERY),
  require(ARTILLERY).bin.artillery,
);
/** The plugins and engines that come with Artillery. */
const BUNDLED = path.join(path.dirname(ARTILLERY), 'dist', 'builtin-packages');

/**
 * By CommonJS rules, as Artillery finds it: what is installed goes before what comes with Artillery, and
 * folders of `ARTILLERY_PLUGIN_PATH` come last.
 * @param {string} name or absolute path
 * @returns {Promise<any>} its namespace
 * @throws {Error} `MODULE_NOT_FOUND`, or what the package throws
 */
export async function importNamed(name) {
  const folders = [BUNDLED, ...(process.env.ARTILLERY_PLUGIN_PATH?.split(':') ?? [])];
  let file;
  try {
    file = require.resolve(name);
  } catch {
    file = require.resolve(`./${name}`, { paths: folders });
  }
  return import(pathToFileURL(file).href);
}
