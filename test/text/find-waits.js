/** Finds and names the bottleneck of a run whose waits a test states. */
import { findBottleneck } from '../../lib/analysis/bottleneck/find-bottleneck.js';
import { gatherRunFacts } from '../../lib/analysis/judge/bottleneck/gather-run.js';
import { sayBottleneck } from '../../lib/text/bottleneck.js';
import { PRESSED } from '../analysis/bottleneck/runs-table.js';
import { makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../analysis/facts.js';

/** Where a function of the API waits. */
export const EXPORTS = { function: 'wait_for_job', file: 'exports.py', line: 24 };

/** @param {string} text @param {number} ms @param {string} [kind] */
export const call = (text, ms, kind = 'sql') => ({ kind, text, ms, count: ms, meanMs: ms / 10 });

/**
 * @param {any} shares per kind
 * @param {any} place where most of the first kind is, as recorded
 * @param {any} [more] of the waits
 * @param {any} [calls] as reported
 * @param {any} [cpu] more of it
 * @param {any} [load] closed
 */
export function findWaits(
  shares,
  place,
  more = {},
  calls = null,
  cpu = {},
  load = makeLoad(PRESSED),
) {
  const waits = { ...makeWaits(shares, { slots: 16, busy: 8, fullest: 8 }), ...more };
  const [most] = waits.kinds;
  if (most) most.where = place ? [{ share: 1, call: null, as: null, ...place }] : [];
  const recorded = makeRecorded({ waits });
  Object.assign(recorded.cpu ?? {}, cpu);
  const parts = { run: makeRunInfo(), load, calls, ...recorded };
  const found = findBottleneck(gatherRunFacts(parts));
  return { ...found, ...sayBottleneck(found) };
}
