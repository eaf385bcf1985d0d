/** What the programs of a study see of our environment: hardly anything. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from '../../../base/config/parsers.js';
import { readConfig } from '../../../base/config/read-config.js';
import { pickVariables } from '../../../base/process/bare-environment.js';

/** @import { Study } from '../../../run/facts/study-file.d.ts' */

/** Where Debian installs servers; a user's PATH often lacks these. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * @param {Record<string, unknown>} declared by the study; wins
 * @param {string} [folder] of the study: the virtual environment of its project comes first on the PATH
 * @returns {Record<string, string>}
 */
export function makeEnvironment(declared, folder) {
  const env = pickVariables();
  const places = [env.PATH ?? '/usr/bin:/bin', ...SERVER_FOLDERS];
  env.PATH = [...(folder ? listVirtual(folder) : []), ...places].join(':');
  for (const [name, value] of Object.entries(declared)) env[name] = String(value);
  return env;
}

/**
 * The user's secrets that a study gets, from the environment, `envs.sh` or `.env`: by name, so that its file and its
 * plan contain none.
 * @param {Pick<Study, 'secrets' | 'services'>} study
 * @returns {Record<string, string>}
 * @throws {LoadflameError} SETTING_MISSING
 */
export function readSecrets({ secrets = [], services }) {
  const names = [...new Set([...secrets, ...services.flatMap(service => service.secrets ?? [])])];
  const about = 'a secret that the study names';
  const config = readConfig().withVariables(
    names.map(name => ({ name, secret: true, parser: text, about, declaredBy: 'the study' })),
  );
  for (const name of names) config.require(name);
  return Object.fromEntries(names.map(name => [name, config.text(name) ?? '']));
}

/** Only the named ones. @param {Record<string, string>} secrets @param {string[]} [names] */
export function pickSecrets(secrets, names = []) {
  return Object.fromEntries(names.map(name => [name, secrets[name] ?? '']));
}

/** @param {string} folder @returns {string[]} none or one */
function listVirtual(folder) {
  const bin = path.join(folder, '.venv', 'bin');
  if (existsSync(path.join(bin, 'python3'))) return [bin];
  return folder === path.dirname(folder) ? [] : listVirtual(path.dirname(folder));
}
