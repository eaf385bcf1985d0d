/** What the programs of a study get to see of our environment: hardly anything. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pickBareEnvironment } from '../../bare-environment.js';

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
