/** Changes the running phase on request, within what the script has, and reports what the workers then do. */
import { isAllowed } from '../../run/steering.js';
import { planPhases } from '../pacing/schedule.js';

/** @import { LoadControl, Steerable, TurnRequest } from '../../run/facts/steering.d.ts' */
/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { FromGenerator, Job } from '../messages.js' */
/** @import { Phase } from '../pacing/schedule.js' */
/** @import { WorkerPool } from './workers.js' */

/** By then all workers have the message, so that they turn at the same moment. */
const HEAD_START_MS = 20;
/** Of a phase: its records are read whole. */
const MOST_TURNS = 500;

/**
 * @param {Phase[]} phases
 * @param {object} run
 * @param {Pick<Job, 'workers' | 'share'>} run.job
 * @param {number} run.startAtMs epoch
 * @param {Pick<WorkerPool, 'broadcast'>} run.pool
 * @param {NdjsonWriter} run.metrics
 * @param {(message: FromGenerator) => void} run.tell
 */
export function createSteering(phases, { job, startAtMs, pool, metrics, tell }) {
  const plan = planPhases(phases, startAtMs);
  /** Not yet confirmed by all workers. @type {Steerable & {atMs: number, to: number, left: number} | null} */
  let asked = null;

  /** @param {number} atMs @returns {LoadControl} */
  const read = atMs => {
    const entry = plan.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    if (job.share.of > job.workers) return { why: 'sender' };
    const of = entry && findLevel(entry.phase);
    if (!entry || !of) return { why: entry ? 'phase' : 'between' };
    const alike = phases.filter(phase => (phase.users === undefined) === (of !== 'users'));
    const most = Math.max(...alike.flatMap(phase => [phase[of] ?? 0, phase.rampTo ?? 0]));
    const index = plan.indexOf(entry);
    const { name = `phase ${index + 1}` } = entry.phase;
    const now = entry.turns.at(-1)?.to ?? entry.phase[of] ?? 0;
    return { index, phase: name, of, now, most };
  };
  const send = () => tell({ loadflame: 'control', control: read(Date.now()) });
  return {
    send,
    /** @param {TurnRequest} request */
    take({ index, to }) {
      const atMs = Date.now() + HEAD_START_MS;
      const control = read(atMs);
      if (asked || !isAllowed({ index, to }, control)) return;
      if (plan[index]?.turns.length === MOST_TURNS) return;
      asked = { ...control, atMs, to, left: job.workers };
      pool.broadcast({ kind: 'steer', turn: { index, atMs, to } });
    },
    /** A worker follows the newest turn. */
    confirm() {
      if (!asked || --asked.left > 0) return;
      const { index, phase, of, now: from, atMs: t, to } = asked;
      asked = null;
      plan[index]?.turns.push({ offsetMs: t - plan[index].fromMs, to });
      metrics.append('steered', { t, phase, of, from, to });
      send();
    },
  };
}

/** What of a phase can be changed. @param {Phase} phase */
function findLevel({ pause, users, arrivalCount, rampTo }) {
  if ([pause, arrivalCount, rampTo].some(own => own !== undefined)) return null;
  return users === undefined ? 'arrivalRate' : 'users';
}
