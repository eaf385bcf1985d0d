/** What an objective asks for, by arithmetic alone. */
import { formatCount, formatDuration, formatMs, formatNumberOf } from '../../../format.js';

import { formatChosenShare } from '../format-chosen-share.js';

/** @typedef {import('../../study-file.d.ts').Objective} Objective */

/**
 * Clients that come once per interval make a rate: clients ÷ interval.
 * @param {Objective} objective
 * @returns {number | null} per second; null where the objective names neither
 */
export function rateOf({ ratePerSec, clients, intervalSec }) {
  if (ratePerSec !== null) return ratePerSec;
  return clients !== null && intervalSec ? clients / intervalSec : null;
}

/**
 * How many are busy at a time: the utilization law, rate × service time (P. Denning, J. Buzen,
 * Computing Surveys 10 (1978)); and how many that makes when a share of them stays free. It counts work
 * and no queues: how long one waits at a given head-room depends on how arrivals and service times
 * spread, which is measured and not computed.
 * @param {number} ratePerSec
 * @param {number} serviceSec
 * @param {number} headroom share that stays free, 0…1
 * @returns {{busy: number, needed: number}}
 */
function countWorkers(ratePerSec, serviceSec, headroom) {
  const busy = ratePerSec * serviceSec;
  return { busy, needed: Math.max(1, Math.ceil(busy / (1 - headroom))) };
}

/**
 * How long one transaction keeps what serves it: a worker that is full, or a slot (workers × threads)
 * where nobody waits.
 * @typedef {{seconds: number, of: 'worker' | 'slot'}} ServiceTime
 */

/**
 * @param {Objective} objective
 * @param {ServiceTime | null} service
 * @returns {string | null} null where nothing had to be computed
 */
export function describeDemand(objective, service) {
  const rate = rateOf(objective);
  if (rate === null) return null;
  const { clients, intervalSec, headroom } = objective;
  const parts = [];
  if (objective.ratePerSec === null && clients !== null && intervalSec)
    parts.push(
      `${formatNumberOf(clients, 'client')} every ${formatDuration(intervalSec * 1000)} are ${formatSmallRate(rate)}/s`,
    );
  if (service !== null) {
    const { busy, needed } = countWorkers(rate, service.seconds, headroom);
    const what = service.of === 'worker' ? '' : ' (workers × threads)';
    parts.push(
      `at ${formatMs(service.seconds * 1000)} each they keep ${formatSmallRate(busy)} at work at a time: ${formatNumberOf(needed, service.of)}${what} with ${formatChosenShare(headroom)} head-room`,
    );
  }
  return parts.length > 0 ? parts.join('; ') : null;
}

/** 0.694 → "0.69", 625 → "625" @param {number} value */
export function formatSmallRate(value) {
  if (value >= 99.5) return formatCount(value);
  return String(Number(value.toPrecision(2)));
}
