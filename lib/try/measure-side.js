/** One run: starts the server of a side, warms it up, measures it and stops it. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { statOrNull } from '../files/regular-file.js';
import { throwIfInterrupted } from '../process/interruptible.js';
import { runSession } from '../session.js';
import { planPhase } from './choose-load.js';
import { describeRemedy } from './remedies.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { TryLoad, TrySide } from '../facts/try.d.ts' */
/** @import { LoadOptions } from '../record/load/load.d.ts' */
/** @import { ProfileTarget } from '../record/start-recorders.js' */

/** The running server of a side. @typedef {{config: Config, pid: number | null, script: string, log?: string, stop: () => Promise<void>}} StartedSide */

/**
 * Functions that the command line shares between its commands.
 * @typedef {object} Tools
 * @property {(side: TrySide, folder: string) => Promise<StartedSide>} start resolves when it responds; `folder`: for its log
 * @property {(started: StartedSide) => Promise<ProfileTarget>} findServer
 * @property {(folder: string) => Promise<Report>} writeReport of a run
 */

/**
 * @typedef {object} Measuring
 * @property {LoadOptions} options of the load
 * @property {string} command as typed
 * @property {Tools} tools
 * @property {AbortSignal} signal
 * @property {(text: string) => void} onProgress
 * @property {(line: string) => void} onNote
 */

/**
 * @param {TrySide} side
 * @param {Measuring & {load: TryLoad, folder: string, root: string, work: string}} context `folder` of the try, `root`
 *   of its runs; `work`: a temporary one
 * @returns {Promise<{folder: string, report: Report}>} its run
 * @throws {LoadflameError} TRY_SIDE_FAILED, INTERRUPTED
 */
export async function measureSide(side, context) {
  const { tools, signal, onProgress } = context;
  const fix = side.env.LOADFLAME_REMEDY;
  const token = randomBytes(16).toString('hex');
  const env = fix ? { ...side.env, LOADFLAME_REMEDY_TOKEN: token } : side.env;
  const own = path.join(context.folder, 'server.log');
  const from = statOrNull(own)?.size ?? 0;
  // The demo removes its log when it stops.
  const read = ({ log = own }) =>
    fix && statOrNull(log) ? readFileSync(log).subarray(from).toString() : '';
  try {
    onProgress('starting its server …');
    const started = await tools.start({ ...side, env }, context.folder);
    let said = '';
    const folder = await sendLoads(started, context).finally(async () => {
      said = read(started);
      await started.stop();
    });
    if (fix) context.onNote(describeRemedy(fix, read(started) || said, token));
    onProgress('writing its report …');
    return { folder, report: await tools.writeReport(folder) };
  } catch (error) {
    throwIfInterrupted(signal);
    if (!(error instanceof LoadflameError)) throw error;
    const { message: problem, hint } = error;
    const data = { label: side.label, problem, hint };
    throw new LoadflameError('TRY_SIDE_FAILED', data, { cause: error });
  }
}

/** @param {StartedSide} started @param {Parameters<typeof measureSide>[1]} context @returns {Promise<string>} folder of the run */
async function sendLoads(started, context) {
  const { load, options, command, root, work, tools, signal, onProgress, onNote } = context;
  const { config, script } = started;
  const loadOf = (/** @type {'warm-up' | 'measured'} */ name) => ({
    script,
    options: {
      ...options,
      overrides: { ...options.overrides, config: { phases: [planPhase(load, name)] } },
    },
  });
  const isTargetReady = load.warmUpSec > 0;
  if (isTargetReady) {
    const warm = path.join(work, 'warm-up');
    await runSession({
      ...{ config, command, signal, root: warm, profile: null, load: loadOf('warm-up') },
      onProgress: () => onProgress('warming up …'),
      onNote: () => {},
    });
    rmSync(warm, { recursive: true, force: true });
    throwIfInterrupted(signal);
  }
  const profile = await tools.findServer(started);
  const { files, loadEnd } = await runSession({
    ...{ config, command, signal, root, profile, isTargetReady, onProgress, onNote },
    load: loadOf('measured'),
  });
  throwIfInterrupted(signal);
  if (loadEnd?.reason === 'crashed')
    throw new LoadflameError('STUDY_LOAD_CRASHED', { reason: loadEnd.logTail || 'no output' });
  return files.folder;
}
