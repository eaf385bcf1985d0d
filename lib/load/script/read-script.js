/** Reads an Artillery script (YAML or JSON) and remembers the positions of its values. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { LoadflameError } from '../../base/errors.js';
import { nameOther } from '../../base/files/detect-format.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { plainLine } from '../../base/files/plain-text.js';
import { isPlain, parseYaml, readSource } from '../../base/files/read-yaml.js';
import { inheritEnvironment } from '../../base/process/bare-environment.js';

/** @import { Script, Variables } from '../script.d.ts' */

/** A script may contain long lists of data (as in a cell of a study). */
const MAX_CHARS = 100_000_000;

/** An address is a script, too, with the phases of the starter script. */
const STARTER = new URL('../../../scenarios/my-api.yaml', import.meta.url);

/**
 * @typedef {object} ScriptSource
 * @property {string} file absolute
 * @property {string} text
 * @property {Script} script plain data
 * @property {(at: (string | number)[], isKey?: boolean) => string} locate `file:line:column` of a value
 *   or its key, or of the nearest enclosing value in the file
 * @property {(at: (string | number)[]) => boolean} has whether the file has a value there
 */

/**
 * Changes to a script by options of a load; `config`: a file that is merged over it.
 * @typedef {{config?: string, environment?: string, overrides?: Partial<Script>, variables?: Variables, payload?: string}} Changes
 */

/**
 * Reads a script and applies the options of its load.
 * @param {string} file or the address that all users request
 * @param {Changes} [options]
 * @returns {ScriptSource}
 * @throws {LoadflameError} SCRIPT_NOT_FOUND, SCRIPT_FORMAT, SCRIPT_OTHER, SCRIPT_SYNTAX
 */
export function readScript(file, options = {}) {
  const source = readWritten(file);
  const whole = options.config ? mergeConfig(source, options.config) : source;
  applyOptions(whole, options);
  return whole;
}

/** @param {string} file @returns {ScriptSource} */
function readWritten(file) {
  if (isAddress(file)) return writeScript(file);
  const absolute = path.resolve(file);
  if (/^[\w.-]+:\d+(?:[/?]|$)/.test(file) && !existsSync(absolute)) {
    const hint = `add http://: \`loadflame test http://${file}\``;
    throw new LoadflameError('SCRIPT_FORMAT', { file }, { hint });
  }
  if (PROGRAM.test(absolute)) return runScript(file, absolute);
  const text = readSource(file, 'SCRIPT_NOT_FOUND');
  if (!/\.(ya?ml|json)$/i.test(absolute)) {
    refuseOther(file, text);
    throw new LoadflameError('SCRIPT_FORMAT', { file });
  }
  const options = { code: 'SCRIPT_SYNTAX', maxChars: MAX_CHARS };
  const { data: script, locate } = parseYaml(text, file, options);
  if (!isPlain(script)) {
    const problem = 'a script is a map with `config` and `scenarios`';
    throw new LoadflameError('SCRIPT_SYNTAX', { at: `${file}:1:1`, problem });
  }
  if (!('config' in script || 'scenarios' in script)) refuseOther(file, text);
  return {
    file: absolute,
    text,
    script: /** @type {Script} */ (script),
    locate: (at, isKey) => locate(at, isKey).at,
    has: at => locate(at).isExact,
  };
}

// -- Scripts in JavaScript and TypeScript: programs of the user, which run in a process of their own.

/** @param {string} file @param {string} text that cannot be a script @throws {LoadflameError} SCRIPT_OTHER of a known kind */
function refuseOther(file, text) {
  const looksLike = text.trim() && nameOther(text, 'an Artillery script');
  if (looksLike) throw new LoadflameError('SCRIPT_OTHER', { file, looksLike });
}

const PROGRAM = /\.(?:[cm]?js|ts)$/i;
const PRINTER = path.join(import.meta.dirname, '../named-packages.js');
const MOST_MS = 60_000;

/** @param {string} file as the user named it @param {string} absolute @returns {ScriptSource} */
function runScript(file, absolute) {
  const text = readSource(file, 'SCRIPT_NOT_FOUND');
  const place = { locate: () => file, has: () => false };
  const { printed, problem } = printModule(absolute, text);
  if (!printed) {
    refuseOther(file, text);
    refuseScript(place, [], `the script cannot be run: ${problem}`, 'correct the file');
  }
  const { functions: _, ...script } = printed;
  return { file: absolute, text, script, ...place };
}

/**
 * @param {string} absolute
 * @param {string} text of the file, which names the variables that it needs
 * @returns {{printed: any, problem: string}} `printed`: what the file exports, `functions` by their names; null with a
 *   `problem`
 */
