/** The API's own server, started for a run and ended with it. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../errors.js';
import { throwIfInterrupted } from '../interruptible.js';
import { makeFolder } from '../own-files.js';
import { get } from '../preflight/preflight.js';
import { splitCommand } from '../record/logs/follow-command.js';
import { describeEnd, measureLog, tailLog } from '../study/services/run-command.js';
import { startGroup } from '../study/services/start-group.js';

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 100;

/**
 * Starts what `--command` says and waits until the target responds. It sees the environment that
 * loadflame was started with, and its output goes to a file beside the runs.
 * @param {string | undefined} text
 * @param {{config: import('../config/read-config.js').Config, root: string, progress: import('./progress.js').Progress, signal: AbortSignal, io: import('./io.js').Io}} context
 *   `root`: folder of the runs
 * @returns {Promise<{pid: number | null, stop: () => Promise<void>}>} nothing was started without a command
 * @throws {LoadflameError} COMMAND_INVALID, SETTING_MISSING, SERVER_COMMAND_FAILED, INTERRUPTED
 */
export async function startServer(text, { config, root, progress, signal, io }) {
  if (text === undefined) return { pid: null, stop: async () => {} };
  const command = splitCommand(text, '--command');
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
  const from = measureLog(log);
  progress.say(`starting the server (its output: ${log}) …`);
  const env = /** @type {Record<string, string>} */ (io.env);
  const group = startGroup(command, { cwd: process.cwd(), env, user: null, log });
  try {
    const deadlineMs = Date.now() + START_TIMEOUT_MS;
    while (!(await responds())) {
      throwIfInterrupted(signal);
      const tail = `\n${tailLog(log, from)}`;
      if (!group.isAlive()) throw failure(`it ended (${describeEnd(await group.ended)})`, tail);
      if (Date.now() > deadlineMs) throw failure(`nothing responds at ${target}`, tail);
      await sleep(POLL_MS);
    }
  } catch (error) {
    await group.stop();
    throw error;
  }
  return group;
}
