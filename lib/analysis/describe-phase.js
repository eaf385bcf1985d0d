/** What a phase was meant to be, in words. */

/** @typedef {import('./report.d.ts').LoadReport['phases'][number]} Phase */

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
 * "30 s, open arrivals, 3 → 10 users/s, at most 20 at once"; "60 s, closed loop, 50 users".
 * @param {Record<string, any>} spec of a phase
 */
export function describePhase(spec) {
  const model = findModel(spec);
  const length = spec.pause ?? spec.duration;
  const parts = [
    isGiven(length) ? `${length} s` : null,
    { open: 'open arrivals', closed: 'closed loop', none: 'no arrivals' }[model],
    model === 'none' ? null : describeAmount(spec),
    isGiven(spec.maxVusers) ? `at most ${spec.maxVusers} at once` : null,
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {Record<string, any>} spec */
function describeAmount({ users, arrivalRate, arrivalCount, rampTo }) {
  const from = users ?? arrivalRate ?? arrivalCount ?? 0;
  const range = isGiven(rampTo) ? `${from} → ${rampTo}` : String(from);
  const noun = range === '1' ? 'user' : 'users';
  const isRate = !isGiven(users) && (isGiven(arrivalRate) || isGiven(rampTo));
  return `${range} ${noun}${isRate ? '/s' : ''}`;
}

/** @param {unknown} value */
function isGiven(value) {
  return value !== undefined && value !== null;
}
