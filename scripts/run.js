/**
 * `node scripts/run.js <program> [args …]`: does the set-up where something is missing, then runs the
 * program with the project's Node, npm packages and Python on the PATH. Every npm script of the
 * clone goes through it, so each of them works on a fresh machine. A program that ends in `.js` is
 * run by Node; without a program only the set-up is done. What checks and tests need, with Artillery and the
 * client of Kubernetes, is installed for programs of scripts/ and research/, and by `node scripts/run.js --all`.
 */
import { spawn } from 'node:child_process';
import { ROOT } from './setup/root.js';
import { SetupError } from './setup/setup-error.js';
import { setUp } from './setup.js';

/** The exit code that loadflame itself uses for "something is missing on this machine". */
const EXIT_MISSING = 3;

/** @param {boolean} dev */
async function setUpOrExit(dev) {
  try {
    return await setUp({ dev });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`error: ${error.message}\nhint:  ${error.hint}\n`);
    process.exit(EXIT_MISSING);
  }
}

const isAll = process.argv[2] === '--all';
const [program, ...args] = process.argv.slice(isAll ? 3 : 2);
const { node, env } = await setUpOrExit(isAll || /^(scripts|research)\//.test(program ?? ''));
if (program === undefined) {
  process.stderr.write('set-up: everything is in place\n');
} else {
  const isScript = program.endsWith('.js');
  const file = isScript || program === 'node' ? node : program;
  const typed = isScript ? [program, ...args] : args;
  const child = spawn(file, typed, { env, cwd: ROOT, stdio: 'inherit' });
  // A terminal sends Ctrl+C to the child as well; a signal to this process alone is passed on.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', error => {
    process.stderr.write(`error: ${program} can not be run: ${error.message}\n`);
    process.exit(EXIT_MISSING);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
