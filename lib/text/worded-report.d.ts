/** The report as in renderers and `report.json`: each statement with its text. */

import type { Bottleneck, WhatIf } from '../run/facts/bottleneck.d.ts';
import type { ClusterReport } from '../run/facts/cluster.d.ts';
import type { EndpointCosts } from '../run/facts/costs.d.ts';
import type { Finding } from '../run/facts/findings.d.ts';
import type {
  Failure,
  Failures,
  GeneratorReport,
  GeneratorSign,
  LoadReport,
  Steered,
} from '../run/facts/load-report.d.ts';
import type {
  CauseShare,
  CpuUse,
  HotPath,
  ProfileReport,
  TaskWorkers,
  Waits,
} from '../run/facts/profile-report.d.ts';
import type { QualityItem, Reliability } from '../run/facts/quality.d.ts';
import type { Report, RunInfo } from '../run/facts/report.d.ts';
import type { PartialReason } from '../run/facts/validity.d.ts';
import type { Verdict } from '../run/facts/verdict.d.ts';
import type {
  BottleneckText,
  Evidence,
  StatementText,
  VerdictText,
  WhatIfText,
  Worded,
} from './text.d.ts';

export type WordedFinding = Worded<Finding, StatementText>;
export type WordedQuality = Worded<QualityItem, string>;
export type WordedVerdict = Worded<Verdict, VerdictText>;
export type WordedPath = Worded<HotPath, string>;
/** `text`: its places */
export type WordedCause = Worded<CauseShare, Evidence[]>;
export type WordedCosts = Worded<EndpointCosts, string>;

export interface WordedWaits extends Omit<Waits, 'kinds'> {
  kinds: Worded<Waits['kinds'][number], string>[];
}

export interface WordedProfile extends Omit<ProfileReport, 'hotPaths' | 'causes' | 'waits'> {
  hotPaths: WordedPath[];
  causes: WordedCause[];
  waits: WordedWaits | null;
  /** known causes that are not named; absent in old reports */
  soughtText?: { title: string; text: string };
}

export interface WordedTaskWorkers extends Omit<TaskWorkers, 'hotPaths' | 'causes'> {
  hotPaths: WordedPath[];
  causes: WordedCause[];
  text: { title: string; sentences: string[] };
}

export interface WordedLoad
  extends Omit<LoadReport, 'phases' | 'steered' | 'failures' | 'generator'> {
  failures: Omit<Worded<Failures, string>, 'kinds'> & {
    kinds: Worded<Failure, { name: string; meaning: string | null }>[];
  };
  phases: Worded<LoadReport['phases'][number], string>[];
  steered?: Worded<Steered, string>[];
  generator: (Omit<GeneratorReport, 'signs'> & { signs: Worded<GeneratorSign, string>[] }) | null;
}

export type WordedCluster = Worded<
  ClusterReport,
  { title: string; sentences: string[]; unseen: string[] }
>;

export interface WordedReport
  extends Omit<
    Report,
    | 'run'
    | 'verdict'
    | 'bottleneck'
    | 'whatIf'
    | 'findings'
    | 'quality'
    | 'reliability'
    | 'load'
    | 'cpu'
    | 'profile'
    | 'costs'
    | 'taskWorkers'
    | 'cluster'
  > {
  run: Omit<RunInfo, 'reasons'> & {
    reasons: Worded<PartialReason, string>[];
  };
  verdict: WordedVerdict;
  findings: WordedFinding[];
  bottleneck: Worded<Bottleneck, BottleneckText> | null;
  whatIf: Worded<WhatIf, WhatIfText>[];
  quality: WordedQuality[];
  reliability: Omit<Reliability, 'reasons'> & { reasons: WordedQuality[] };
  load: WordedLoad | null;
  /** `text`: only without stacks */
  cpu: Worded<CpuUse, string | null> | null;
  profile: WordedProfile | null;
  costs: WordedCosts | null;
  taskWorkers?: WordedTaskWorkers | null;
  cluster?: WordedCluster | null;
}
