/** What is done between two cells: empty a queue, flush a cache, wait until all is quiet. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { LoadflameError } from '../../errors.js';
import { interruptible, throwIfInterrupted } from '../../interruptible.js';
import { makeFolder } from '../../own-files.js';
import { NO_ACCESS } from '../../record/probes/read-probe.js';
import { fillTemplates } from '../study-file/fill.js';
import { runCommand } from './run-command.js';
import { makeEnvironment } from './service-environment.js';

/** @import { Action } from '../study-file.d.ts' */
/** @import { Dispatcher } from 'undici' */
/** @import { Access } from '../../record/probes/read-probe.js' */

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 200;

/**
 * @typedef {object} ActionOptions
 * @property {string} target URL that a path of a request is below
 * @property {Access} [access]
 * @property {string} log file that takes what commands say
 * @property {(name: string) => Promise<Record<string, number>>} readProbe
 * @property {AbortSignal} signal
 * @property {string} cwd of commands: the study's folder
 */

/**
 * @param {Action[]} actions one after the other; may hold templates
 * @param {Omit<ActionOptions, 'cwd'> & {names: Record<string, unknown>}} options
 * @throws {LoadflameError} STUDY_RESET_FAILED, STUDY_COMMAND_FAILED, STUDY_PROGRAM_MISSING, INTERRUPTED
 */
export async function runActions(actions, { names, ...options }) {
  const all = { ...options, cwd: String(names.studyDir) };
  for (const [index, action] of actions.entries()) {
    throwIfInterrupted(options.signal);
    const filled = fillTemplates(action, names, { at: `reset.${index}` });
    await /** @type {any} */ (KINDS[filled.kind])(filled, all);
  }
}

/** @type {{[K in Action['kind']]: (action: Extract<Action, {kind: K}>, options: ActionOptions) => Promise<void>}} */
const KINDS = {
  async request({ method, url, body }, { target, signal, access = NO_ACCESS }) {
    const place = new URL(url, target);
    const what = `${method} ${place.href}`;
    let status;
    try {
      const { headers, dispatcher } = await access(place);
      const answer = await request(place, {
        dispatcher,
        method: /** @type {Dispatcher.HttpMethod} */ (method),
        body,
        headers: { ...headers, ...(body !== null && { 'content-type': 'application/json' }) },
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
        // A kept-alive connection would hold a worker of a synchronous server.
        reset: true,
      });
      status = answer.statusCode;
      await answer.body.dump();
    } catch (cause) {
      throwIfInterrupted(signal);
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
      const why = `${what} was not answered (${code ?? message})`;
      throw new LoadflameError('STUDY_RESET_FAILED', { why }, { cause });
    }
    if (status < 400) return;
    throw new LoadflameError('STUDY_RESET_FAILED', { why: `${what} was answered ${status}` });
  },

  async command({ command }, { cwd, log, signal }) {
    makeFolder(path.dirname(log));
    const surroundings = { cwd, env: makeEnvironment({}), user: null, log };
    await runCommand(command.map(String), surroundings, { owner: 'the reset', signal });
  },

  async wait({ probe, field, most, timeoutSec }, { readProbe, signal }) {
    const deadlineMs = Date.now() + timeoutSec * 1000;
    for (;;) {
      const value = (await interruptible(signal, readProbe(probe)))[field];
      if (value !== undefined && value <= Number(most)) return;
      if (Date.now() > deadlineMs) {
        const why = `${probe}.${field} is ${value ?? 'missing'} and did not come down to ${most} in ${timeoutSec} s`;
        throw new LoadflameError('STUDY_RESET_FAILED', { why });
      }
      await sleep(POLL_MS);
    }
  },
};
