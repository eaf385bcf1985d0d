/**
 * Sets the project up: a Node that is new enough, npm packages, a Python environment for the demo
 * and py-spy. Runs on Node 18 and newer without any package, because it is what installs them.
 * What is in place already is left alone: a second call installs nothing.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const MIN_NODE = [22, 18];
/** Brought into the project where the machine's own Node is older. */
const NODE_PACKAGE_VERSION = '24.21.0';
const NODE_FOLDER = path.join(ROOT, '.tools', 'node');
const VENV = path.join(ROOT, '.venv');
const REQUIREMENTS = ['demo/api/requirements.txt', 'scripts/requirements/py-spy.txt'];
/** Python versions for which the demo's pinned packages come ready built. */
const MIN_PYTHON = [3, 10];

/** Something on this machine is missing; `hint` says what to install. */
export class SetupError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Does all the set-up.
 * @returns {{node: string, env: NodeJS.ProcessEnv}} the Node to use, and an environment whose PATH
 *   finds it, the npm packages' programs and the Python environment's
 */
export function setUp() {
  const node = ensureNode();
  const bins = [path.dirname(node), path.join(ROOT, 'node_modules', '.bin'), venvBin()];
  const env = { ...process.env, PATH: [...bins, process.env.PATH].join(path.delimiter) };
  ensurePackages(node, env);
  ensurePython();
  return { node, env };
}

/** @returns {string} path of a Node ≥ 22.18 */
function ensureNode() {
  if (isAtLeast(process.versions.node, MIN_NODE)) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const node = path.join(NODE_FOLDER, 'node_modules', name, 'bin', 'node');
  const found = existsSync(node) ? run(node, ['--version']).stdout.trim() : '';
  if (found === `v${NODE_PACKAGE_VERSION}`) return node;
  say(
    `Node ${process.versions.node} is older than ${MIN_NODE.join('.')}: bringing Node ${NODE_PACKAGE_VERSION} into the project …`,
  );
  mkdirSync(NODE_FOLDER, { recursive: true });
  const args = ['install', '--prefix', NODE_FOLDER, '--no-save', '--no-package-lock'];
  const result = npm(process.execPath, [...args, `${name}@${NODE_PACKAGE_VERSION}`], process.env);
  if (result.status !== 0 || !existsSync(node)) {
    throw new SetupError(
      `Node ${NODE_PACKAGE_VERSION} for ${name} could not be installed: ${tail(result.stderr)}`,
      `install Node ${MIN_NODE.join('.')} or newer yourself and put it first on the PATH`,
    );
  }
  return node;
}

/** @param {string} node @param {NodeJS.ProcessEnv} env */
function ensurePackages(node, env) {
  const stamp = path.join(ROOT, 'node_modules', '.loadflame-setup');
  const wanted = fingerprint(['package.json', 'package-lock.json']);
  if (isStamped(stamp, wanted)) return;
  say('Installing npm packages (about a minute) …');
  const result = npm(node, ['ci', '--no-fund', '--no-audit'], env);
  if (result.status !== 0) {
    throw new SetupError(
      `npm ci failed: ${tail(result.stderr)}`,
      'check the network and the npm registry settings (npm config get registry)',
    );
  }
  writeFileSync(stamp, wanted);
}

function ensurePython() {
  const stamp = path.join(VENV, '.loadflame-setup');
  const wanted = fingerprint(REQUIREMENTS);
  if (isStamped(stamp, wanted) && existsSync(path.join(venvBin(), 'py-spy'))) return;
  const python = findPython();
  say('Installing Python packages (gunicorn, Flask, py-spy …) …');
  const venv = run(python, ['-m', 'venv', '--clear', VENV]);
  if (venv.status !== 0) {
    throw new SetupError(
      `Python's venv module does not work: ${tail(venv.stderr || venv.stdout)}`,
      'install it: `sudo apt-get install python3-venv` (Debian, Ubuntu), `sudo dnf install python3` (Fedora) or `brew install python` (macOS)',
    );
  }
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
  ];
  const files = REQUIREMENTS.flatMap(file => ['-r', path.join(ROOT, file)]);
  const pip = run(path.join(venvBin(), 'python'), [...args, ...files]);
  if (pip.status !== 0) {
    const needsCompiler = /gcc|cc1|clang|compiler|Python\.h|error: command .* failed/i.test(
      pip.stderr,
    );
    throw new SetupError(
      `pip could not install the Python packages: ${tail(pip.stderr)}`,
      needsCompiler
        ? 'a package has no ready-built wheel for this machine: install a compiler, `sudo apt-get install build-essential python3-dev` (Debian, Ubuntu), `sudo dnf install gcc python3-devel` (Fedora), `xcode-select --install` (macOS)'
        : 'check the network and the Python index settings (pip config list)',
    );
  }
  writeFileSync(stamp, wanted);
}

/** @returns {string} */
function findPython() {
  const install =
    'install it: `sudo apt-get install python3 python3-venv` (Debian, Ubuntu), `sudo dnf install python3` (Fedora) or `brew install python` (macOS); PYTHON=<program> names another';
  const candidates = process.env.PYTHON ? [process.env.PYTHON] : ['python3', 'python'];
  for (const python of candidates) {
    const { status, stdout } = run(python, [
      '-c',
      'import sys; print("%d.%d" % sys.version_info[:2])',
    ]);
    if (status !== 0) continue;
    if (isAtLeast(stdout.trim(), MIN_PYTHON)) return python;
    throw new SetupError(
      `${python} is ${stdout.trim()}, and ${MIN_PYTHON.join('.')} or newer is needed`,
      install,
    );
  }
  throw new SetupError(`there is no Python: ${candidates.join(' and ')} can not be run`, install);
}

function venvBin() {
  return path.join(VENV, 'bin');
}

/** @param {string} version @param {number[]} wanted */
function isAtLeast(version, wanted) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

/** npm as the npm that called us, run by the given Node. @param {string} node @param {string[]} args @param {NodeJS.ProcessEnv} env */
function npm(node, args, env) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? run(node, [cli, ...args], env) : run('npm', args, env);
}

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(program, args, env = process.env) {
  const result = spawnSync(program, args, {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  const stderr = result.error ? result.error.message : result.stderr;
  return { status: result.status, stdout: result.stdout ?? '', stderr: stderr ?? '' };
}

/** @param {string[]} files */
function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

/** @param {string} stamp @param {string} wanted */
function isStamped(stamp, wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** The last lines that say something. @param {string} text */
function tail(text) {
  return text.trim().split('\n').filter(Boolean).slice(-4).join(' | ');
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}
