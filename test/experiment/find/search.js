import assert from 'node:assert/strict';
import { findSides, listLevels, nextStep } from '../../../lib/experiment/strategies/search.js';

/** @import { Step } from '../../../lib/experiment/strategies/search.js' */

/**
 * A search over steps that take no time.
 * @param {(level: number, isCoarse: boolean) => Step} measure
 * @param {Partial<Parameters<typeof nextStep>[1]>} [range]
 */
export function search(measure, range = {}) {
  /** @type {Step[]} */
  const steps = [];
  for (;;) {
    const next = nextStep(steps, { start: 10, lowest: 0.2, isWhole: false, ...range });
    if ('end' in next)
      return {
        ...next,
        steps,
        levels: steps.map(({ level }) => level),
        ...findSides(listLevels(steps)),
      };
    assert.ok(steps.length < 60, 'the search ends');
    steps.push(measure(next.level, next.isCoarse));
  }
}
