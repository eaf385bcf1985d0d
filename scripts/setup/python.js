/** The Python environment of the demo, with py-spy. */
import { existsSync, lstatSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { isAtLeast } from './is-at-least.js';
import { ROOT } from './root.js';
import { askProgram, findReason, runProgram } from './run-program.js';
import { SetupError } from './setup-error.js';
import { fingerprint, isStamped, stamp } from './stamp.js';

const VENV = path.join(ROOT, '.venv');
const REQUIREMENTS = ['demo/api/requirements.txt', 'scripts/requirements/py-spy.txt'];
/** Python versions for which the demo's pinned packages come ready built. */
const MINIMUM = [3, 10];
/** Systems whose own Python is old often have a newer one beside it. */
const NEWER = ['python3.13', 'python3.12', 'python3.11', 'python3.10'];
const VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])';
const INSTALL =
  'install it: `sudo apt-get install python3 python3-venv` (Debian, Ubuntu), `sudo dnf install python3` (Fedora) or `brew install python` (macOS); PYTHON=<program> names another';
const COMPILER =
  'a package has no ready-built wheel for this machine: install a compiler, `sudo apt-get install build-essential python3-dev` (Debian, Ubuntu), `sudo dnf install gcc python3-devel` (Fedora), `xcode-select --install` (macOS)';

export const PYTHON_BIN = path.join(VENV, 'bin');
const PYTHON = path.join(PYTHON_BIN, 'python');

/** An environment whose Python was removed or replaced since has a dangling link. */
export function isPythonReady() {
  return isStamped(VENV, wanted()) && existsSync(PYTHON);
}

export async function installPython() {
  const python = findPython();
  // a link to the environment of another folder, which `--clear` would empty
  if (lstatSync(VENV, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(VENV);
  const title = `creating a Python environment with ${python}`;
  const venv = await runProgram(title, python, ['-m', 'venv', '--clear', VENV]);
  if (venv.status !== 0) throw venvError(venv.output);
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--require-hashes'];
  const files = REQUIREMENTS.flatMap(file => ['-r', path.join(ROOT, file)]);
  const pip = await runProgram('installing Python packages (gunicorn, Flask, py-spy …)', PYTHON, [
    ...['-m', 'pip', 'install'],
    ...options,
    ...files,
  ]);
  if (pip.status !== 0) throw pipError(pip.output);
  stamp(VENV, wanted());
}

/** The path is part of it, because programs of an environment name their Python by its path. */
function wanted() {
  return fingerprint(REQUIREMENTS, [process.platform, process.arch, VENV]);
}

/** @returns {string} */
function findPython() {
  const first = process.env.PYTHON ? [process.env.PYTHON] : ['python3', 'python'];
  /** @type {string | null} */
  let tooOld = null;
  for (const python of process.env.PYTHON ? first : [...first, ...NEWER]) {
    const { status, stdout } = askProgram(python, ['-c', VERSION]);
    if (status !== 0) continue;
    if (isAtLeast(stdout, MINIMUM)) return python;
    tooOld ??= `${python} is ${stdout}, and ${MINIMUM.join('.')} or newer is needed`;
  }
  throw new SetupError(
    tooOld ?? `there is no Python: ${first.join(' and ')} can not be run`,
    INSTALL,
  );
}

/** @param {string} output */
function venvError(output) {
  // Debian says which of its packages is missing, with the version of this Python.
  const debian = /apt(?:-get)? install (python[\w.]*-venv)/.exec(output)?.[1] ?? 'python3-venv';
  const reason = /ensurepip is not\s+available|No module named '?(?:venv|ensurepip)'?/.exec(output);
  return new SetupError(
    `Python's venv module does not work: ${reason?.[0].replace(/\s+/g, ' ') ?? findReason(output, /^\w*Error:/, 2)}`,
    `install it: \`sudo apt-get install ${debian}\` (Debian, Ubuntu), \`sudo dnf install python3\` (Fedora) or \`brew install python\` (macOS)`,
  );
}

/** @param {string} output */
function pipError(output) {
  const needsCompiler =
    /\b(?:gcc|cc|clang|c\+\+|g\+\+)\b.*(?:failed|not found|No such file)|Python\.h|Unable to find.*compiler|command '.*' failed/i;
  return new SetupError(
    `pip could not install the Python packages: ${findReason(output, /^(?:error|ERROR):/, 3)}`,
    needsCompiler.test(output)
      ? COMPILER
      : 'check the network and the Python index settings (`pip config list`); .tools/setup.log has all that pip said',
  );
}
