/** Sends the requests of scenarios one after the other, and passes on each whole: no load, and no folder that stays. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LoadflameError } from '../base/errors.js';
import { makeFolder } from '../base/files/own-files.js';
import { interruptible, stoppable } from '../base/process/interruptible.js';
import { findSecrets, prepareLoad, startLoad } from '../load/start-load.js';
import { runFiles } from '../run/run-folder.js';
import { startLogin } from './login.js';
import { checkTarget } from './preflight/preflight.js';
import { readScenarioBlock } from './preflight/scenario-block.js';

/** @import { LoadEnd, LoadListeners, LoadOptions } from '../load/load.d.ts' */
/** @import { WholeRequest } from '../run/facts/whole-request.d.ts' */
/** @import { Config } from '../base/config/read-config.js' */
/** @import { Redactor } from '../base/files/redaction.js' */

/**
 * @param {object} options
 * @param {Config} options.config
 * @param {{script: string, options: LoadOptions}} options.load
 * @param {string[]} [options.scenarios] names; without it all
 * @param {number} [options.times] each
 * @param {number} [options.mostTimes] see Once
 * @param {string} [options.asks] of the companion, see NAMES_HEADER
 * @param {boolean} [options.logsIn] false: without tokens, even if a login is configured
 * @param {Redactor} options.redactor
 * @param {LoadListeners} options.say
 * @param {(text: string) => void} options.onProgress
 * @param {AbortSignal} options.signal
 * @returns {Promise<{requests: WholeRequest[], failed: number, users: number, failedUsers: number, loadEnd: LoadEnd, isTooMany: boolean}>}
 *   `isTooMany`: more requests or users failed than ALLOWED_FAILURES
 * @throws {LoadflameError} SCENARIO_UNKNOWN, TARGET_…, and what a load throws before it begins
 */
export async function runOnce({ load, scenarios, times = 1, asks, logsIn = true, ...options }) {
  const { mostTimes, redactor, say, onProgress, signal } = options;
  const block = readScenarioBlock(load.script, load.options);
  const config = options.config.withVariables(block.variables);
  const own = { ...load.options, workers: 1, engine: /** @type {const} */ ('loadflame') };
  const prepared = prepareLoad(load.script, config, own);
  for (const secret of [...config.secrets, ...findSecrets(prepared)])
    redactor.add(secret, { forever: true });
  for (const { name } of block.variables) config.require(name);
  const names = chooseScenarios(prepared.scenarios, scenarios);
  // Its results are shown with the requests.
  const { expect } = prepared.script.config.plugins ?? {};
  if (expect) Object.assign(expect, { formatter: 'silent' });
  const { target } = prepared;
  const talk = { target, onProgress, onNote: say.onNote };
  const starting = logsIn ? startLogin(config, redactor, talk) : Promise.resolve(null);
  const login = await interruptible(signal, starting).catch(error => {
    throw redactor.redactError(error);
  });
  const folder = path.join(os.tmpdir(), `loadflame-${randomUUID()}`);
  makeFolder(folder, { isNew: true });
  /** @type {WholeRequest[]} */
  const requests = [];
  try {
    const running = await startLoad({
      prepared,
      settings: config,
      files: runFiles(folder),
      tokens: login?.tokens ?? null,
      redactor,
      options: { ...own, once: { scenarios: names, times, mostTimes, asks } },
      say: {
        ...say,
        onRequest: request => {
          requests.push(request);
          say.onRequest?.(request);
        },
      },
      signal,
    });
    const stop = () => void running.stop();
    const loadEnd = await stoppable(signal, stop, running.ended);
    // Only then: its own request would be one more, whose response takes the names of statements.
    if (requests.length > 0 && requests.every(({ status }) => status === null))
      await checkTarget(config, block, prepared);
    const { 'vusers.failed': failedUsers = 0, 'vusers.created': users = 0 } = loadEnd.counters;
    const failed = requests.filter(hasFailed).length;
    const share = Math.max(failed / (requests.length || 1), failedUsers / (users || 1));
    const allowed = config.get('ALLOWED_FAILURES');
    return { requests, failed, users, failedUsers, loadEnd, isTooMany: share > allowed };
  } finally {
    await login?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {WholeRequest} request */
const hasFailed = ({ status, error }) => error !== null || (status ?? 0) >= 400;

/** @param {string[]} known @param {string[]} [wanted] @throws {LoadflameError} SCENARIO_UNKNOWN */
function chooseScenarios(known, wanted) {
  const unknown = wanted?.find(name => !known.includes(name));
  if (unknown === undefined) return wanted ?? known;
  throw new LoadflameError('SCENARIO_UNKNOWN', { name: unknown, known: known.join(', ') });
}
