/** A pair of runs. Each starts the server of a side, warms it up, measures it and stops it. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { statOrNull } from '../../base/files/regular-file.js';
import { throwIfInterrupted } from '../../base/process/interruptible.js';
import { measureRun } from '../measure-run.js';
import { readSideRun } from './figures.js';
import { describeRemedy } from './remedies.js';

/** @import { Config } from '../../base/config/read-config.js' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { TryLoad, TrySide } from '../../run/facts/try.d.ts' */
/** @import { LoadOptions } from '../../load/load.d.ts' */
/** @import { ReportedPair, SideRun } from './figures.js' */
/** @import { SideName } from './sides.js' */
/** @import { ProfileTarget } from '../start-recorders.js' */

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
 * @param {SideName[]} order
 * @param {Omit<Parameters<typeof measureSide>[1], 'isTargetReady' | 'earlier'> & {sides: Record<SideName, TrySide>,
 *   checked: Set<SideName>, onRun: (name: SideName, run: SideRun) => void}} context `checked`: sides of earlier runs;
 *   `onRun` gets each run after its analysis
 * @returns {Promise<ReportedPair>}
 * @throws {LoadflameError} TRY_SIDE_FAILED, INTERRUPTED, and what `onRun` throws
 */
export async function measurePair(order, { sides, checked, onRun, ...context }) {
  const { onProgress } = context;
  /** @type {Partial<ReportedPair>} */
  const measured = {};
  /** @type {Promise<unknown>} */
  let earlier = Promise.resolve();
  for (const name of order) {
    const side = sides[name];
    const { ended } = await measureSide(side, {
      ...context,
      earlier,
      isTargetReady: checked.has(name),
      onProgress: text => onProgress(`${side.label}: ${text}`),
    });
    checked.add(name);
    earlier = ended.then(run => {
      onRun(name, run);
      measured[name] = run;
    });
    earlier.catch(() => {});
  }
  await earlier;
  return /** @type {ReportedPair} */ (measured);
}

/**
 * Analyses the run while its server stops and the next one starts. Nothing else is analysed or stops during a load.
 * @param {TrySide} side
 * @param {Measuring & {load: TryLoad, folder: string, root: string, isTargetReady: boolean, earlier: Promise<unknown>}} context
 *   `folder` of the try, `root` of its runs; `isTargetReady`: a run of this side was checked; `earlier`: end of the last run
 * @returns {Promise<{ended: Promise<SideRun>}>} the next server may start; `ended`: it was analysed and its server has stopped
 * @throws {LoadflameError} TRY_SIDE_FAILED, INTERRUPTED, and what `earlier` throws
 */
async function measureSide(side, context) {
  const { tools, signal, onProgress } = context;
  const fix = side.env.LOADFLAME_REMEDY;
  const token = randomBytes(16).toString('hex');
  const env = fix ? { ...side.env, LOADFLAME_REMEDY_TOKEN: token } : side.env;
  const own = path.join(context.folder, 'server.log');
  const from = statOrNull(own)?.size ?? 0;
  // The demo removes its log when it stops.
  const read = ({ log = own }) =>
    fix && statOrNull(log) ? readFileSync(log).subarray(from).toString() : '';
  const analyse = async (/** @type {string} */ folder) =>
    readSideRun(folder, await tools.writeReport(folder));
  const fail = (/** @type {unknown} */ error) => {
    throwIfInterrupted(signal);
    // What names its side already is of the earlier one.
    if (!(error instanceof LoadflameError) || 'label' in error.data) throw error;
    const { message: problem, hint } = error;
    const data = { label: side.label, problem, hint };
    throw new LoadflameError('TRY_SIDE_FAILED', data, { cause: error });
  };
  /** @type {Promise<SideRun> | null} */
  let analysed = null;
  /** @type {Promise<void> | null} */
  let stopped = null;
  try {
    throwIfInterrupted(signal);
    onProgress('starting its server …');
    const started = await tools.start({ ...side, env }, context.folder);
    let said = '';
    try {
      await context.earlier;
      const { folder } = await sendLoad(started, context);
      onProgress('writing its report …');
      analysed = analyse(folder).catch(fail);
      // Its failure is for those who wait for it.
      analysed.catch(() => {});
    } finally {
      said = read(started);
      stopped = started.stop();
      // The demo has ports of its own: the next one starts meanwhile.
      if (side.command !== null) await stopped;
    }
    if (fix) context.onNote(describeRemedy(fix, read(started) || said, token));
    return {
      ended: Promise.all([analysed, stopped]).then(([run]) => /** @type {SideRun} */ (run)),
    };
  } catch (error) {
    await Promise.allSettled([context.earlier, analysed, stopped]);
    return fail(error);
  }
}

/** @param {StartedSide} started @param {Parameters<typeof measureSide>[1]} context */
async function sendLoad(started, { load, options, tools, ...context }) {
  const { config, script } = started;
  const profile = await tools.findServer(started);
  // Nothing after the measured phase counts.
  const own = { load: { script, options: { ...options, endsSoon: true } }, isServerNew: true };
  return measureRun({ ...context, ...own, config, profile }, load);
}
