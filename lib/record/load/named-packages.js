/** Finds packages that scripts name: plugins and engines of Artillery, and Artillery itself, which is optional. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoadflameError } from '../../errors.js';

/** @import { Script } from './script.d.ts' */

/** Artillery's contract with plugins, engines and hooks is implemented as of this version. */
export const ARTILLERY_VERSION = '2.0.34';

const OPEN_TELEMETRY = '@opentelemetry/exporter-trace-otlp-proto';
/**
 * Types of `publish-metrics`, and engines → the package that they need. A clone of loadflame has an empty package
 * instead (`overrides` in package.json).
 * @type {Record<string, string>}
 */
const LARGE_PARTS = {
  datadog: 'datadog-metrics',
  'open-telemetry': OPEN_TELEMETRY,
  honeycomb: OPEN_TELEMETRY,
  newrelic: OPEN_TELEMETRY,
  dynatrace: OPEN_TELEMETRY,
  cloudwatch: OPEN_TELEMETRY,
  playwright: 'playwright',
};

/**
 * Searches the project that loadflame is installed in, then that of the current folder.
 * @param {string} name
 * @returns {string | null} a file
 */
function findInstalled(name) {
  for (const from of [import.meta.filename, path.join(process.cwd(), 'script')]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Not installed there.
    }
  }
  return null;
}

/** The path of Artillery's package.json, if it is installed. */
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
 * @param {Script} script
 * @throws {LoadflameError} ARTILLERY_PART_MISSING before the load, instead of a stack trace during it
 */
export function checkParts({ config, scenarios }) {
  const manifest = findManifest();
  if (!manifest) return;
  const types = [config.plugins?.['publish-metrics'] ?? []].flat().map(one => one?.type);
  for (const part of [...types, config.engine, ...scenarios.map(one => one.engine)]) {
    const name = LARGE_PARTS[part];
    if (name && !isThere(name, createRequire(manifest)))
      throw new LoadflameError('ARTILLERY_PART_MISSING', { part, package: name });
  }
}

/** Whether the package itself is installed, not a substitute. @param {string} name @param {NodeJS.Require} require */
function isThere(name, require) {
  const folders = (require.resolve.paths(name) ?? []).map(folder => path.join(folder, name));
  const folder = folders.find(one => existsSync(one));
  return folder !== undefined && require(path.join(folder, 'package.json')).name === name;
}

/**
 * Imports a package. Installed packages take precedence over those built into Artillery; folders of
 * `ARTILLERY_PLUGIN_PATH` come last, as in Artillery.
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
