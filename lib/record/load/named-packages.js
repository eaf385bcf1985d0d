/** Packages that scripts name: plugins and engines of Artillery's language, and Artillery itself, which is optional. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoadflameError } from '../../errors.js';

/** Artillery's contract with plugins, engines and hooks is implemented as of this version. */
export const ARTILLERY_VERSION = '2.0.34';

/**
 * In the project that loadflame is installed in, or else in the one of the current folder.
 * @param {string} name
 * @returns {string | null} a file
 */
function findInstalled(name) {
  for (const from of [import.meta.filename, path.join(process.cwd(), 'script')]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Not there.
    }
  }
  return null;
}

/** Where Artillery's package.json is, if it is installed. */
const findManifest = () => findInstalled('artillery/package.json');

/**
 * @returns {{program: string, version: string}} `program`: the file of Artillery's command line
 * @throws {LoadflameError} ARTILLERY_MISSING
 */
export function findArtillery() {
  const manifest = findManifest();
  if (!manifest) throw new LoadflameError('ARTILLERY_MISSING', { version: ARTILLERY_VERSION });
  const { bin, version } = createRequire(manifest)(manifest);
  return { program: path.join(path.dirname(manifest), bin.artillery), version };
}

/**
 * What is installed goes before what comes with Artillery; folders of `ARTILLERY_PLUGIN_PATH` come last, as
 * in Artillery.
 * @param {string} name or absolute path
 * @returns {Promise<any>} its namespace
 * @throws {Error} `MODULE_NOT_FOUND`, or what the package throws
 */
export async function importNamed(name) {
  return import(pathToFileURL(findInstalled(name) ?? findBeside(name)).href);
}

/** @param {string} name @throws {Error} `MODULE_NOT_FOUND` */
function findBeside(name) {
  const manifest = findManifest();
  const paths = [
    ...(manifest ? [path.join(path.dirname(manifest), 'dist', 'builtin-packages')] : []),
    ...(process.env.ARTILLERY_PLUGIN_PATH?.split(':') ?? []),
  ];
  return createRequire(import.meta.url).resolve(`./${name}`, { paths });
}
