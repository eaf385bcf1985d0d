/** One cell: one run at one load, and its figures. */

import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectSecrets } from '../../../base/files/redaction.js';
import { replaceFile } from '../../../base/files/replace-file.js';
import { throwIfInterrupted } from '../../../base/process/interruptible.js';
import { makePathsAbsolute } from '../../../load/script/absolute-paths.js';
import { readScript } from '../../../load/script/read-script.js';
import { readProbe } from '../../../record/probes/read-probe.js';
import { findNeededPySpy } from '../../../record/profiler/find-py-spy.js';
import { MEASURED } from '../../choose-load.js';
import { completeRun } from '../../measure-run.js';
import { measureCell } from '../measure/measure-cell.js';
import { fillTemplates } from '../study-file/variables.js';
import { nameCell, planCell } from './plan-cell.js';
import { runStep } from './start-target.js';

/** @import { Script } from '../../../load/script.d.ts' */
/** @import { Redactor } from '../../../base/files/redaction.js' */
/** @import { ProfileTarget } from '../../start-recorders.js' */
/** @import { Study } from '../../../run/facts/study-file.d.ts' */
/** @import { CellKey, CellOutcome } from '../../../run/facts/study-records.d.ts' */
/** @import { Attempt } from './attempt.d.ts' */
/** @import { BlockTarget } from './start-target.js' */

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {CellKey} cell
 * @param {(text: string) => void} onProgress
 * @returns {Promise<CellOutcome & {folder: string | null}>} `folder` relative to the study's
 * @throws {LoadflameError} INTERRUPTED: the cell has to run again
 */
export async function runCell(attempt, target, cell, onProgress) {
  const { files, opened, signal } = attempt;
  const died = new AbortController();
  void target.failure.then(error => died.abort(error));
  const over = AbortSignal.any([signal, died.signal]);
  try {
    return await measure(attempt, target, cell, { onProgress, signal: over });
  } catch (error) {
    throwIfInterrupted(signal);
    const { message } = died.signal.aborted ? died.signal.reason : error;
    const [cut] = opened.listCutRuns();
    const folder = cut ? path.relative(files.folder, cut) : null;
    return { outcome: 'failed', reason: message, folder };
  }
}

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {CellKey} cell
 * @param {{onProgress: (text: string) => void, signal: AbortSignal}} options
 * @returns {Promise<CellOutcome & {folder: string}>}
 */
async function measure(attempt, target, cell, { signal, onProgress }) {
  const { plan, files, redactor, work, onNote } = attempt;
  const { study } = plan;
  const variables = { ...target.variables, STUDY_STEP: String(cell.step) };
  onProgress('getting ready …');
  await runStep({ ...attempt, onProgress }, 'reset', { ...target, variables, signal });
  const script = path.join(work, 'script', `${nameCell(plan, cell)}.json`);
  const shown = path.join(files.cells, path.basename(script));
  const planned = planCell(study, cell.step);
  writeCellScript({ study, plan: planned, target, variables, file: script, shown, redactor });
  const afterLoad = await watchDrain(target, study, cell, signal);
  const run = await completeRun({
    config: target.config,
    command: attempt.command,
    root: files.runs,
    signal,
    load: {
      script,
      options: {
        name: shown,
        // The plateau then starts on a whole second, and none of its seconds is lost.
        wholeSecondAfterMs: planned.leadMs,
        insecure: attempt.insecure,
        ...(study.load.cpus && {
          cpus: String(fillTemplates(study.load.cpus, variables, { at: 'load.cpus' })),
        }),
      },
    },
    profile: cell.purpose === 'profile' ? await findProfileTarget(target) : null,
    // A spike is judged by what is before and after it, and a burst by its middle.
    measuredPhase: ['closed', 'open'].includes(study.load.model) ? MEASURED : undefined,
    isTargetReady: study.services.length > 0,
    redactor,
    processes: target.record.processes,
    probes: target.record.probes,
    servers: target.servers,
    afterLoad,
    onProgress,
    onNote,
  });
  const figures = await measureCell(run.folder, {
    componentsMost: target.record.componentsMost,
    throughput: study.throughput,
    burst: study.load.model === 'burst' ? cell.step : null,
    isSpike: study.load.model === 'spike',
  });
  return { outcome: 'measured', figures, folder: path.relative(files.folder, run.folder) };
}

