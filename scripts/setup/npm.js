import { findReason, runProgram } from './run-program.js';
import { SetupError } from './setup-error.js';

/**
 * npm as the npm that called us, run by the given Node.
 * @param {string} title of what is being done
 * @param {string} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | null>} why it failed, or null
 * @throws {SetupError} when there is no npm
 */
export async function runNpm(title, node, args, env) {
  const cli = process.env.npm_execpath;
  const isScript = cli?.endsWith('.js') ?? false;
  const { status, output } = await runProgram(
    title,
    isScript ? node : 'npm',
    isScript ? [String(cli), ...args] : args,
    env,
  );
  if (status === 0) return null;
  if (/ENOENT/.test(output) && /^spawn npm/.test(output)) {
    throw new SetupError(
      'npm can not be run',
      'install it: `sudo apt-get install npm` (Debian, Ubuntu), `sudo dnf install npm` (Fedora) or `brew install node` (macOS)',
    );
  }
  return findReason(output, /^npm (?:error|ERR!)(?: code)?/, 4);
}
