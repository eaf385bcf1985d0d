/** Brings Keycloak from Maven's repository into `.tools/keycloak/`, once. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '26.3.0';
const FOLDER = fileURLToPath(new URL('../../.tools/keycloak', import.meta.url));
const MIN_JAVA = 17;

/**
 * @returns {string} the folder of the unpacked distribution
 * @throws {Error} that names the package to install
 */
export function installKeycloak() {
  requireJava();
  const home = path.join(FOLDER, `keycloak-${VERSION}`);
  if (existsSync(path.join(home, 'bin', 'kc.sh'))) return home;
  requireProgram('mvn', ['-v'], 'Maven is missing: install it (Debian: apt-get install maven)');
  mkdirSync(FOLDER, { recursive: true });
  // Wherever Maven is configured to fetch from.
  run('mvn', [
    '-B',
    '-q',
    'dependency:copy',
    `-Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`,
    `-DoutputDirectory=${FOLDER}`,
  ]);
  const archive = path.join(FOLDER, `keycloak-quarkus-dist-${VERSION}.zip`);
  // Unpacked beside its place, so that a half-unpacked one is not taken for whole.
  const unpacked = path.join(FOLDER, 'unpacked');
  rmSync(unpacked, { recursive: true, force: true });
  run('python3', ['-m', 'zipfile', '-e', archive, unpacked]);
  rmSync(home, { recursive: true, force: true });
  renameSync(path.join(unpacked, `keycloak-${VERSION}`), home);
  rmSync(unpacked, { recursive: true, force: true });
  rmSync(archive);
  return home;
}

function requireJava() {
  const missing = `Java ${MIN_JAVA} or newer is missing: install it (Debian: apt-get install openjdk-17-jre-headless)`;
  const { stderr } = requireProgram('java', ['-version'], missing);
  const version = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (!(version >= MIN_JAVA)) throw new Error(`${missing}; this is Java ${version}`);
}

/** @param {string} program @param {string[]} args @param {string} missing */
function requireProgram(program, args, missing) {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  if (result.error || result.status !== 0) throw new Error(missing, { cause: result.error });
  return result;
}

/** @param {string} program @param {string[]} args */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const tail = `${stdout}${stderr}`.trim().split('\n').slice(-10).join('\n');
  throw new Error(`${program} ${args.join(' ')} failed:\n${tail}`, { cause: error });
}
