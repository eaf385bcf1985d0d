/** Packages that scripts name: plugins and engines of Artillery's language, and Artillery itself, which is optional. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoadflameError } from '../../errors.js';

/** Artillery's contract with plugins, engines and hooks is implemented as of this version. */
export const ARTILLERY_VERSION = '2.0.34';
/**
 * Parts of Artillery that need packages of which a clone of loadflame has empty ones (`overrides` in package.json).
 * @type {{part: string, package: string, isUsed: (script: Record<string, any>) => boolean}[]}
 */
const LARGE_PARTS = [
  {
    part: '`publish-metrics` to Datadog',
    package: 'datadog-metrics',
    isUsed: script => publishesTo(script, ['datadog']),
  },
  {
    part: '`publish-metrics` by OpenTelemetry',
    package: '@opentelemetry/exporter-trace-otlp-proto',
    isUsed: script =>
      publishesTo(script, ['open-telemetry', 'honeycomb', 'newrelic', 'dynatrace', 'cloudwatch']),
  },
  {
    part: 'the engine `playwright`',
    package: 'playwright',
    isUsed: ({ config, scenarios }) =>
      [config, ...scenarios].some(({ engine }) => engine === 'playwright'),
  },
];

/** @param {Record<string, any>} script @param {string[]} types of the plugin `publish-metrics` */
function publishesTo({ config }, types) {
  return [config.plugins?.['publish-metrics'] ?? []].flat().some(one => types.includes(one?.type));
}

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
 * Before a load: is there what the script needs of Artillery?
 * @param {Record<string, any>} script
 * @param {'loadflame' | 'artillery'} engine
 * @returns {Record<string, string>} versions of what runs the script, beside loadflame
 * @throws {LoadflameError} ARTILLERY_MISSING, ARTILLERY_PART_MISSING
 */
export function checkArtillery(script, engine) {
  const isEngine = engine === 'artillery';
  if (!isEngine && !findManifest()) return {};
  const { program, version } = findArtillery();
  const require = createRequire(program);
  for (const { part, package: name, isUsed } of LARGE_PARTS)
    if (isUsed(script) && !isThere(name, require))
      throw new LoadflameError('ARTILLERY_PART_MISSING', { part, package: name });
  return isEngine ? { artillery: version } : {};
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
