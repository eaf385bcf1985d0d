/** How far the numbers can be trusted: each check says what it measured and what it means. */
import { judgeLoad } from './quality-load.js';
import { judgeProfile } from './quality-profile.js';

/** @typedef {(id: string, level: 'ok' | 'warn' | 'bad', text: string) => void} Add */

/**
 * @param {Pick<import('./report.d.ts').Report, 'run' | 'load' | 'profile'>} facts
 * @param {{torn: number, totalRequests: number | null}} data lines that were cut off; the generator's
 *   own count of requests over the whole load, where it gave one
 * @returns {import('./report.d.ts').QualityItem[]}
 */
export function judgeQuality({ run, load, profile }, { torn, totalRequests }) {
  /** @type {import('./report.d.ts').QualityItem[]} */
  const items = [];
  /** @type {Add} */
  const add = (id, level, text) => items.push({ id, level, text });

  for (const reason of run.reasons) add('partial', 'warn', `Partial: ${reason}.`);
  if (torn > 0) add('torn', 'warn', `${torn} records were cut off when a recorder was killed.`);
  if (profile) judgeProfile(profile, add);
  if (load) judgeLoad(load, totalRequests, add);
  return items;
}
