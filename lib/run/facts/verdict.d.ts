/** The first lines of a report, as data. */

import type { LatencySummary } from '../../base/math/estimate.d.ts';
import type { Bottleneck } from './bottleneck.d.ts';
import type { Finding, FindingTable } from './findings.d.ts';
import type { Failures } from './load-report.d.ts';
import type { HotPath } from './profile-report.d.ts';
import type { QualityTable } from './quality.d.ts';
import type { Statement } from './statement.d.ts';

export interface HeadlineTable {
  'nothing-measured': Record<string, never>;
  /** a profile without load, with too few samples */
  'few-samples': { active: number };
  /** a load without failures, with too few responses */
  'few-responses': { responses: number };
  /** `waste`: the largest known waste of CPU, if the finding is a CPU bottleneck */
  finding: {
    finding: Finding;
    waste: FindingTable['cause'] | null;
    /** the worst finding from counts per request, beside a lead about the CPU or a waste of it */
    counted?: Finding;
    /** a repeated call, whose CPU is not known, may be a larger waste */
    isOneOf?: boolean;
  };
  'all-answered': Record<string, never>;
  /** errors or dropped arrivals, but too few for a headline */
  'mostly-answered': { isUnsent: boolean };
  'no-waste': Record<string, never>;
  /** a loose profile in which no frame has a file of Python */
  'no-python': Record<string, never>;
  /** a large part of the profile could not be read */
  'part-unread': { entries: number; skipped: number };
  /** a recording without load and stacks: concurrent workers, mean, and cores of all workers */
  'no-stacks': { processes: number; cores: number };
}

export interface PointTable {
  load: {
    requests: number;
    /** users that started; in a closed loop: passes through the scenario */
    started: number;
    /** concurrent users of a closed loop; null if users arrive on a schedule */
    closedUsers: number | null;
    meanRatePerSec: number;
    /** time to first byte */
    times: LatencySummary | null;
    /** set if requests were sent late enough to matter */
    lateStarts: QualityTable['coordinated-omission'] | null;
    failures: Pick<Failures, 'share' | 'users'>;
    messages: { kind: 'websocket' | 'socketio'; count: number; p50Ms: number }[];
    connects: number;
  };
  bottleneck: { bottleneck: Bottleneck };
  'hot-path': { path: HotPath };
}

/** A finding that spoils the measurement of whatever else was found. */
export type Doubt = Extract<Finding, { id: 'generator-limit' | 'full-machine' }>;

/** Arguments of `loadflame try` with which the server and the load of a run start, and those that are not known. */
export interface Again {
  words: string[];
  missing: ('command' | 'script')[];
}

export interface Verdict {
  /** severity of the worst finding; `invalid`: do not use the numbers; `unknown`: not enough data */
  level: 'good' | 'warn' | 'bad' | 'invalid' | 'unknown';
  headline: Statement<HeadlineTable>;
  /** stands above the headline, unless nothing else can be said; absent in older reports */
  doubt?: Doubt | null;
  isPartial: boolean;
  /** absent in older reports */
  again?: Again;
  /** at most three: errors and latency, the bottleneck, the largest hot path */
  points: Statement<PointTable>[];
}
