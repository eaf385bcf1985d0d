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
  p95Ms: number;
  p99Ms: number;
  maxMs: number;
}
