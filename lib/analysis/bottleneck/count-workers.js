/** The number of workers at a time: a restarted worker and its successor count as one. */
import { mean, sum } from '../../base/math/summary.js';

/** @import { Part } from '../../run/facts/bottleneck.d.ts' */
/** @import { CpuUse } from '../../run/facts/profile-report.d.ts' */

/** Share of the longest lifetime. A new worker is still starting, or had no time to get work. */
const LONG_ENOUGH = 0.5;

/**
 * @param {CpuUse['workers']} workers
 * @returns {{processes: number, cores: number, busiestCores: number, leastCores: number, wanting: Part['wanting']} | null}
 *   `processes`: mean number at a time; `cores`: of all; null if CPU times are unknown
 */
export function countWorkers(workers) {
  const known = workers.flatMap(({ cores, livedShare, ...own }) =>
    cores === null || livedShare === null ? [] : [{ cores, livedShare, ...own }],
  );
  const longest = Math.max(0, ...known.map(({ livedShare }) => livedShare));
  if (longest === 0) return null;
  const lasting = known.filter(({ livedShare }) => livedShare >= longest * LONG_ENOUGH);
  const long = lasting.map(({ cores }) => cores);
  const wanted = lasting.flatMap(({ wantedShare }) => wantedShare ?? []);
  return {
    processes: sum(known.map(({ livedShare }) => livedShare)),
    cores: sum(known.map(one => one.cores * one.livedShare)),
    busiestCores: Math.max(...long),
    leastCores: Math.min(...long),
    wanting:
      wanted.length === lasting.length
        ? {
            queuedShare: mean(lasting.flatMap(({ queuedShare }) => queuedShare ?? [])),
            leastWantedShare: Math.min(...wanted),
            sliceMs: mean(lasting.map(({ sliceMs = 0 }) => sliceMs)),
          }
        : null,
  };
}
