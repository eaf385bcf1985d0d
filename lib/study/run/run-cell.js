/** One cell: one run at one load, and what is measured of it. */
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { throwIfInterrupted } from '../../interruptible.js';
import { readProbe } from '../../record/probes/read-probe.js';
import { findPySpy } from '../../record/profiler/find-py-spy.js';
import { runSession } from '../../session.js';
import { describeGunicorn } from '../../target/describe-gunicorn.js';
import { measureCell } from '../measure/measure-cell.js';
import { runActions } from '../services/run-actions.js';
import { nameCell } from './name-cell.js';
import { findCutRuns } from './remove-leftovers.js';
import { writeCellScript } from './write-cell-script.js';

/** @import { CellKey, CellOutcome } from '../study-records.d.ts' */

/**
 * @param {import('./run-study.js').Attempt} attempt
 * @param {import('./start-target.js').BlockTarget} target
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
 * @param {import('./run-study.js').Attempt} attempt
 * @param {import('./start-target.js').BlockTarget} target
 * @param {CellKey} cell
 * @param {{signal: AbortSignal, onProgress: (text: string) => void}} options
 * @returns {Promise<CellOutcome & {folder: string}>}
 */
async function measure({ plan, files, work, onNote }, target, cell, { signal, onProgress }) {
  const { study } = plan;
  const names = target.names(cell.step);
  onProgress('getting ready …');
  await runActions(study.reset, {
    names,
    target: target.url,
    log: path.join(files.services, 'reset.log'),
    readProbe: name => readNamedProbe(target, name, signal),
    signal,
  });
  const script = path.join(files.cells, `${nameCell(plan, cell)}.json`);
  writeCellScript({
    study,
    cell,
    file: script,
    target: target.url,
    names,
    payload: target.payload,
  });
  const { files: run, loadEnd } = await runSession({
    config: target.config,
    command: `loadflame study run ${path.relative('', study.file)}`,
    root: files.runs,
    signal,
    // A generator starts in two thirds of the time with what the one before it compiled.
    load: { script, options: { compileCache: path.join(work, 'compiled') } },
    profile: cell.purpose === 'profile' ? await findProfileTarget(target) : null,
    isTargetReady: study.services.length > 0,
    processes: target.record.processes,
    probes: target.record.probes,
    gunicornPid: target.gunicornPid,
    onProgress,
    onNote,
  });
  throwIfInterrupted(signal);
  if (loadEnd?.reason === 'crashed') {
    throw new LoadflameError('STUDY_LOAD_CRASHED', {
      reason: loadEnd.logTail || 'it said nothing',
    });
  }
  const figures = await measureCell(run.folder, {
    componentsMost: target.record.componentsMost,
    throughput: study.throughput,
  });
  return { outcome: 'measured', figures, folder: path.relative(files.folder, run.folder) };
}

/** @param {import('./start-target.js').BlockTarget} target @param {string} name @param {AbortSignal} signal */
function readNamedProbe({ record }, name, signal) {
  const probe = record.probes?.find(one => one.name === name);
  if (!probe) throw new TypeError(`the study has no probe ${name}`);
  return readProbe(probe, { signal });
}

/**
 * @param {import('./start-target.js').BlockTarget} target
 * @returns {Promise<import('../../session.js').ProfileTarget>}
 * @throws {LoadflameError} PYSPY_…
 */
async function findProfileTarget({ config, gunicornPid }) {
  if (gunicornPid === null) throw new TypeError('the study has no gunicorn to profile');
  const pySpy = await findPySpy(config.get('PYSPY'));
  const { masterPid, workerClass, threads } = await describeGunicorn(gunicornPid);
  return { masterPid, pySpy, workerClass, threads };
}
