/** What is known about a recording besides its stacks, and the results from its stacks. */

import type { Estimate, TimeRange } from '../../base/math/estimate.d.ts';
import type { EndpointCosts } from '../../run/facts/costs.d.ts';
import type { CpuUse, ProfileReport } from '../../run/facts/profile-report.d.ts';
import type { Classification } from '../../run/facts/rules.d.ts';
import type { CostLoad } from '../load/load-rates.d.ts';
import type { measureHost, ProcessUse } from '../read/cpu.js';
import type { Grid } from '../read/load/build-grid.js';
import type { RunRecords } from '../read/read-run.js';
import type { Profile } from '../stacks/profile.d.ts';
import type { ViewRoute } from './costs/attribute.js';
import type { ProfileBase } from './profile-base.js';
import type { ThreadUse } from './threads.js';
import type { Opener } from './waits/wait-kinds.js';

/** Missing for a loose file. */
export interface Recording {
  window: TimeRange | null;
  /** in which samples and CPU time count */
  windows: TimeRange[];
  segments: NonNullable<ProfileReport['segments']>;
  /** of `profile/segments.ndjson` */
  records: RunRecords['segments'];
  masterPid: number | null;
  /** whether the calls of its lines were looked up, where possible */
  areLinesRead: boolean;
  /** lines of the app's functions */
  source: RunRecords['source'];
  processes: ProcessUse[];
  /** of the workers, in the windows */
  threads: ThreadUse[];
  host: ReturnType<typeof measureHost>;
  /** completed in the windows */
  requests: number | null;
  /** used by the workers without requests */
  idleCores: Estimate | null;
  grid: Grid | null;
  load: CostLoad | null;
  /** from the source of the views */
  viewRoutes: ViewRoute[];
  /** CPU time of a process, ms */
  cpuOf: (pid: number, startMs: number, endMs: number) => number | null;
  /** samples of all threads, in the windows */
  waits: { looks: Profile; rateHz: number; threads: number | null; openers?: Opener[] } | null;
}

export interface ProfileAnalysis
  extends Pick<
    ProfileReport,
    | 'samples'
    | 'categories'
    | 'packages'
    | 'wrappers'
    | 'hotPaths'
    | 'causes'
    | 'sought'
    | 'causesTogether'
    | 'table'
  > {
  cpu: Pick<CpuUse, 'perRequest' | 'basis' | 'samplesToCpu'>;
  /** typical for shares of this profile */
  designEffect: number;
  costs: EndpointCosts | null;
  base: ProfileBase;
  /** per node of the profile, for pictures */
  classes: Classification;
}
