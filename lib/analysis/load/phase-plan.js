/** What a phase was meant to be. */

/** @import { LoadReport } from '../../facts/load-report.d.ts' */

/** @typedef {LoadReport['phases'][number]} Phase */

/**
 * Do users come by a schedule, or is it the same ones that repeat?
 * @param {Record<string, any>} spec of a phase
 * @returns {Phase['model']}
 */
export function findModel(spec) {
  if (isGiven(spec.users)) return 'closed';
  const arrives = [spec.arrivalRate, spec.arrivalCount, spec.rampTo].some(isGiven);
  return arrives ? 'open' : 'none';
}

/**
 * What a phase was meant to be, as its script says.
 * @param {Record<string, any>} spec of a phase
 * @returns {Phase['plan']}
 */
export function readPlan({ pause, duration, users, arrivalRate, arrivalCount, rampTo, maxVusers }) {
  const read = (/** @type {unknown} */ value) => (isGiven(value) ? String(value) : null);
  return {
    lengthSec: read(pause ?? duration),
    users: read(users),
    arrivalRate: read(arrivalRate),
    arrivalCount: read(arrivalCount),
    rampTo: read(rampTo),
    maxVusers: read(maxVusers),
  };
}

/** @param {unknown} value */
function isGiven(value) {
  return value !== undefined && value !== null;
}

/** Is the load that of users who repeat, and of nobody who arrives? @param {Pick<Phase, 'model'>[]} phases */
export function isClosedLoop(phases) {
  const models = phases.map(({ model }) => model);
  return models.includes('closed') && !models.includes('open');
}
