/** Two sides that `loadflame try` measured in turn, and what came out. Plain JSON. */

import type { Bottleneck } from './bottleneck.d.ts';
import type { MeasureId, NamedChange } from './compare-report.d.ts';
import type { Estimate } from './estimate.d.ts';

/** One of the two things that are compared. */
export interface TrySide {
  label: string;
  /** absolute; of a git reference the folder of its worktree, which ends with the try */
  folder: string;
  /** null: the folder as it is */
  reference: { name: string; commit: string } | null;
  /** added to the environment of its server */
  env: Record<string, string>;
  /** starts its server; null: the demo */
  command: string | null;
}

/** The load of each run, after a warm-up with the same load. */
export interface TryLoad {
  model: 'closed' | 'open';
  /** users, or new users per second */
  level: number;
  /** users at once; null: no limit of the script's */
  most: number | null;
  warmUpSec: number;
  durationSec: number;
}

/**
 * `none`: any difference is smaller than the smallest that matters; `undecided`: the interval allows for more than one
 * of the others
 */
export interface Decision {
  measure: MeasureId;
  pairs: number;
  /** B ÷ A − 1, with an interval that is valid at every look, for all figures together */
  relative: Estimate;
  call: 'better' | 'worse' | 'none' | 'undecided';
}

/** What side A's reports said that a fix brings, beside what it brought. Relative changes of B against A. */
export interface Prediction {
  /** titles of the causes of CPU time that side A has and side B has not; empty: see `bottleneck` */
  causes: string[];
  /** of side A, and not of side B */
  bottleneck: Pick<Bottleneck, 'id' | 'component'> | null;
  /** other causes are gone, too, so what was predicted is a part of the change */
  isPart: boolean;
  figures: { measure: MeasureId; predicted: Estimate; measured: Estimate }[];
}

export interface TryReport {
  schema: 'loadflame-try/1';
  sides: { a: TrySide; b: TrySide };
  load: TryLoad;
  alpha: number;
  /** relative difference from which on one matters */
  smallest: number;
  elapsedMs: number;
  /** pairs of runs that count, and that were left out because a run was invalid */
  pairs: number;
  excluded: number;
  end: 'decided' | 'limit' | 'interrupted' | 'invalid';
  decisions: Decision[];
  /** that changed most, in CPU time per request or else in p95, all of its requests together; null: none for sure */
  endpoint: NamedChange | null;
  /** the functions below which the CPU time per request changed most, outermost first, and the last one's file; null: not known */
  path: { functions: string[]; file: string; beforeMs: number; afterMs: number } | null;
  predictions: Prediction[];
}
