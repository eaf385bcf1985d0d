/** Puts settings together: flag > environment > envs.sh > .env > default, into one frozen object. */
import path from 'node:path';
import { findClosest } from '../closest.js';
import { LoadflameError } from '../errors.js';
import { readDotenvFile, readShellFile } from './read-files.js';
import { SETTINGS } from './settings.js';

/**
 * @typedef {object} SettingValue
 * @property {string} name
 * @property {any} value parsed; null when not set
 * @property {string} text as given; '' when not set
 * @property {string} source `flag`, `environment`, a file's name, `default` or `not set`
 * @property {boolean} secret
 */

/**
 * @typedef {Readonly<{
 *   get: (name: string) => any,
 *   isSet: (name: string) => boolean,
 *   require: (name: string) => any,
 *   all: readonly SettingValue[],
 *   secrets: readonly string[],
 * }>} Config
 * `get` gives the parsed value or null; `isSet` is false for defaults; `require` throws
 * SETTING_MISSING; `secrets` are the values that must never be shown.
 */

/**
 * @param {object} [sources]
 * @param {Record<string, string | undefined>} [sources.flags] by setting name
 * @param {string} [sources.flagSource] what the flags are called where their source is shown
 * @param {NodeJS.ProcessEnv} [sources.env]
 * @param {string} [sources.folder] where `envs.sh` and `.env` are looked for
 * @returns {Config}
 * @throws {LoadflameError} SETTING_INVALID, SETTING_UNKNOWN, ENVS_FILE_FAILED
 */
export function readConfig({
  flags = {},
  flagSource = 'flag',
  env = process.env,
  folder = process.cwd(),
} = {}) {
  const layers = [
    { source: flagSource, values: flags },
    { source: 'environment', values: env },
    { source: 'envs.sh', values: readShellFile(path.join(folder, 'envs.sh'), env) },
    { source: '.env', values: readDotenvFile(path.join(folder, '.env')) },
  ];
  rejectUnknown(layers);
  const all = SETTINGS.map(setting => Object.freeze(readSetting(setting, layers)));
  const byName = new Map(all.map(item => [item.name, item]));

  /** @param {string} name */
  const find = name => {
    const item = byName.get(name);
    if (!item) throw new TypeError(`there is no setting ${name}`);
    return item;
  };
  return Object.freeze({
    get: name => find(name).value,
    isSet: name => !['default', 'not set'].includes(find(name).source),
    require: name => {
      const { value } = find(name);
      if (value === null)
        throw new LoadflameError('SETTING_MISSING', { name, about: aboutOf(name) });
      return value;
    },
    all: Object.freeze(all),
    secrets: Object.freeze(all.filter(item => item.secret && item.text).map(item => item.text)),
  });
}

/**
 * Settings for people and for the run folder: secrets masked.
 * @param {Config} config
 * @returns {{name: string, value: string, source: string}[]}
 */
export function maskSettings(config) {
  return config.all.map(({ name, text, source, secret }) => ({
    name,
    value: secret && text ? '********' : text,
    source,
  }));
}

/**
 * @param {import('./settings.js').Setting} setting
 * @param {{source: string, values: Record<string, string | undefined>}[]} layers
 * @returns {SettingValue}
 */
function readSetting(setting, layers) {
  const { name, aliases = [], parser, secret = false } = setting;
  for (const { source, values } of layers) {
    for (const variable of [name, ...aliases]) {
      const text = values[variable];
      // An empty variable means "not set", as in `${TARGET:-…}`.
      if (text === undefined || text === '') continue;
      try {
        return { name, value: parser.parse(text), text, source, secret };
      } catch (cause) {
        const shown = secret ? '********' : JSON.stringify(text);
        const data = { name: variable, value: shown, source, allowed: parser.allowed };
        throw new LoadflameError('SETTING_INVALID', data, { cause });
      }
    }
  }
  if (setting.default !== undefined) {
    const text = setting.default;
    return { name, value: parser.parse(text), text, source: 'default', secret };
  }
  return { name, value: null, text: '', source: 'not set', secret };
}

/**
 * Names that look like ours and are not: a typing mistake would otherwise be ignored in silence.
 * In files only those with our prefixes are looked at, for a file may set other programs' variables.
 * @param {{source: string, values: Record<string, string | undefined>}[]} layers
 */
function rejectUnknown(layers) {
  const known = SETTINGS.flatMap(setting => [setting.name, ...(setting.aliases ?? [])]);
  for (const { source, values } of layers) {
    for (const name of Object.keys(values)) {
      if (known.includes(name) || !/^(OIDC|KEYCLOAK|GUNICORN|SOCKETIO|PROFILE)_/.test(name))
        continue;
      // gunicorn's own variable, and what Keycloak's images set.
      if (source === 'environment' && !/^OIDC_/.test(name)) continue;
      if (name === 'GUNICORN_CMD_ARGS') continue;
      const close = findClosest(name, known);
      const hint = close ? `did you mean ${close}?` : undefined;
      throw new LoadflameError('SETTING_UNKNOWN', { name, source }, { hint });
    }
  }
}

/** @param {string} name */
function aboutOf(name) {
  return SETTINGS.find(setting => setting.name === name)?.about ?? '';
}
