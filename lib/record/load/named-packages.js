/** Packages that scripts name: plugins and engines of Artillery's language, and Artillery itself, which is optional. */
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
 * Types of `publish-metrics`, and engines, by the package that they need. A clone of loadflame has an empty one in its
 * place (`overrides` in package.json).
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
 * @param {Script} script
 * @throws {LoadflameError} ARTILLERY_PART_MISSING before the load, instead of a stack in it
 */
export function checkParts({ config, scenarios }) {
  const manifest = findManifest();
  if (!manifest) return;
  const types = [config.plugins?.['publish-metrics'] ?? []].flat().map(one => one?.type);
  for (const part of [
    ...types,
    config.engine,
    ...scenarios.map((/** @type {any} */ one) => one.engine),
  ]) {
    const name = LARGE_PARTS[part];
    if (name && !isThere(name, createRequire(manifest)))
      throw new LoadflameError('ARTILLERY_PART_MISSING', { part, package: name });
  }
}

/** As itself, not as another package that stands in for it. @param {string} name @param {NodeJS.Require} require */
function isThere(name, require) {
  const folders = (require.resolve.paths(name) ?? []).map(folder => path.join(folder, name));
  const folder = folders.find(one => existsSync(one));
  return folder !== undefined && require(path.join(folder, 'package.json')).name === name;
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
