/** Puts settings together: flag > environment > envs.sh > .env > default, into one frozen object. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { LoadflameError } from '../errors.js';
import { findClosest } from '../files/closest.js';
import { MOST_MANIFEST_BYTES, readRegularFile } from '../files/regular-file.js';
import { findUndeclaredSecrets, hideFromPrograms } from '../process/bare-environment.js';
import { SETTINGS } from './settings.js';

/** @import { Setting } from './settings.js' */

/**
 * @typedef {object} SettingValue
 * @property {string} name
 * @property {any} value parsed; null when not set
 * @property {string} text as given; '' when not set
 * @property {string} source `flag`, `environment`, a file's name, `default` or `not set`
 * @property {boolean} secret
 * @property {string} [declaredBy] the script that declares it, or its default
 * @property {string} [about] what it is, in the script's words
 */

/**
 * What a script takes from settings: a variable of its own, or a setting of ours with another default.
 * @typedef {Setting & {declaredBy: string}} Variable
 */

const FILES = ['envs.sh', '.env'];
const OPTIONAL = new Set(SETTINGS.flatMap(one => (one.default === undefined ? one.name : [])));

/** @typedef {{source: string, values: Record<string, string | undefined>}} Layer */

/**
 * @typedef {Readonly<{
 *   get: (name: string) => any,
 *   text: (name: string) => string | null,
 *   isSet: (name: string) => boolean,
 *   require: (name: string) => any,
 *   all: readonly SettingValue[],
 *   secrets: readonly string[],
 *   withVariables: (variables: readonly Variable[]) => Config,
 * }>} Config
 * `get` gives the parsed value or null; `text` the value as given, and null where there is no such
 * setting; `isSet` is false for defaults; `require` throws SETTING_MISSING; `secrets` are the values
 * that must never be shown, also those of variables that are no settings; `withVariables` adds those of a script, from the same sources.
 */

/**
 * @param {object} [sources]
 * @param {Record<string, string | undefined>} [sources.flags] by setting name
 * @param {string} [sources.flagSource] what the flags are called where their source is shown
 * @param {NodeJS.ProcessEnv} [sources.env]
 * @param {string | null} [sources.folder] where `envs.sh` and `.env` are looked for; null: nowhere
 * @returns {Config}
 * @throws {LoadflameError} SETTING_INVALID, SETTING_UNKNOWN, SETTING_SECRET, ENVS_FILE_FAILED
 */
export function readConfig({
  flags = {},
  flagSource = 'flag',
  env = process.env,
  folder = findSettingsFolder(),
} = {}) {
  const layers = [
    { source: flagSource, values: flags },
    { source: 'environment', values: env },
    ...(folder === null ? [] : readFiles(folder, env)),
  ];
  rejectUnknown(layers);
  return buildConfig(SETTINGS, layers);
}

/** @param {string} folder @param {NodeJS.ProcessEnv} env @returns {Layer[]} */
function readFiles(folder, env) {
  return [
    { source: 'envs.sh', values: readShellFile(path.join(folder, 'envs.sh'), env) },
    { source: '.env', values: readDotenvFile(path.join(folder, '.env')) },
  ];
}

/** Of a run, and of a study. */
const MANIFESTS = ['run.json', 'plan.json'];

/**
 * Where settings may come from while these are read: the working directory, unless it is one of them or in one.
 * A run or a study that someone sent is data, and `envs.sh` is a program.
 * @param {string[]} [places] files, folders, or names of runs
 * @returns {string | null}
 */
export function findSettingsFolder(places = []) {
  const here = realpathSync('.');
  if (isInData(here)) return null;
  const holdsUs = places.some(place => {
    // Not with statSync alone: of links that lead in a circle it throws.
    if (!existsSync(place) || !statSync(place).isDirectory()) return false;
    const steps = path.relative(realpathSync(place), here).split(path.sep);
    return steps[0] !== '..';
  });
  return holdsUs ? null : here;
}

