/** Says where two outcomes of one script differ. */
import { isDeepStrictEqual } from 'node:util';

/** @typedef {import('./run-script.js').Outcome} Outcome */

/**
 * @param {Outcome} expected
 * @param {Outcome} actual
 * @returns {string[]} a line for each difference
 */
export function compareOutcomes(expected, actual) {
  const lines =
    expected.ended === actual.ended ? [] : [`ended: ${expected.ended} ≠ ${actual.ended}`];
  for (const part of /** @type {const} */ (['counters', 'summaries'])) {
    const names = new Set([...Object.keys(expected[part]), ...Object.keys(actual[part])]);
    for (const name of [...names].sort()) {
      const [should, is] = [expected[part][name], actual[part][name]];
      if (should !== is) lines.push(`${part} ${name}: ${should ?? 'none'} ≠ ${is ?? 'none'}`);
    }
  }
  for (const part of /** @type {const} */ (['vars', 'said', 'seen'])) {
    if (isDeepStrictEqual(expected[part], actual[part])) continue;
    const lost = expected[part].filter(line => !actual[part].includes(line));
    const gained = actual[part].filter(line => !expected[part].includes(line));
    lines.push(
      ...lost.map(line => `${part} − ${line}`),
      ...gained.map(line => `${part} + ${line}`),
    );
  }
  return lines;
}
