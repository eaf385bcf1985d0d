/** How far the numbers can be trusted: each check says what it measured and what it means. */
import { judgeLoad } from './quality-load.js';
import { judgeProfile } from './quality-profile.js';
import { judgeClock, judgeLogs, judgeRoom, judgeSize, judgeThrottling } from './quality-target.js';
import { judgeWaits } from './quality-waits.js';

/** @typedef {(id: string, level: 'ok' | 'warn' | 'bad', text: string) => void} Add */

/**
 * What is known of a run besides its report.
 * @typedef {object} QualityData
 * @property {number} torn lines that were cut off
 * @property {number | null} totalRequests the generator's own count over the whole load, where it gave one
 * @property {import('./throttling.js').Throttling} throttling
 * @property {import('./clock-skew.js').ClockSkew | null} clock
 * @property {string[]} waitsLost why looks at waiting threads are missing
 * @property {string[]} logsEnded why logs could not be followed any longer
 */

/** Of loose files nothing is known besides. @type {QualityData} */
export const NOTHING_BESIDES = {
  torn: 0,
  totalRequests: null,
  throttling: { generator: null, target: null },
  clock: null,
  waitsLost: [],
  logsEnded: [],
};

/**
 * @param {Pick<import('./report.d.ts').Report, 'run' | 'load' | 'profile' | 'logs'>} facts
 * @param {QualityData} data
 * @returns {import('./report.d.ts').QualityItem[]}
 */
export function judgeQuality(facts, data) {
  const { torn, totalRequests, throttling, clock, waitsLost, logsEnded } = data;
  const { run, load, profile, logs } = facts;
  /** @type {import('./report.d.ts').QualityItem[]} */
  const items = [];
  /** @type {Add} */
  const add = (id, level, text) => items.push({ id, level, text });

  for (const reason of run.reasons) add('partial', 'warn', `Partial: ${reason}.`);
  if (torn > 0) add('torn', 'warn', `${torn} records were cut off when a recorder was killed.`);
  if (profile) {
    judgeProfile(profile, add);
    judgeWaits(profile, waitsLost, add);
  }
  if (load) {
    judgeLoad(load, totalRequests, add);
    judgeSize(load, add);
  }
  judgeRoom(facts, add);
  judgeThrottling(throttling, add);
  if (clock) judgeClock(clock, add);
  judgeLogs(logs, logsEnded, add);
  return items;
}
