/** The API's own server, started for a run and ended with it. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../errors.js';
import { makeFolder } from '../files/own-files.js';
import { get } from '../preflight/preflight.js';
import { throwIfInterrupted } from '../process/interruptible.js';
import { recordOutput } from '../record/output-log.js';
import { describeEnd, shell } from '../study/services/run-command.js';
import { startGroup } from '../study/services/start-group.js';

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const TAIL_LINES = 15;

/**
 * Starts what `--command` says, in a shell, and waits until the target responds. It sees the environment that
 * loadflame was started with, and its output goes to a file beside the runs, without secrets.
 * @param {string | undefined} text
 * @param {{config: import('../config/read-config.js').Config, root: string, say: (line: string) => void, signal: AbortSignal, env: NodeJS.ProcessEnv, redactor: import('../files/redaction.js').Redactor, cwd?: string}} context
 *   `root`: folder of the runs; `redactor`: knows what the run teaches
 * @returns {Promise<{pid: number | null, stop: () => Promise<void>}>} nothing was started without a command
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
  if (await responds()) throw failure(`something responds at ${target} already`);
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
    const deadlineMs = Date.now() + START_TIMEOUT_MS;
    while (!(await responds())) {
      throwIfInterrupted(signal);
      const end = group.isAlive() ? null : `it ended (${describeEnd(await group.ended)})`;
      if (end || Date.now() > deadlineMs) {
        await stop();
        const tail = output.tail().slice(-TAIL_LINES).join('\n') || '(it said nothing)';
        throw failure(end ?? `nothing responds at ${target}`, `\n${tail}`);
      }
      await sleep(POLL_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: group.pid, stop };
}
