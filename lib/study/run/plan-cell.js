/** What is sent in a cell: its phases, and how long a request may take. */
import { availableParallelism } from 'node:os';
import { sum } from '../../math/summary.js';
import { AFTER, BEFORE, PLATEAU } from '../measure/measurement-window.js';
import { drainSec, listSteps } from '../study-file/matrix.js';
import { listEndedCells } from './choose-next-cell.js';

/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { CellKey, JournalRecord } from '../../facts/study-records.d.ts' */

/**
 * More seconds' worth of open arrivals than this are never under way at once: the target is past all
 * use then, and memory is not endless. `MAX_VIRTUAL_USERS` of the study's settings says it otherwise.
 */
const BACKLOG_SEC = 5;
const LEAST_USERS = 100;
/** Of arrivals that are due at once; a phase that lasts no time is none. */
const AT_ONCE_SEC = 0.001;
/** Each user of a cell has so many transactions, at least. */
const LEAST_EACH = 3;
/** As the load engine has it where nothing says otherwise. */
const TIMEOUT_SEC = 10;

/**
 * The same load twice: before it is measured, and while it is. A burst has nothing before it, and a spike
 * the load that comes all the time before and after it.
 * @param {Study} study @param {CellKey} cell
 * @param {{isFirst: boolean, records: JournalRecord[], cpus?: number}} block `isFirst`: the target has just been
 *   started
 * @returns {{phases: Record<string, unknown>[], leadMs: number, timeoutSec: number | null}} `leadMs` of phases
 *   before what is measured; null: as the scenario says it
 */
export function planCell(study, cell, { isFirst, records, cpus = availableParallelism() }) {
  const { load, settings, blockWarmUpSec, transactionSec = 0, warmUpSec, durationSec } = study;
  const { step } = cell;
  if (load.model === 'burst')
    return {
      phases: [{ name: PLATEAU, duration: AT_ONCE_SEC, arrivalCount: step }],
      leadMs: 0,
      // the last one waits for all before it
      timeoutSec: durationSec,
    };
  const { of = '', base = 0 } = load;
  const isSpike = load.model === 'spike';
  // as many may be under way before, in and after a spike: what waits is not gone when it is over
  const levelAt = (/** @type {number} */ users) =>
    load.model === 'closed'
      ? { users }
      : {
          arrivalRate: isSpike ? base : users,
          maxVusers: Number(
            settings.MAX_VIRTUAL_USERS ??
              Math.max(LEAST_USERS, Math.ceil((base + users) * BACKLOG_SEC)),
          ),
        };
  const most = Math.max(...listSteps(load));
  const drain = drainSec(study);
  const expectedSec = expectTransaction(transactionSec, cell, { records, cpus });
  const level = levelAt(step);
  const measured = { duration: Math.max(durationSec, LEAST_EACH * expectedSec), ...level };
  /** @type {{name?: string, duration?: number, pause?: number}[]} */
  const before = [
    ...(blockWarmUpSec && isFirst
      ? [{ name: 'first warm-up', duration: blockWarmUpSec, ...levelAt(most) }]
      : []),
    ...(isFirst && drain > 0 ? [{ pause: drain }] : []),
    { name: 'warm-up', duration: Math.max(warmUpSec, expectedSec), ...level },
    ...(isSpike ? [{ name: BEFORE, ...measured }] : []),
  ];
  return {
    leadMs: sum(before.map(({ duration = 0, pause = 0 }) => duration + pause)) * 1000,
    phases: [
      ...before,
      { name: PLATEAU, ...measured, ...(isSpike && { more: { [of]: step } }) },
      ...(isSpike ? [{ name: AFTER, ...measured }] : []),
    ],
    // even where one is served after the other
    timeoutSec: transactionSec ? Math.max(TIMEOUT_SEC, Math.ceil(transactionSec * most)) : null,
  };
}

/**
 * How long a transaction takes in this cell where all wait for the cores: as in the step before, and in
 * proportion to the load from there, or from one for each core.
 * @param {number} aloneSec @param {CellKey} cell @param {{records: JournalRecord[], cpus: number}} known
 * @returns {number} whole seconds
 */
function expectTransaction(aloneSec, { variant, repeat, step }, { records, cpus }) {
  if (aloneSec === 0) return 0;
  const before = listEndedCells(records, variant).findLast(cell => cell.repeat === repeat);
  const latency = before?.outcome === 'measured' ? before.figures.latency : null;
  const more = Math.max(1, step / Math.max(cpus, before?.step ?? step));
  const seenSec = latency ? (latency.meanMs / 1000) * more : 0;
  return Math.ceil(Math.max(aloneSec, seenSec));
}
