/** How often a profiler looked, of as often as it was told to. */

/** A segment that was late all the time has still looked now and then. */
const LEAST = 0.02;

/**
 * py-spy does not leave out looks that it had no time for: it is behind, and says by how much. What it is
 * behind at the end of a segment it has not looked. That happens when the processes are busiest, so
 * segments count by their CPU time.
 * @param {Record<string, any>[]} records of `profile/segments.ndjson`
 * @param {readonly number[]} pids of the workers
 * @param {(pid: number, startMs: number, endMs: number) => number | null} cpuOf CPU time of a process, ms
 * @returns {number} above 0, to 1
 */
export function measureLookShare(records, pids, cpuOf) {
  let looked = 0;
  let all = 0;
  for (const { kind, startMs, endMs, lateMs = 0 } of records) {
    if (kind !== 'segment' || !(endMs > startMs)) continue;
    const cpuMs = pids.reduce((sum, pid) => sum + (cpuOf(pid, startMs, endMs) ?? 0), 0);
    all += cpuMs;
    looked += cpuMs * Math.max(LEAST, 1 - lateMs / (endMs - startMs));
  }
  return all > 0 ? looked / all : 1;
}