/** @param {string} folder @returns {boolean} */
function isInData(folder) {
  const above = path.dirname(folder);
  const isData = MANIFESTS.some(name => isManifest(path.join(folder, name)));
  return isData || (above !== folder && isInData(above));
}

/** A project may have a plan.json of its own. @param {string} file */
function isManifest(file) {
  try {
    return /"schema":\s*"loadflame-/.test(readRegularFile(file, MOST_MANIFEST_BYTES));
  } catch {
    return false;
  }
}

/** @param {readonly (Setting & {declaredBy?: string})[]} settings @param {Layer[]} layers @returns {Config} */
function buildConfig(settings, layers) {
  const all = settings.map(setting => Object.freeze(readSetting(setting, layers)));
  const byName = new Map(all.map(item => [item.name, item]));
  const secrets = all.filter(({ secret }) => secret);
  hideFromPrograms(secrets);
  const others = layers.flatMap(({ values }) =>
    findUndeclaredSecrets(
      Object.fromEntries(Object.entries(values).filter(([name]) => !byName.has(name))),
    ),
  );

  /** @param {string} name */
  const find = name => {
    const item = byName.get(name);
    if (!item) throw new TypeError(`there is no setting ${name}`);
    return item;
  };
  return Object.freeze({
    get: name => find(name).value,
    text: name => byName.get(name)?.text ?? null,
    isSet: name => !['default', 'not set'].includes(find(name).source),
    require: name => {
      const { value } = find(name);
      if (value !== null) return value;
      const setting = settings.find(item => item.name === name);
      const about = setting?.about || `${setting?.declaredBy} needs it`;
      throw new LoadflameError('SETTING_MISSING', { name, about });
    },
    all: Object.freeze(all),
    secrets: Object.freeze([...secrets.flatMap(({ text }) => text || []), ...others]),
    withVariables: variables => {
      const ours = settings.map(setting => {
        const variable = variables.find(({ name }) => name === setting.name);
        if (variable?.default === undefined) return setting;
        return { ...setting, default: variable.default, declaredBy: variable.declaredBy };
      });
      const own = variables.filter(({ name }) => !byName.has(name));
      const known = [...settings, ...own];
      for (const name of Object.keys(layers[0]?.source === 'flag' ? layers[0].values : {}))
        if (!namesOf(known).includes(name)) throw unknown(name, 'flag', known);
      return buildConfig([...ours, ...own], layers);
    },
  });
}

/**
 * Settings for people and for the run folder: secrets masked.
 * @param {Config} config
 * @returns {{name: string, value: string, source: string}[]}
 */
export function maskSettings(config) {
  return config.all.map(({ name, text, source, secret, about }) => {
    const value = secret && text ? '********' : text;
    return { name, value, source, ...(about && { about }) };
  });
}

/**
 * Where the server is, as `findServer` wants it.
 * @param {Config} config
 * @returns {{pid: number | null, pidFile: string | null, target: string | null}}
 */
export function readServerPlace(config) {
  return {
    pid: config.get('SERVER_PID'),
    pidFile: config.get('SERVER_PID_FILE'),
    target: config.get('TARGET'),
  };
}

/**
 * @param {Setting & {declaredBy?: string}} setting @param {Layer[]} layers the first that has it counts
 * @returns {SettingValue}
 * @throws {LoadflameError} SETTING_INVALID, SETTING_SECRET
 */
