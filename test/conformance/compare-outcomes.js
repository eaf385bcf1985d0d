/** Says where two outcomes of one script differ. */
import path from 'node:path';
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
  for (const part of /** @type {const} */ (['vars', 'said', 'seen', 'printed'])) {
    const [should, is] = [expected[part], actual[part]];
    if (isDeepStrictEqual(should, is)) continue;
    const lost = should.filter(line => !is.includes(line));
    const gained = is.filter(line => !should.includes(line));
    lines.push(
      ...lost.map(line => `${part} − ${line}`),
      ...gained.map(line => `${part} + ${line}`),
    );
  }
  return lines;
}

/**
 * A refusal of ours points at its line, which has one of the names that the script lists, and says all of them.
 * @param {import('./list-scripts.js').ConformanceScript} script
 * @param {Outcome} ours
 * @returns {string[]} a line for what is missing
 */
export function findUnnamed({ name, text, names }, { ended, printed }) {
  const all = printed.join('\n');
  const lines = names.filter(one => !all.includes(one)).map(one => `printed nothing of ${one}`);
  if (!ended.startsWith('refused: ')) return lines;
  const [, line] = new RegExp(`<scripts>/${path.basename(name)}\\.yaml:(\\d+)`).exec(all) ?? [];
  const written = text.split('\n')[Number(line) - 1] ?? '';
  if (names.some(one => written.includes(one))) return lines;
  return [...lines, `refused without the line that has ${names.join(' or ') || 'a name'}`];
}
