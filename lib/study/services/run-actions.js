/** What is done before a block and between two cells: scale a workload, empty a queue, wait until all is quiet. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { workload } from '../../config/parsers.js';
import { LoadflameError } from '../../errors.js';
import { makeFolder } from '../../files/own-files.js';
import { interruptible, throwIfInterrupted } from '../../process/interruptible.js';
import { askWorkload } from '../../record/cluster/permissions.js';
import { readRollout } from '../../record/cluster/read-objects.js';
import { NO_ACCESS } from '../../record/probes/read-probe.js';
import { fillTemplates } from '../study-file/fill.js';
import { runCommand } from './run-command.js';
import { makeEnvironment } from './service-environment.js';

/** @import { Cluster } from '../../record/cluster/connect.js' */
/** @import { Action } from '../../facts/study-file.d.ts' */
/** @import { Dispatcher } from 'undici' */
/** @import { Access } from '../../record/probes/read-probe.js' */

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 200;
/** At a cluster, which is somebody else's. */
const LOOK_MS = 1000;

/**
 * @typedef {object} ActionOptions
 * @property {'prepare' | 'reset'} at key of the study
 * @property {Record<string, unknown>} names of templates
 * @property {string} target URL that a path of a request is below
 * @property {Access} [access]
 * @property {string} log file that takes what commands say
 * @property {(name: string) => Promise<Record<string, number>>} readProbe
 * @property {() => Promise<Cluster>} connect to the cluster of the study
 * @property {AbortSignal} signal
 */

/** What is told where one fails, and when that is. */
const WHAT = {
  prepare: ['the preparation', 'before a block'],
  reset: ['the reset', 'between two cells'],
};

/** @param {ActionOptions['at']} at @param {string} why @param {unknown} [cause] */
function complain(at, why, cause) {
  const what = WHAT[at].join(' ');
  return new LoadflameError('STUDY_RESET_FAILED', { what, why }, { cause });
}

/**
 * @param {Action[]} actions one after the other; may hold templates
 * @param {ActionOptions} options
 * @throws {LoadflameError} STUDY_RESET_FAILED, STUDY_COMMAND_FAILED, STUDY_PROGRAM_MISSING, KUBE_…, INTERRUPTED
 */
export async function runActions(actions, options) {
  const { at, names, signal } = options;
  for (const [index, action] of actions.entries()) {
    throwIfInterrupted(signal);
    // What a batch does is filled in when its turn comes.
    const keepUnknown = action.kind === 'batches';
    const filled = fillTemplates(action, names, { at: `${at}.${index}`, keepUnknown });
    await /** @type {any} */ (KINDS[filled.kind])(filled, options);
  }
}

/** @type {{[K in Action['kind']]: (action: Extract<Action, {kind: K}>, options: ActionOptions) => Promise<void>}} */
const KINDS = {
  async request({ method, url, body }, { at, target, signal, access = NO_ACCESS }) {
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
      const why = `${what} got no response (${code ?? message})`;
      throw complain(at, why, cause);
    }
    if (status < 400) return;
    throw complain(at, `${what} got status ${status}`);
  },

  async command({ command }, { at, names, log, signal }) {
    makeFolder(path.dirname(log));
    const surroundings = { cwd: String(names.studyDir), env: makeEnvironment({}), user: null, log };
    await runCommand(command.map(String), surroundings, { owner: `${WHAT[at][0]}`, signal });
  },

  async wait({ probe, field, most, timeoutSec }, { readProbe, ...options }) {
    await waitUntil({ timeoutSec, pollMs: POLL_MS }, options, async () => {
      const value = (await readProbe(probe))[field];
      if (value !== undefined && value <= Number(most)) return null;
      return `${probe}.${field} is ${value ?? 'missing'} and did not come down to ${most}`;
    });
  },

  async rollout({ workload: text, timeoutSec }, { connect, ...options }) {
    const cluster = await connect();
    const asked = askWorkload(workload.parse(text));
    await waitUntil({ timeoutSec, pollMs: LOOK_MS }, options, async () => {
      const { wanted, ready, old, isReady } = readRollout(await cluster.ask(asked));
      return isReady ? null : `${text} had ${ready} of ${wanted} pods ready, and ${old} old ones,`;
    });
  },

  async pause({ seconds }, { signal }) {
    await sleep(seconds * 1000, null, { signal }).catch(() => throwIfInterrupted(signal));
  },

  async batches({ to, by, actions }, { names, ...options }) {
    const last = Number(to);
    for (let done = 0; done < last; ) {
      done = Math.min(last, done + Number(by));
      await runActions(actions, { ...options, names: { ...names, batch: done } });
    }
  },
};

/**
 * @param {{timeoutSec: number, pollMs: number}} limits
 * @param {Pick<ActionOptions, 'at' | 'signal'>} options
 * @param {() => Promise<string | null>} look what is so as long as it is not as it should be
 */
async function waitUntil({ timeoutSec, pollMs }, { at, signal }, look) {
  const deadlineMs = Date.now() + timeoutSec * 1000;
  for (;;) {
    const problem = await interruptible(signal, look());
    if (problem === null) return;
    if (Date.now() > deadlineMs) throw complain(at, `${problem} in ${timeoutSec} s`);
    await interruptible(signal, sleep(pollMs));
  }
}