export function readSetting(setting, layers) {
  const { name, aliases = [], parser, secret = false, declaredBy, about } = setting;
  const common = { name, secret, ...(declaredBy !== undefined && { declaredBy, about }) };
  /** @param {string} variable @param {string} text @param {string} source */
  const parse = (variable, text, source) => {
    try {
      return { ...common, value: parser.parse(text), text, source };
    } catch (cause) {
      const value = secret ? '********' : JSON.stringify(text);
      const from = declaredBy && source === 'default' ? `default of ${declaredBy}` : source;
      const data = { name: variable, value, source: from, allowed: parser.allowed };
      throw new LoadflameError('SETTING_INVALID', data, { cause });
    }
  };
  for (const { source, values } of layers) {
    const given = [name, ...aliases].filter(variable => values[variable] !== undefined);
    const variable = given.find(one => values[one] !== '');
    if (variable !== undefined) {
      if (secret && source === 'flag') throw new LoadflameError('SETTING_SECRET', { name });
      return parse(variable, values[variable] ?? '', source);
    }
    // Empty it means "not set": in a file no one filled it in, and otherwise what files say is switched off,
    // and the default of a script where we have none.
    if (given.length > 0 && !FILES.includes(source))
      return readSetting(OPTIONAL.has(name) ? { ...setting, default: undefined } : setting, []);
  }
  if (setting.default === '') return { ...common, value: '', text: '', source: 'default' };
  if (setting.default !== undefined) return parse(name, setting.default, 'default');
  return { ...common, value: null, text: '', source: 'not set' };
}

/**
 * Names that look like ours and are not: a typing mistake would otherwise be ignored in silence.
 * In files only those with our prefixes are read, for a file may set other programs' variables.
 * @param {Layer[]} layers
 */
function rejectUnknown(layers) {
  const known = namesOf(SETTINGS);
  for (const { source, values } of layers) {
    for (const name of Object.keys(values)) {
      if (known.includes(name) || !isOurs(name, known)) continue;
      // gunicorn's own variable, and what Keycloak's images set.
      if (source === 'environment' && !/^OIDC_/.test(name)) continue;
      if (name === 'GUNICORN_CMD_ARGS') continue;
      throw unknown(name, source, SETTINGS);
    }
  }
}

/** KUBE_ is a prefix of other programs, too (KUBE_EDITOR): of those only what looks like a slip. @param {string} name @param {string[]} known */
function isOurs(name, known) {
  if (/^KUBE_/.test(name)) return findClosest(name, known) !== null;
  return /^(OIDC|KEYCLOAK|GUNICORN|SERVER|SOCKETIO|PROFILE)_/.test(name);
}

/** Their names and all that mean the same. @param {readonly Setting[]} settings */
function namesOf(settings) {
  return settings.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

/** @param {string} name @param {string} source @param {readonly Setting[]} settings */
function unknown(name, source, settings) {
  const close = findClosest(name, namesOf(settings));
  const hint = close ? `did you mean ${close}?` : undefined;
  return new LoadflameError('SETTING_UNKNOWN', { name, source }, { hint });
}

/** What a shell sets by itself: not the file's doing. */
const SHELL_OWN = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD']);

/** A file that asks a question would wait for ever. */
const SHELL_TIMEOUT_MS = 15_000;

/**
 * Runs `envs.sh` with `sh` and gives the variables that it sets or changes.
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env what the file sees
 * @returns {Record<string, string>}
 * @throws {LoadflameError} ENVS_FILE_FAILED
 */
function readShellFile(file, env) {
  if (!existsSync(file)) return {};
  // `env` runs in the same shell, so exported and plain assignments both count (`set -a`).
  const script = 'set -a; . "$1" >&2 || exit; exec env -0';
  const { status, stdout, stderr, error } = spawnSync(
    'sh',
    ['-c', script, 'sh', path.resolve(file)],
    {
      env,
      encoding: 'utf8',
      timeout: SHELL_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  if (status !== 0) {
    const reason = error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
    throw new LoadflameError('ENVS_FILE_FAILED', { file, reason }, { cause: error });
  }
  /** @type {Record<string, string>} */
  const changed = {};
  for (const entry of stdout.split('\0')) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    const value = entry.slice(at + 1);
    if (at > 0 && !SHELL_OWN.has(name) && env[name] !== value) changed[name] = value;
  }
  return changed;
}

/**
 * @param {string} file
 * @returns {Record<string, string>}
 * @throws {LoadflameError} ENVS_FILE_FAILED
 */
function readDotenvFile(file) {
  if (!existsSync(file)) return {};
  try {
    return parseDotenv(readFileSync(file));
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('ENVS_FILE_FAILED', { file, reason }, { cause });
  }
}
