/** What the lines mean that py-spy 0.4 prints while it records. */

/**
 * @typedef {{kind: 'sampling'}
 *   | {kind: 'late', lateMs: number}
 *   | {kind: 'written', samples: number, errors: number}} PySpyLine
 */

/** How Rust prints a duration: `1.25s`, `310.00ms`, `95.10µs`. @type {Record<string, number>} */
const UNIT_MS = { s: 1000, ms: 1, µs: 0.001, ns: 0.000001 };

/**
 * @param {string} line
 * @returns {PySpyLine | null} null for all that does not matter
 */
export function parsePySpyLine(line) {
  if (/Sampling process \d/.test(line)) return { kind: 'sampling' };
  const late = /([\d.]+)(s|ms|µs|ns) behind in sampling/.exec(line);
  if (late) return { kind: 'late', lateMs: Number(late[1]) * (UNIT_MS[late[2] ?? ''] ?? 0) };
  const written = /Wrote .*Samples: (\d+) Errors: (\d+)/.exec(line);
  if (written) return { kind: 'written', samples: Number(written[1]), errors: Number(written[2]) };
  return null;
}
