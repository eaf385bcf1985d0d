/** Work that does not spread. */
import { jainIndex, mean } from '../math/summary.js';
import { THRESHOLDS } from './thresholds.js';

/**
 * @param {number[]} counts of each member
 * @param {'requests' | 'cpuMs'} unit
 */
export function isUneven(counts, unit) {
  const average = mean(counts);
  const max = Math.max(...counts);
  if (counts.length < 2 || (jainIndex(counts) ?? 1) > THRESHOLDS.unevenJain) return false;
  const isChance =
    unit === 'cpuMs'
      ? average < THRESHOLDS.unevenLeastCpuMs
      : max < average + THRESHOLDS.unevenSigmas * Math.sqrt(average);
  return !isChance && max >= average * THRESHOLDS.unevenMostOfMean;
}
