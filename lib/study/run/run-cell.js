/** One cell: one run at one load, and what is measured of it. */

import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { throwIfInterrupted } from '../../interruptible.js';
import { makePathsAbsolute } from '../../record/load/script/absolute-paths.js';
import { readScript } from '../../record/load/script/read-script.js';
import { readProbe } from '../../record/probes/read-probe.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { replaceFile } from '../../replace-file.js';
import { collectSecrets } from '../../run/redaction.js';
import { runSession } from '../../session.js';
import { measureCell } from '../measure/measure-cell.js';
import { PLATEAU } from '../measure/measurement-window.js';
import { runActions } from '../services/run-actions.js';
import { publishLog } from '../services/run-command.js';
import { fillTemplates } from '../study-file/fill.js';
import { nameCell } from './name-cell.js';
import { findCutRuns } from './study-folder.js';

/** @import { Redactor } from '../../run/redaction.js' */
/** @import { ProfileTarget } from '../../session.js' */
/** @import { Study } from '../study-file.d.ts' */
/** @import { CellKey, CellOutcome } from '../study-records.d.ts' */
/** @import { Attempt } from './run-study.js' */
/** @import { BlockTarget } from './start-target.js' */

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {CellKey} cell
 * @param {(text: string) => void} onProgress
 * @returns {Promise<CellOutcome & {folder: string | null}>} `folder` relative to the study's
 * @throws {LoadflameError} INTERRUPTED: the cell has to be run again
 */
export async function runCell(attempt, target, cell, onProgress) {
  const { files, journal, signal } = attempt;
  const died = new AbortController();
  void target.failure.then(error => died.abort(error));
  const over = AbortSignal.any([signal, died.signal]);
  try {
    return await measure(attempt, target, cell, { signal: over, onProgress });
  } catch (error) {
    throwIfInterrupted(signal);
    const { message } = died.signal.aborted ? died.signal.reason : error;
    const [cut] = findCutRuns(files, journal.records);
    const folder = cut ? path.relative(files.folder, cut) : null;
    return { outcome: 'failed', reason: message, folder };
  }
}

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {CellKey} cell
 * @param {{signal: AbortSignal, onProgress: (text: string) => void}} options
 * @returns {Promise<CellOutcome & {folder: string}>}
 */
async function measure(attempt, target, cell, { signal, onProgress }) {
  const { plan, files, redactor, work, onNote } = attempt;
  const { study } = plan;
  const names = target.names(cell.step);
  onProgress('getting ready …');
  const log = path.join(work, 'reset.log');
  await runActions(study.reset, {
    names,
    target: target.url,
    access: target.access,
    log,
    readProbe: name => readNamedProbe(target, name, signal),
    signal,
  }).finally(() => publishLog(log, path.join(files.services, 'reset.log'), redactor.redactText));
  const script = path.join(work, 'script', `${nameCell(plan, cell)}.json`);
  const shown = path.join(files.cells, path.basename(script));
  writeCellScript({ study, cell, target, names, file: script, shown, redactor });
  const { files: run, loadEnd } = await runSession({
    config: target.config,
    command: `loadflame study run ${path.relative('', study.file)}`,
    root: files.runs,
    signal,
    // A generator starts in two thirds of the time with what the one before it compiled.
    load: {
      script,
      options: {
        name: shown,
        compileCache: path.join(work, 'compiled'),
        // The plateau is whole seconds then, and none of them is lost.
        wholeSecondAfterMs: study.warmUpSec * 1000,
        insecure: attempt.insecure,
      },
    },
    profile: cell.purpose === 'profile' ? await findProfileTarget(target) : null,
    isTargetReady: study.services.length > 0,
    redactor,
    processes: target.record.processes,
    probes: target.record.probes,
    servers: target.servers,
    onProgress,
    onNote,
  });
  throwIfInterrupted(signal);
  if (loadEnd?.reason === 'crashed') {
    const reason = loadEnd.logTail || 'it said nothing';
    throw new LoadflameError('STUDY_LOAD_CRASHED', { reason });
  }
  const figures = await measureCell(run.folder, {
    componentsMost: target.record.componentsMost,
    throughput: study.throughput,
  });
  return { outcome: 'measured', figures, folder: path.relative(files.folder, run.folder) };
}

