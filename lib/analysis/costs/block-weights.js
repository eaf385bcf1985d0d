/** How much CPU time a sample stands for, in each stretch of time of each worker. */

// a block's own ratio counts fully only where it has many more samples than this
const PRIOR_SAMPLES = 20;

/**
 * A profiler that gets no core itself looks less often just then, so samples of one moment stand for more
 * CPU time than those of another. The operating system knows both: samples of a block (a segment × a
 * worker) are weighed by its CPU time, drawn towards the mean as far as the block has few samples.
 * @param {import('../profile-base.js').ProfileBase} base
 * @param {import('../../profile/profile.d.ts').Profile} profile
 * @param {((pid: number, startMs: number, endMs: number) => number | null) | null} cpuOf CPU time of a
 *   process, ms
 * @returns {Float64Array} per block; 1 on average over the samples, and everywhere where CPU time is not known
 */
export function weighBlocks(base, { segments, processes }, cpuOf) {
  const { blockTotals, blockMembers } = base;
  const even = new Float64Array(blockTotals.length).fill(1);
  if (!cpuOf || !base.timed) return even;
  const cpuMs = new Float64Array(blockTotals.length);
  for (const { segment, process, block } of blockMembers) {
    const { startMs = null, endMs = null } = segments[segment] ?? {};
    const pid = processes[process]?.pid;
    if (startMs === null || endMs === null || pid === undefined) return even;
    const own = cpuOf(pid, startMs, endMs);
    if (own === null) return even;
    cpuMs[block] = (cpuMs[block] ?? 0) + own;
  }
  const mean = sum(cpuMs) / sum(blockTotals);
  if (!(mean > 0)) return even;
  const weights = cpuMs.map(
    (own, block) =>
      (own + PRIOR_SAMPLES * mean) / ((blockTotals[block] ?? 0) + PRIOR_SAMPLES) / mean,
  );
  const weighted = blockTotals.reduce(
    (total, own, block) => total + own * (weights[block] ?? 1),
    0,
  );
  return weights.map(weight => (weight * sum(blockTotals)) / weighted);
}

/** @param {Float64Array} values */
const sum = values => values.reduce((total, value) => total + value, 0);
