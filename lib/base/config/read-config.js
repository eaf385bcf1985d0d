/** Merges settings into one frozen object: flag > environment > envs.sh > .env > default. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { LoadflameError, orThrow } from '../errors.js';
import { findClosest } from '../files/closest.js';
import { MOST_MANIFEST_BYTES, readRegularFile } from '../files/regular-file.js';
import { tryOr } from '../files/try-or.js';
import { findUndeclaredSecrets, hideFromPrograms } from '../process/bare-environment.js';
import { text as anyText } from './parsers.js';
import { OWN_PREFIX, SETTINGS } from './settings.js';

/** @import { Setting } from './settings.js' */

/**
 * @typedef {object} SettingValue
 * @property {string} name
 * @property {any} value parsed; null if not set
 * @property {string} text as given; '' if not set
 * @property {string} source `flag`, `environment`, a file's name, `default` or `not set`
 * @property {boolean} secret
 * @property {string} [declaredBy] the script that declares the variable or changes its default
 * @property {string} [about] description from the script
 */

/**
 * What a script adds to the settings: a variable of its own, or a setting with a different default.
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
 * `get` returns the parsed value or null; `text` the value as given, or null if there is no such
 * setting; `isSet` is false for defaults; `require` throws SETTING_MISSING; `secrets` are the values
 * that must never be shown, also those of variables that are no settings; `withVariables` adds those of a script, from the same sources.
 */

/**
 * @param {object} [sources]
 * @param {Record<string, string | undefined>} [sources.flags] by setting name
 * @param {string} [sources.flagSource] name of the source of the flags, for display
 * @param {NodeJS.ProcessEnv} [sources.env]
 * @param {string | null} [sources.folder] folder of `envs.sh` and `.env`; null: none
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

/** Manifests of a run and of a study. */
const MANIFESTS = ['run.json', 'plan.json'];

/**
 * Folder from which settings may be read while reading these places: the working directory, unless it is one of them
 * or inside one. A run or a study from another person is data, but `envs.sh` is a program.
 * @param {string[]} [places] files, folders, or names of runs
 * @returns {string | null}
 */
export function findSettingsFolder(places = []) {
  const here = realpathSync('.');
  if (isInData(here)) return null;
  const holdsUs = places.some(place => {
    // Not statSync alone: it throws for circular links.
    if (!existsSync(place) || !statSync(place).isDirectory()) return false;
    return path.relative(realpathSync(place), here).split(path.sep)[0] !== '..';
  });
  return holdsUs ? null : here;
}

/** @param {string} folder @returns {boolean} */
function isInData(folder) {
  const above = path.dirname(folder);
  const isData = MANIFESTS.some(name => isManifest(path.join(folder, name)));
  return isData || (above !== folder && isInData(above));
}

/** A project can have a plan.json of its own. @param {string} file */
function isManifest(file) {
  const text = tryOr('', () => readRegularFile(file, MOST_MANIFEST_BYTES));
  return /"schema":\s*"loadflame-/.test(text);
}

/** @param {readonly (Setting & {declaredBy?: string})[]} settings @param {Layer[]} layers @returns {Config} */
function buildConfig(settings, layers) {
  const all = settings.map(setting => Object.freeze(readSetting(setting, layers)));
  const byName = new Map(all.map(item => [item.name, item]));
  const secrets = all.filter(({ secret }) => secret);
  hideFromPrograms(secrets);
  const others = layers.flatMap(({ values }) => {
    const undeclared = Object.entries(values).filter(([name]) => !byName.has(name));
    return findUndeclaredSecrets(Object.fromEntries(undeclared));
  });

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
 * Settings for display and for the run folder: secrets masked.
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
 * The location of the server, as `findServer` expects it.
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
 * @param {Setting & {declaredBy?: string}} setting @param {Layer[]} layers the first one with a value wins
 * @returns {SettingValue}
 * @throws {LoadflameError} SETTING_INVALID, SETTING_SECRET
 */
export function readSetting(setting, layers) {
  const { name, aliases = [], parser = anyText, secret = false, declaredBy, about } = setting;
  const common = { name, secret, ...(declaredBy !== undefined && { declaredBy, about }) };
  /**
   * @param {string} variable
   * @param {string} text
   * @param {string} source
   */
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
    // Empty means "not set": in a file because no one filled it in; elsewhere it turns off a value from the files,
    // and the default of a script if the setting has none of its own.
    if (given.length > 0 && !FILES.includes(source))
      return readSetting(OPTIONAL.has(name) ? { ...setting, default: undefined } : setting, []);
  }
  if (setting.default === '') return { ...common, value: '', text: '', source: 'default' };
  if (setting.default !== undefined) return parse(name, setting.default, 'default');
  return { ...common, value: null, text: '', source: 'not set' };
}

/**
 * Rejects unknown names that resemble settings: otherwise a typing mistake would be silently ignored. In files, only
 * names with our own prefixes count, because a file can set variables of other programs.
 * @param {Layer[]} layers
 */
function rejectUnknown(layers) {
  const known = namesOf(SETTINGS);
  for (const { source, values } of layers) {
    for (const name of Object.keys(values)) {
      // Other programs use the prefix KUBE_ too (KUBE_EDITOR), so only names that resemble ours count.
      const isOurs = /^KUBE_/.test(name) ? findClosest(name, known) : OWN_PREFIX.test(name);
      if (known.includes(name) || !isOurs) continue;
      // a variable of gunicorn, and variables of Keycloak's images
      if (source === 'environment' && !/^OIDC_/.test(name)) continue;
      if (name === 'GUNICORN_CMD_ARGS') continue;
      throw unknown(name, source, SETTINGS);
    }
  }
}

/** Names and aliases. @param {readonly Setting[]} settings */
function namesOf(settings) {
  return settings.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
}

/**
 * @param {string} name
 * @param {string} source
 * @param {readonly Setting[]} settings
 */
function unknown(name, source, settings) {
  const close = findClosest(name, namesOf(settings));
  const hint = close ? `did you mean ${close}?` : undefined;
  return new LoadflameError('SETTING_UNKNOWN', { name, source }, { hint });
}

/** Variables that a shell sets by itself. */
const SHELL_OWN = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD']);

/** A file that asks for input would wait forever. */
const SHELL_TIMEOUT_MS = 15_000;

/**
 * Runs `envs.sh` with `sh` and returns the variables that it sets or changes.
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env environment of the file
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
  return orThrow('ENVS_FILE_FAILED', { file }, () => parseDotenv(readFileSync(file)));
}
