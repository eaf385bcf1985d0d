/** What the programs of a study get to see of our environment: hardly anything. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { text } from '../../config/parsers.js';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { pickBareEnvironment } from '../../process/bare-environment.js';

/** @import { Study } from '../../facts/study-file.d.ts' */

/** Where Debian keeps servers; a user's PATH often lacks these. */
const SERVER_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];
const POSTGRESQL = '/usr/lib/postgresql';

/**
 * @param {Record<string, unknown>} declared in the study file; wins
 * @returns {Record<string, string>}
 */
export function makeEnvironment(declared) {
  const env = pickBareEnvironment();
  env.PATH = [env.PATH ?? '/usr/bin:/bin', ...SERVER_FOLDERS, ...listPostgresql()].join(':');
  for (const [name, value] of Object.entries(declared)) env[name] = String(value);
  return env;
}

/**
 * What a study is given of its user's secrets, from the environment, `envs.sh` or `.env`: by name, so that
 * its file and its plan hold none.
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

/** Those that are named. @param {Record<string, string>} secrets @param {string[]} [names] */
export function pickSecrets(secrets, names = []) {
  return Object.fromEntries(names.map(name => [name, secrets[name] ?? '']));
}

/** Debian installs several versions side by side, none of them on the PATH. Newest first. */
function listPostgresql() {
  try {
    return readdirSync(POSTGRESQL)
      .filter(version => /^\d+$/.test(version))
      .toSorted((a, b) => Number(b) - Number(a))
      .map(version => path.join(POSTGRESQL, version, 'bin'));
  } catch {
    return [];
  }
}

/** @typedef {{name: string, uid: number, gid: number}} User */

/**
 * Who is to run a service. Only root can be somebody else, and only root has to: for everybody else, the
 * service runs as who started us.
 * @param {string | null} name
 * @param {string} service
 * @returns {Promise<User | null>}
 * @throws {LoadflameError} STUDY_USER_UNKNOWN
 */
export async function findUser(name, service) {
  if (name === null || process.getuid?.() !== 0) return null;
  const { execa } = await import('execa');
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async flag => {
      const { stdout, failed } = await execa('id', [flag, '--', name], {
        env: pickBareEnvironment(),
        extendEnv: false,
        reject: false,
      });
      if (failed) throw new LoadflameError('STUDY_USER_UNKNOWN', { user: name, service });
      return Number(stdout);
    }),
  );
  return { name, uid: Number(uid), gid: Number(gid) };
}