/** @param {BlockTarget} target @param {string} name @param {AbortSignal} signal */
function readNamedProbe({ record }, name, signal) {
  const probe = record.probes?.find(one => one.name === name);
  if (!probe) throw new TypeError(`the study has no probe ${name}`);
  return readProbe(probe, { signal });
}

/**
 * @param {BlockTarget} target
 * @returns {Promise<ProfileTarget>}
 * @throws {LoadflameError} PYSPY_…
 */
async function findProfileTarget({ config, servers: [server] }) {
  if (!server) throw new TypeError('the study has no server to profile');
  return { pySpy: await findPySpy(config.get('PYSPY')), server };
}

/**
 * More seconds' worth of open arrivals than this are never under way at once: the target is past all
 * use then, and memory is not endless. `MAX_VIRTUAL_USERS` of the study's settings says it otherwise.
 */
const BACKLOG_SEC = 5;
const LEAST_USERS = 100;

/**
 * @param {object} options
 * @param {Study} options.study
 * @param {CellKey} options.cell
 * @param {string} options.file to write and to run, JSON
 * @param {string} options.shown the same for people
 * @param {Redactor} options.redactor
 * @param {Pick<BlockTarget, 'url' | 'payload'>} options.target
 * @param {Record<string, unknown>} options.names of templates; others are Artillery's
 * @throws {LoadflameError} SCRIPT_…, STUDY_…, RUN_FOLDER_UNWRITABLE
 */
function writeCellScript({ study, cell, file, shown, redactor, target, names }) {
  const script = readScenario(study, names);
  const { config = {} } = script;
  const lists = [...target.payload, ...[config.payload ?? []].flat()];
  const whole = {
    ...script,
    config: {
      ...config,
      target: target.url,
      phases: planPhases(study, cell.step),
      ...(lists.length > 0 && { payload: lists }),
    },
  };
  for (const secret of collectSecrets(whole)) redactor.add(secret);
  const write = (/** @type {string} */ place, /** @type {unknown} */ what) =>
    replaceFile(place, `${JSON.stringify(what, null, 2)}\n`, { code: 'RUN_FOLDER_UNWRITABLE' });
  write(file, whole);
  write(shown, redactor.redactValue(whole));
}

/**
 * The same load twice: before it is measured, and while it is.
 * @param {Study} study
 * @param {number} step
 * @returns {Record<string, unknown>[]}
 */
function planPhases({ load, warmUpSec, durationSec, settings }, step) {
  const most = settings.MAX_VIRTUAL_USERS ?? Math.max(LEAST_USERS, Math.ceil(step * BACKLOG_SEC));
  const level =
    load.model === 'closed' ? { users: step } : { arrivalRate: step, maxVusers: Number(most) };
  return [
    { name: 'warm-up', duration: warmUpSec, ...level },
    { name: PLATEAU, duration: durationSec, ...level },
  ];
}

/**
 * Paths in a scenario are relative to the file that it stands in.
 * @param {Study} study
 * @param {Record<string, unknown>} names
 * @returns {Record<string, any>}
 */
function readScenario({ scenario, file }, names) {
  const source =
    'script' in scenario
      ? readScript(
          path.resolve(
            path.dirname(file),
            fillTemplates(scenario.script, names, { at: 'scenario' }),
          ),
        )
      : { file, script: scenario.inline, locate: () => file };
  const filled = fillTemplates(source.script, names, { at: 'scenario', keepUnknown: true });
  filled.config ??= {};
  makePathsAbsolute(filled, /** @type {any} */ (source));
  return filled;
}
