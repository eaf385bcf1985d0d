/** Estimates with their intervals, and summaries of latencies. */

/** An estimate with its 95 % interval; `low` and `high` are null if unknown. */
export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}

export interface TimeRange {
  startMs: number;
  endMs: number;
}

// ---------------------------------------------------------------- load

export interface LatencySummary {
  count: number;
  minMs: number;
  meanMs: number;
  p50Ms: number;
  p75Ms: number;
  p90Ms: number;
  /** null with fewer than 20 values, which have none: the mean and the most describe them */
  p95Ms: number | null;
  /** null with fewer than 100 */
  p99Ms: number | null;
  maxMs: number;
}
