/** Finds packages that scripts name: plugins and engines of Artillery, and Artillery itself, which is optional. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LoadflameError } from '../base/errors.js';
import { tryOr } from '../base/files/try-or.js';

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
  const places = [import.meta.filename, path.join(process.cwd(), 'script')];
  const found = places.map(from => tryOr(null, () => createRequire(from).resolve(name)));
  return found.find(file => file !== null) ?? null;
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

// -- Programs of the user: processors, and scripts in JavaScript and TypeScript.

/**
 * Like Artillery's runner (2.0.34): CommonJS, ES modules and TypeScript.
 * @param {string} file absolute
 * @returns {Promise<Record<string, any>>} a plain object
 * @throws {Error} that names the command which installs a missing package
 */
export async function importUserModule(file) {
  if (file.endsWith('.ts')) await readTypeScript();
  try {
    const namespace = await import(pathToFileURL(file).href);
    return Object.assign({}, namespace.default ?? {}, namespace);
  } catch (cause) {
    // Without the stack of `require`.
    const [message = ''] = String(/** @type {Error} */ (cause).message).split('\n');
    const [, name] = MISSING.exec(message) ?? [];
    const change = name ? `; install it beside the script: npm install ${name}` : '';
    throw new Error(message + change, { cause });
  }
}

/** Without the path below a package. */
const MISSING = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?\w[\w.-]*)(?:['/])/;

/** Loaded only for TypeScript. */
async function readTypeScript() {
  const { findModule } = await import('./script/absolute-paths.js');
  registerHooks({
    load: loadAsWritten,
    /** Code often imports files without their extension, which Node does not add. */
    resolve(specifier, context, next) {
      const { parentURL } = context;
      const isOwn = parentURL?.endsWith('.ts') && /^\.\.?\//.test(specifier);
      const found = isOwn && findModule(fileURLToPath(new URL(specifier, parentURL)));
      if (!found) return next(specifier, context);
      const isRequire = context.conditions.includes('require');
      return next(isRequire ? found : pathToFileURL(found).href, context);
    },
  });
}

const ES_SYNTAX = /^\s*(?:import\b(?!\s*[(.])|export\b)/m;
/** Around CommonJS, on its first line and after its last: line numbers stay. */
const BEFORE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const { filename: __filename, dirname: __dirname } = import.meta; const module = { exports: {} }; let exports = module.exports; ";
const AFTER = "\nconst out = module.exports; export { out as default, out as 'module.exports' };\n";

/**
 * Artillery bundles TypeScript, so that its files may be modules of either kind, whatever the `type` of their package.
 * @type {import('node:module').LoadHookSync}
 */
function loadAsWritten(url, context, next) {
  if (!/^file:.*\.ts$/.test(url) || url.includes('/node_modules/')) return next(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const format = 'module-typescript';
  if (ES_SYNTAX.test(text)) return next(url, { ...context, format });
  if (!context.format?.startsWith('module')) return next(url, context);
  // Node refuses CommonJS in a package of modules, whatever the format given here.
  return { format, source: BEFORE + text + AFTER, shortCircuit: true };
}

// As a program: reads the file's variables from stdin, and prints the script and the names of functions that it exports,
// as JSON after a mark: the file may print, too.
if (process.argv[1] === import.meta.filename) {
  const [, , file = '', mark = ''] = process.argv;
  Object.assign(process.env, JSON.parse(readFileSync(0, 'utf8')));
  const module = await importUserModule(file);
  const { config, scenarios, before, after } = module;
  const functions = Object.keys(module).filter(name => typeof module[name] === 'function');
  if (functions.length > 0 && config) config.processor ??= file;
  const script = JSON.stringify({ config, scenarios, before, after, functions }, (key, value) => {
    if (typeof value !== 'function') return value;
    const name = functions.find(one => module[one] === value);
    if (!name) throw new Error(`\`${key}\` is a function that the file does not export`);
    return name;
  });
  process.stdout.write(mark + script, () => process.exit());
}
