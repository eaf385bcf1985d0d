/**
 * The Report: the result of analysing a run folder, and the only input of renderers. Plain JSON. Times are epoch
 * milliseconds (UTC), durations end in Ms, shares are fractions 0…1, and `null` means "not known", never "zero".
 */

import type { Bottleneck, WhatIf } from './bottleneck.d.ts';
import type { CallsReport, DatabaseStats, Plan } from './calls.d.ts';
import type { ClusterReport } from './cluster.d.ts';
import type { Balance, EndpointCosts } from './costs.d.ts';
import type { Finding } from './findings.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { LogReport } from './logs.d.ts';
import type { CpuUse, ProfileReport, TaskWorkers } from './profile-report.d.ts';
import type { QualityItem, Reliability } from './quality.d.ts';
import type { HostInfo, MergedFrom } from './records.d.ts';
import type { ResourceUse } from './resource-use.d.ts';
import type { SlowRequest } from './slow-requests.d.ts';
import type { Timeline } from './timeline.d.ts';
import type { PartialReason } from './validity.d.ts';
import type { Verdict } from './verdict.d.ts';

export type RunKind = 'load' | 'profile' | 'load+profile' | 'import';

export interface Report {
  schema: 'loadflame-report/2';
  /** `rulesSha256`: of the user's rules file, if one was used */
  generator: { name: 'loadflame'; version: string; rulesSha256?: string };
  createdAtMs: number;
  run: RunInfo;
  verdict: Verdict;
  findings: Finding[];
  /** what limits the throughput; null without a load test */
  bottleneck: Bottleneck | null;
  /** predicted gains of fixes, the largest share first */
  whatIf: WhatIf[];
  load: LoadReport | null;
  /** null if no server was recorded */
  cpu: CpuUse | null;
  /** null without stacks */
  profile: ProfileReport | null;
  /** null if no source has times */
  timeline: Timeline | null;
  /** null if samples show neither endpoints nor views */
  costs: EndpointCosts | null;
  balance: Balance | null;
  /** absent if no processes were recorded, and in reports of older versions */
  resources?: ResourceUse;
  /** recorded alongside the server (`--also`); null if none were */
  taskWorkers?: TaskWorkers | null;
  /** the pods that serve the target (KUBE_WORKLOAD); null if no cluster was observed */
  cluster?: ClusterReport | null;
  /** null if no response reported calls; absent in reports of older versions */
  calls?: CallsReport | null;
  /** by endpoint, the slowest ten first; absent if none was kept, and in reports of older versions */
  slowest?: SlowRequest[];
  /** of `--explain-sql` */
  plans?: Plan[];
  databaseStats?: DatabaseStats;
  quality: QualityItem[];
  /** whether the measurement itself can be trusted */
  reliability: Reliability;
  /** null if no log was recorded */
  logs: LogReport | null;
}

export interface RunInfo {
  id: string;
  kind: RunKind;
  /** `partial`: something ended early. `reasons` says what; the numbers cover the data that exists. */
  status: 'complete' | 'partial';
  reasons: PartialReason[];
  startedAtMs: number | null;
  endedAtMs: number | null;
  target: string | null;
  /** the command as typed, without secrets */
  command: string | null;
  script: { name: string; sha256: string } | null;
  /** versions of the tools that measured: loadflame, node, artillery, py-spy, python, gunicorn … */
  versions: Record<string, string>;
  /** Python packages installed for the recorded server: name → version; absent if not known */
  packages?: Record<string, string>;
  host: HostInfo | null;
  /** set if one machine was recorded and another sent the load; `host` is the recorded machine */
  mergedFrom?: MergedFrom;
  /** effective settings, secrets masked; `about`: description of a variable, from the script */
  settings: { name: string; value: string; source: string; about?: string }[];
  /** other files of the run folder that readers may want: relative path and label */
  files: { path: string; label: string }[];
}
