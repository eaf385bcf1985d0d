/** `--quick` fails when this engine is less ahead of Artillery's than it should be. */

import { median } from '../../lib/base/math/summary.js';
import { compareRounds } from './render.js';

/** Requests per CPU-second, as a multiple of Artillery's in the same run: about three quarters of what is measured at leisure. */
export const QUICK_BOUNDS = Object.freeze({ 'closed-loop': 9, 'ten-gets': 6, 'one-get': 2.5 });

/**
 * @param {Pick<import('./bench.d.ts').Work, 'name' | 'ratioOf'>} work
 * @param {readonly import('./bench.d.ts').ToolResult[]} results
 * @param {Readonly<Record<string, number>>} bounds
 * @param {(line: string) => void} say
 * @returns {number} how many bounds were not kept: 0 or 1
 */
export function checkBounds({ name, ratioOf }, results, bounds, say) {
  const bound = bounds[name];
  if (bound === undefined || ratioOf === undefined) return 0;
  const ratio = median(compareRounds(results, 'loadflame', ratioOf));
  const isGood = ratio >= bound;
  say(`${isGood ? 'good' : 'BAD'}: ${name} is ${ratio.toFixed(1)} × Artillery, to be ≥ ${bound}`);
  return isGood ? 0 : 1;
}
