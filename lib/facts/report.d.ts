/**
 * The Report: what analysis makes of a run folder, and all that renderers get to see.
 * Plain JSON. Times are epoch milliseconds (UTC), durations end in Ms, shares are fractions 0…1,
 * `null` means "not known" and never "zero".
 */

import type { Bottleneck, WhatIf } from './bottleneck.d.ts';
import type { CallsReport, Plan } from './calls.d.ts';
import type { ClusterReport } from './cluster.d.ts';
import type { Balance, EndpointCosts } from './costs.d.ts';
import type { Finding } from './findings.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { LogReport } from './logs.d.ts';
import type { CpuUse, ProfileReport, TaskWorkers } from './profile-report.d.ts';
import type { QualityItem, Reliability } from './quality.d.ts';
import type { FoundTargets, MergedFrom } from './records.d.ts';
import type { ResourceUse } from './resource-use.d.ts';
import type { Timeline } from './timeline.d.ts';
import type { PartialReason } from './validity.d.ts';
import type { Verdict } from './verdict.d.ts';

export type RunKind = 'load' | 'profile' | 'load+profile' | 'import';

export interface Report {
  schema: 'loadflame-report/2';
  generator: { name: 'loadflame'; version: string };
  createdAtMs: number;
  run: RunInfo;
  verdict: Verdict;
  findings: Finding[];
  /** what keeps the throughput from being higher; null without a load test */
  bottleneck: Bottleneck | null;
  /** what a fix would buy, the largest share first */
  whatIf: WhatIf[];
  load: LoadReport | null;
  /** null where no server was recorded */
  cpu: CpuUse | null;
  /** null without stacks */
  profile: ProfileReport | null;
  /** null where nothing tells times */
  timeline: Timeline | null;
  /** null where samples show no endpoint and no view */
  costs: EndpointCosts | null;
  balance: Balance | null;
  /** absent where nothing was recorded of processes, and in reports of older versions */
  resources?: ResourceUse;
  /** recorded beside the server (`--also`); null where none were */
  taskWorkers?: TaskWorkers | null;
  /** the pods that serve the target (KUBE_WORKLOAD); null where no cluster was looked at */
  cluster?: ClusterReport | null;
  /** null where no response reported calls; absent in reports of older versions */
  calls?: CallsReport | null;
  /** of `--explain-sql` */
  plans?: Plan[];
  quality: QualityItem[];
  /** is the measurement itself to be believed? */
  reliability: Reliability;
  /** null where no log was recorded */
  logs: LogReport | null;
}

export interface RunInfo {
  id: string;
  kind: RunKind;
  /** `partial`: something ended early; `reasons` says what, and the numbers cover what there is. */
  status: 'complete' | 'partial';
  reasons: PartialReason[];
  startedAtMs: number | null;
  endedAtMs: number | null;
  target: string | null;
  /** found in a cluster, and taken by users in turn; `target` is one of them, or what the checks asked */
  targets?: FoundTargets;
  /** the command as typed, without secrets */
  command: string | null;
  script: { name: string; sha256: string } | null;
  /** versions of what measured: loadflame, node, artillery, py-spy, python, gunicorn … */
  versions: Record<string, string>;
  host: { platform: string; cpus: number; cpuModel: string; memoryBytes: number } | null;
  /** of a run that was recorded on one machine and loaded from another; `host` is the one that was recorded */
  mergedFrom?: MergedFrom;
  /** settings as they were in force, secrets masked; `about`: of a script's variable, in its words */
  settings: { name: string; value: string; source: string; about?: string }[];
  /** names of the other files of the run folder that a reader may want: relative path and a label */
  files: { path: string; label: string }[];
}
