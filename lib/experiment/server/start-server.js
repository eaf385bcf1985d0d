/** Starts the API's server for a run, and stops it afterwards. */
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { recordOutput } from '../../base/files/output-log.js';
import { makeFolder } from '../../base/files/own-files.js';
import { get } from '../preflight/preflight.js';
import { describeEnd, shell, tailOf } from './run-command.js';
import { startGroup } from './start-group.js';
import { waitUntilReady } from './wait-until-ready.js';

const START_TIMEOUT_SEC = 120;

/**
 * Runs `--command` in a shell and waits until the target responds. The server gets loadflame's environment. Its output
 * goes to a file beside the runs, without secrets.
 * @param {string | undefined} text
 * @param {{config: import('../../base/config/read-config.js').Config, root: string, say: (line: string) => void, signal: AbortSignal, env: NodeJS.ProcessEnv, redactor: import('../../base/files/redaction.js').Redactor, cwd?: string}} context
 *   `root`: folder of the runs; `redactor`: shared with the run, so that it learns the run's secrets
 * @returns {Promise<{pid: number | null, stop: () => Promise<void>}>} without a command, nothing is started
 * @throws {LoadflameError} SETTING_MISSING, SERVER_COMMAND_FAILED, INTERRUPTED
 */
export async function startServer(text, context) {
  const { config, root, say, signal, redactor, cwd = process.cwd() } = context;
  if (text === undefined) return { pid: null, stop: async () => {} };
  const target = config.require('TARGET');
  const responds = () =>
    get(target).then(
      () => true,
      () => false,
    );
  const failure = (/** @type {string} */ why, tail = '') =>
    new LoadflameError('SERVER_COMMAND_FAILED', { command: text, why, tail });
  if (await responds()) throw failure(`something already responds at ${target}`);
  const log = path.join(root, 'server.log');
  makeFolder(root);
  say(`starting the server (its output: ${log}) …`);
  const env = /** @type {Record<string, string>} */ (context.env);
  const group = startGroup(shell(text), { cwd, env, log: null });
  const output = recordOutput(group.streams, log, redactor.redactText);
  const stop = async () => {
    await group.stop();
    await output.close();
  };
  try {
    const end = await waitUntilReady(group, responds, { seconds: START_TIMEOUT_SEC, signal });
    if (end === null) return { pid: group.pid, stop };
    await stop();
    const why = end === 'late' ? `nothing responds at ${target}` : `it ended (${describeEnd(end)})`;
    throw failure(why, `\n${tailOf(output.tail())}`);
  } catch (error) {
    await stop();
    throw error;
  }
}
