/** The first thing a reader sees, as data. */

import type { Bottleneck, WhatIf } from './bottleneck.d.ts';
import type { Finding, FindingTable } from './findings.d.ts';
import type { Failures } from './load-report.d.ts';
import type { CauseShare, HotPath } from './profile-report.d.ts';
import type { QualityTable } from './quality.d.ts';
import type { Statement } from './statement.d.ts';

export interface HeadlineTable {
  'nothing-measured': Record<string, never>;
  /** a profile without load that says little */
  'few-samples': { active: number };
  /** `waste`: the largest known waste of CPU, where the finding is a bottleneck of CPU */
  finding: { finding: Finding; waste: FindingTable['cause'] | null; allAnswered: boolean };
  'all-answered': Record<string, never>;
  /** errors or dropped arrivals, and none of them enough for a headline */
  'mostly-answered': { isUnsent: boolean };
  'no-waste': Record<string, never>;
  /** a recording without load and stacks: workers at a time, and cores of all of them */
  'no-stacks': { processes: number; cores: number };
}

export interface PointTable {
  load: {
    requests: number;
    /** users that started; rounds of them in a closed loop */
    started: number;
    /** users of a closed loop at the same time; null where users arrive by a schedule */
    closedUsers: number | null;
    meanRatePerSec: number;
    p50Ms: number | null;
    p95Ms: number | null;
    /** where requests were sent late enough to matter */
    lateStarts: QualityTable['coordinated-omission'] | null;
    failures: Pick<Failures, 'share' | 'users'>;
    messages: { kind: 'websocket' | 'socketio'; count: number; p50Ms: number }[];
    connects: number;
  };
  bottleneck: { bottleneck: Bottleneck };
  'hot-path': { path: HotPath };
  gain: { whatIf: WhatIf; cause: CauseShare };
}

export interface Verdict {
  /** the worst finding's; `invalid`: the numbers must not be used; `unknown`: not enough data to say */
  level: 'good' | 'warn' | 'bad' | 'invalid' | 'unknown';
  headline: Statement<HeadlineTable>;
  isPartial: boolean;
  /** is it all right, what limits it, where does time go, what would a fix buy: at most four */
  points: Statement<PointTable>[];
}
