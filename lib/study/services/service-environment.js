/** What the programs of a study get to see of our environment: hardly anything. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { pickBareEnvironment } from '../../bare-environment.js';
import { LoadflameError } from '../../errors.js';

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