export function printModule(absolute, text) {
  const named = Object.entries(process.env).filter(([name]) => text.includes(name));
  const mark = randomUUID();
  const { stdout, stderr, error } = spawnSync(process.execPath, [PRINTER, absolute, mark], {
    ...inheritEnvironment({}),
    // Other programs of the user can read the environment that a process was started with.
    input: JSON.stringify(Object.fromEntries(named)),
    ...{ encoding: 'utf8', timeout: MOST_MS, maxBuffer: MAX_CHARS },
  });
  const reason = /^\w*Error.*$/m.exec(stderr)?.[0] ?? error?.message ?? 'it ended early';
  return { printed: parseOrNull(stdout?.split(mark)[1] ?? ''), problem: plainLine(reason) };
}

/**
 * @param {Pick<ScriptSource, 'locate'>} source
 * @param {(string | number)[]} at path of the invalid value
 * @param {string} problem
 * @param {string} change the required change
 * @returns {never}
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function refuseScript(source, at, problem, change) {
  throw new LoadflameError('SCRIPT_INVALID', { at: source.locate(at), problem, change });
}

/** @param {string} script as the user named it */
export function isAddress(script) {
  return /^https?:\/\//.test(script) && URL.canParse(script);
}

/** @param {string} address @returns {ScriptSource} */
function writeScript(address) {
  const { origin, pathname, search } = new URL(address);
  const { config } = parse(readFileSync(STARTER, 'utf8'));
  const flow = [{ get: { url: pathname + search } }];
  const script = { config: { ...config, target: origin }, scenarios: [{ name: pathname, flow }] };
  const place = { locate: () => address, has: () => false };
  return { file: path.resolve('address'), text: JSON.stringify(script), script, ...place };
}

/**
 * @param {ScriptSource} source
 * @param {string} file with a configuration (or a part of it) that is merged over the script's; the paths of a processor
 *   and of CSV files in it are relative to it
 * @returns {ScriptSource}
 */
function mergeConfig(source, file) {
  const over = readWritten(file);
  const { config } = over.script;
  if (isPlain(config)) {
    const folder = path.dirname(over.file);
    const { processor } = config;
    if (typeof processor === 'string') config.processor = path.resolve(folder, processor);
    for (const payload of [config.payload ?? []].flat())
      if (typeof payload?.path === 'string' && !payload.path.includes('{{'))
        payload.path = path.resolve(folder, payload.path);
  }
  mergeInto(source.script, over.script);
  return { ...source, locate: (at, isKey) => (over.has(at) ? over : source).locate(at, isKey) };
}

// -- Artillery's `--environment`, `--overrides` and `--variables`, done before Artillery starts.

/**
 * Environments, then overrides, then variables: Artillery's order (prepare-test-execution-plan, 2.0.34). Done here so
 * that phases can be checked, and so that the values of these flags do not appear in Artillery's argument list.
 * @param {ScriptSource} source its script is modified
 * @param {Changes} options
 * @throws {LoadflameError} SCRIPT_INVALID
 */
function applyOptions(source, { environment, overrides, variables, payload }) {
  const { script } = source;
  script.config ??= {};
  if (!isPlain(script.config)) return;
  if (environment) {
    const known = script.config.environments ?? {};
    const names = Object.keys(known).join(', ') || 'none';
    const change = `define it below \`environments\` of \`config\`; known there: ${names}`;
    if (!Object.hasOwn(known, environment))
      refuseScript(source, ['config'], `there is no environment "${environment}"`, change);
    mergeInto(script.config, known[environment] ?? {});
    // Artillery merges it again for `$environment`; an empty one has no effect.
    script.config.environments = { [environment]: {} };
  }
  if (overrides) mergeInto(script, overrides, { replaceLists: true });
  if (variables) script.config.variables = { ...script.config.variables, ...variables };
  const own = script.config.payload;
  if (payload && isPlain(own) && !Array.isArray(own)) own.path = path.resolve(payload);
}

/**
 * @param {Record<string, any>} into
 * @param {Record<string, any>} from
 * @param {{replaceLists?: boolean}} [options] otherwise lists are merged item by item, as in lodash
 */
export function mergeInto(into, from, options = {}) {
  for (const [key, value] of Object.entries(from)) {
    if (key === '__proto__' || value === undefined) continue;
    const both = into[key];
    const mergeable =
      (isPlain(both) && isPlain(value)) ||
      (!options.replaceLists && Array.isArray(both) && Array.isArray(value));
    if (mergeable) mergeInto(both, value, options);
    else into[key] = structuredClone(value);
  }
}
