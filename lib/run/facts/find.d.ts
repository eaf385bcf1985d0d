/** The steps of `loadflame test --find`, and the load that the search found. Plain JSON. */

import type { Estimate } from '../../base/math/estimate.d.ts';
import type { Bottleneck } from './bottleneck.d.ts';
import type { GeneratorSign } from './load-report.d.ts';
import type { Statement } from './statement.d.ts';
import type { ThresholdResult } from './threshold.d.ts';
import type { TryLoad } from './try.d.ts';

/** What decides a step besides its limits. */
export interface StepTable {
  /** null: fewer users started than were due, or other programs used the CPU of the machine */
  generator: { sign: GeneratorSign | null };
  /** share of requests or of users, whichever is larger, if no limit covers them */
  failures: { share: number };
  /** share of arrivals that `maxVusers` dropped */
  dropped: { share: number };
  /** requests arrived faster than they completed; `growth`: of the number in flight */
  queue: { growth: number };
}

export type StepProblem = Statement<StepTable>;

/** `unknown`: the limit is inside the interval; `limited`: the generator could not send the load */
export type FindVerdict = 'keeps' | 'fails' | 'unknown' | 'limited';

/** One run at one load. */
export interface FindStep {
  /** users, or new users per second */
  level: number;
  /** measured time, without the settling time */
  seconds: number;
  /** ended early because the outcome was clear */
  isStopped: boolean;
  /** in the order of the limits */
  checks: ThresholdResult[];
  problem: StepProblem | null;
  /**
   * how far the worst figure exceeds its limit, as a share of the limit; null: the step says nothing about the target
   */
  margin: Estimate | null;
  verdict: FindVerdict;
  requestsPerSec: number;
  /** 95 % of its users took no longer for a scenario */
  sessionMs: number;
  bottleneck: Bottleneck | null;
  /** run folder */
  folder: string;
}

/** In the journal of a search. */
export interface FindShapes {
  step: FindStep;
}

/** All steps at one load together. */
export interface FindLevel {
  level: number;
  runs: number;
  verdict: FindVerdict;
  /** median */
  margin: number;
  /** no more runs are needed to decide it */
  isSettled: boolean;
}

/**
 * `found`; `fails`: even at the lowest load; `generator`: the limits hold up to the highest load that the generator
 * can send; `time`: the time ran out before the result was confirmed; `failed`: a step could not be measured
 */
export type FindEnd = 'found' | 'fails' | 'generator' | 'time' | 'interrupted' | 'failed';

export interface FindReport {
  schema: 'loadflame-find/1';
  createdAtMs: number;
  /** as the user wrote them */
  limits: string[];
  load: TryLoad;
  end: FindEnd;
  elapsedMs: number;
  /** in the order of measurement */
  steps: FindStep[];
  /** the highest load up to which most runs keep all limits; null: none */
  below: FindLevel | null;
  /** the lowest load at which they do not */
  above: FindLevel | null;
  /** the highest load whose interval is within the limits, and the lowest one whose interval exceeds them */
  keeps: number | null;
  fails: number | null;
}