const DRAIN_POLL_MS = 200;
/** Long enough for one more reading of the records that are written twice a second. */
const LAST_LOOK_MS = 600;

/**
 * A pipeline keeps working on a burst after it has accepted all of it.
 * @param {BlockTarget} target @param {Study} study @param {CellKey} cell @param {AbortSignal} signal
 * @returns {Promise<(() => Promise<void>) | undefined>} waits until everything is done or the time is up
 */
async function watchDrain(target, { load, throughput, durationSec }, { step }, signal) {
  if (load.model !== 'burst' || !throughput) return undefined;
  const probe = target.record.probes?.find(({ name }) => name === throughput.probe);
  if (!probe) throw new TypeError(`the study has no probe ${throughput.probe}`);
  const read = async () => (await readProbe(probe, { signal }))[throughput.field] ?? 0;
  const wanted = (await read()) + step;
  return async () => {
    const untilMs = Date.now() + durationSec * 1000;
    const isOver = async () => (await read().catch(() => 0)) >= wanted;
    while (!signal.aborted && Date.now() < untilMs && !(await isOver())) await sleep(DRAIN_POLL_MS);
    await sleep(LAST_LOOK_MS);
  };
}

/**
 * @param {BlockTarget} target
 * @returns {Promise<ProfileTarget>}
 * @throws {LoadflameError} PYSPY_…
 */
async function findProfileTarget({ config, servers: [server] }) {
  if (!server) throw new TypeError('the study has no server to profile');
  return { pySpy: await findNeededPySpy(config), server };
}

/**
 * @param {object} options
 * @param {Study} options.study
 * @param {ReturnType<typeof planCell>} options.plan
 * @param {string} options.file to write and to run, JSON
 * @param {string} options.shown path of a copy for people
 * @param {Redactor} options.redactor
 * @param {Pick<BlockTarget, 'url'>} options.target
 * @param {Record<string, string>} options.variables
 * @throws {LoadflameError} SCRIPT_…, STUDY_…, RUN_FOLDER_UNWRITABLE
 */
function writeCellScript({ study, plan, file, shown, redactor, target, variables }) {
  const { phases, timeoutSec } = plan;
  const script = readScenario(study, variables);
  const { config = {} } = script;
  const whole = {
    ...script,
    config: {
      ...config,
      target: target.url,
      phases,
      ...(timeoutSec && { http: { timeout: timeoutSec, ...config.http } }),
    },
  };
  for (const secret of collectSecrets(whole)) redactor.add(secret);
  const write = (/** @type {string} */ place, /** @type {unknown} */ what) =>
    replaceFile(place, `${JSON.stringify(what, null, 2)}\n`, { code: 'RUN_FOLDER_UNWRITABLE' });
  write(file, whole);
  write(shown, redactor.redactValue(whole));
}

/**
 * Paths in a scenario are relative to its own file.
 * @param {Study} study
 * @param {Record<string, string>} variables
 * @returns {Script}
 */
function readScenario({ scenario, file }, variables) {
  const source =
    'script' in scenario
      ? readScript(
          path.resolve(
            path.dirname(file),
            fillTemplates(scenario.script, variables, { at: 'scenario' }),
          ),
        )
      : { file, script: /** @type {Script} */ (scenario.inline), locate: () => file };
  const filled = fillTemplates(source.script, variables, { at: 'scenario', keepOthers: true });
  filled.config ??= {};
  makePathsAbsolute(filled, /** @type {any} */ (source));
  return filled;
}
