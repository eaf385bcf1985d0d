/** The steps of `loadflame test --find`, and the load that it found. Plain JSON. */

import type { Bottleneck } from './bottleneck.d.ts';
import type { Estimate } from './estimate.d.ts';
import type { GeneratorSign } from './load-report.d.ts';
import type { Statement } from './statement.d.ts';
import type { ThresholdResult } from './threshold.d.ts';
import type { TryLoad } from './try.d.ts';

/** What decides a step beside its limits. */
export interface StepTable {
  /** null: fewer users started than were due, or other work had the CPU of the machine */
  generator: { sign: GeneratorSign | null };
  /** of requests or users, where no limit is on them */
  failures: { share: number };
  /** of the arrivals, by `maxVusers` */
  dropped: { share: number };
  /** requests came faster than they ended: so many more were in flight at the end */
  queue: { growth: number };
}

export type StepProblem = Statement<StepTable>;

/** `unknown`: the limit is inside of the interval; `limited`: the generator could not send the load */
export type FindVerdict = 'keeps' | 'fails' | 'unknown' | 'limited';

/** One run at one load. */
export interface FindStep {
  /** users, or new users per second */
  level: number;
  /** measured, without the settling time */
  seconds: number;
  /** ended early, because the outcome was clear */
  isStopped: boolean;
  /** in the order of the limits */
  checks: ThresholdResult[];
  problem: StepProblem | null;
  /** how far the worst figure is above its limit, as a share of it; null: the step says nothing about the target */
  margin: Estimate | null;
  verdict: FindVerdict;
  requestsPerSec: number;
  bottleneck: Bottleneck | null;
  /** of the run */
  folder: string;
}

/** All steps of one load together. */
export interface FindLevel {
  level: number;
  runs: number;
  verdict: FindVerdict;
  /** median */
  margin: number;
  /** it needs no more runs to be on one side */
  isSettled: boolean;
}

/**
 * `found`; `fails`: also at the lowest load; `generator`: the limits are kept up to what the generator can send; `time`:
 * over before the result was confirmed; `failed`: a step could not be measured
 */
export type FindEnd = 'found' | 'fails' | 'generator' | 'time' | 'interrupted' | 'failed';

export interface FindReport {
  schema: 'loadflame-find/1';
  createdAtMs: number;
  /** as written */
  limits: string[];
  load: TryLoad;
  end: FindEnd;
  elapsedMs: number;
  /** in the order of measurement */
  steps: FindStep[];
  /** the highest load, below all others, at which most runs keep all limits; null: no load does */
  below: FindLevel | null;
  /** the lowest one that does not */
  above: FindLevel | null;
  /** the highest load that keeps them by its interval, and the lowest one that does not */
  keeps: number | null;
  fails: number | null;
}
