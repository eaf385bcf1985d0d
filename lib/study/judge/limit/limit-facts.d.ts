import type { Limit } from '../../../analysis/limit.d.ts';
import type { Estimate } from '../../../analysis/report.d.ts';
import type { Point, Saturation } from '../../study-report.d.ts';

/** What the rules of a study's limit judge by: one variant at its plateau, over all repeats. */
export interface StudyLimitFacts {
  saturation: Saturation;
  /** does the load want more than it gets? null: not known */
  isPressed: boolean | null;
  /** the step with the highest throughput; null where nothing was answered well */
  point: Point | null;
  plateau: Point[];
  /** the most load that was measured */
  mostStep: number | null;
  /** the highest throughput at any step, those of the generator among them: the target takes at least this */
  seenPerSec: number;
  /** of all cells: why nothing was good */
  errors: { name: string; count: number }[];
  /** why the generator was the limit, where it was */
  sign: { step: number; text: string } | null;
  host: { cores: number; cpus: number } | null;
  /** the most CPU first */
  components: ComponentFact[];
  workers: ComponentFact | null;
  generatorCores: number | null;
  /** of the machine, by nobody that was recorded */
  otherCores: number | null;
  /** in the order of the pipeline */
  stages: StageFact[];
  /** step at which the stages were judged */
  stageStep: number | null;
  /** other variants of the same, but for `scaleOver` */
  siblings: { label: string; throughputPerSec: number }[];
  quota: { roles: string[]; quotaCores: number; share: number } | null;
  uneven: { of: 'workers' | 'backends'; counts: number[] } | null;
  /** N* = X_max·R_min: how many are served at a time */
  served: number | null;
  /** requests under way, where it stays the same with many more users than that */
  stuckInFlight: number | null;
  /** components of one name and a number each: `backend-1`, `backend-2` */
  instances: number;
  /** connections that failed at the plateau, ÷ requests */
  connectionErrors: { share: number; name: string } | null;
  /** numbers of the study file that are called after connections, slots, pools */
  named: { name: string; value: number }[];
  /** what the profiled cell's own report says */
  own: (Limit & { folder: string }) | null;
  errorRate: number;
  skippedRate: number;
  /** what would be known with more of the study file's `record` */
  missing: string[];
  /** the most that the target takes where the generator runs elsewhere (bottleneck law) */
  aloneBoundPerSec: number | null;
}

export interface ComponentFact {
  name: string;
  /** mean over repeats */
  cores: number;
  busiestCores: number;
  mostCores: number | null;
  processes: number;
  /** of each process */
  threads: number;
  /** of its busiest process at each step of the plateau */
  busiestOverPlateau: number[];
}

export interface StageFact {
  name: string;
  servers: number | null;
  /** of what waits before it; null where it is not known */
  growthPerSec: Estimate | null;
  /** the same where it is worth telling beside what is completed */
  slope: Estimate | null;
  meanBacklog: number;
  isKnown: boolean;
}
