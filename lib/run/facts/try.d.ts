/** Two sides that `loadflame try` measured alternately, and the result. Plain JSON. */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { Bottleneck } from './bottleneck.d.ts';
import type { MeasureId, NamedChange } from './compare-report.d.ts';

/** One of the two compared versions. */
export interface TrySide {
  label: string;
  /** absolute path; for a git reference, the folder of its worktree, which is removed afterwards */
  folder: string;
  /** null: the folder as it is */
  reference: { name: string; commit: string } | null;
  /** added to the environment of the side's server */
  env: Record<string, string>;
  /** starts the server; null: the demo */
  command: string | null;
}

/** The load of each run, after a warm-up with the same load. */
export interface TryLoad {
  model: 'closed' | 'open';
  /** users, or new users per second */
  level: number;
  /** maximum number of concurrent users; null: the script has no limit */
  most: number | null;
  /** users arrive at random times; absent: evenly spaced, or a closed loop */
  mode?: 'poisson';
  warmUpSec: number;
  /** the warm-up ends earlier once the rate has stopped rising */
  untilSteady?: boolean;
  durationSec: number;
}

/**
 * `none`: any difference is smaller than the smallest that matters; `undecided`: the interval allows more than one
 * outcome
 */
export interface Decision {
  measure: MeasureId;
  pairs: number;
  /** B ÷ A − 1; the interval is valid at every interim look, for all figures together */
  relative: Estimate;
  call: 'better' | 'worse' | 'none' | 'undecided';
}

/** The gain that side A's reports predict for a fix, and the measured gain. Relative changes from A to B. */
export interface Prediction {
  /** titles of the causes of CPU time that only side A has; empty: see `bottleneck` */
  causes: string[];
  /** the bottleneck that only side A has */
  bottleneck: Pick<Bottleneck, 'id' | 'component'> | null;
  /** other causes also disappeared, or the measured change is surely larger: the prediction covers only a part of it */
  isPart: boolean;
  figures: { measure: MeasureId; predicted: Estimate; measured: Estimate }[];
}

/** What tries on this machine show, from how much runs of one side vary. */
export interface Noise {
  /** length of a try */
  withinMs: number;
  /**
   * figures with enough known runs. `spread`: standard deviation of the logarithm between runs; `change`:
   * the relative change that 80 % of tries find in that time; null: no test in that time
   */
  figures: { measure: MeasureId; spread: number; change: number | null }[];
}

/** How long a try takes, before it starts. */
export interface Forecast {
  pairMs: number;
  /** until the first test */
  leastMs: number;
  /** of the figure that varies most, as in `Noise`; known from earlier tries, or assumed */
  spread: number;
  isKnown: boolean;
  /** `ms`: until 80 % of tries find a change of this relative size; null: longer than the longest try */
  changes: { change: number; ms: number | null }[];
}

export interface TryReport {
  schema: 'loadflame-try/1';
  sides: { a: TrySide; b: TrySide };
  load: TryLoad;
  alpha: number;
  /** smallest relative difference that matters */
  smallest: number;
  elapsedMs: number;
  /** pairs that are used, and pairs excluded because a run was invalid */
  pairs: number;
  excluded: number;
  /** `clear`: one figure is decided, and no other one changed as much the other way */
  end: 'decided' | 'clear' | 'limit' | 'interrupted' | 'invalid';
  decisions: Decision[];
  /**
   * the endpoint with the largest change in CPU time per request, or else in p95, weighted with its requests; null:
   * no significant change
   */
  endpoint: NamedChange | null;
  /**
   * functions whose subtree changed most in CPU time per request, outermost first, and the file of the innermost;
   * null: not known
   */
  path: { functions: string[]; file: string; beforeMs: number; afterMs: number } | null;
  predictions: Prediction[];
  noise: Noise;
  /** both sides are the same version: only `noise` counts */
  isNoise: boolean;
}
