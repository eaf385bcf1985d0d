/** Where the throughput of a variant stops rising. */

import type { Estimate } from './estimate.d.ts';

export interface Saturation {
  /** `reached`: more load brings no more; `not-reached`; `unknown`: too few steps or invalid */
  state: 'reached' | 'not-reached' | 'unknown';
  /**
   * how that is known; `falls-behind`: less came out than was put in at the last step; `queued`: a burst had to
   * wait for what serves it, `keeps-up`: it was done as fast as it was taken in
   */
  sign:
    | 'levels-off'
    | 'falls-behind'
    | 'still-rises'
    | 'generator-limit'
    | 'too-few-steps'
    | 'queued'
    | 'keeps-up';
  /** the step with which the plateau begins */
  step: number | null;
  /** highest throughput; a lower bound where it was not reached */
  throughputPerSec: Estimate | null;
  /** N* = X_max · R_min: from there on requests queue (asymptotic bounds) */
  kneeInFlight: Estimate | null;
  /** how many steps were judged: those below `generatorStep`; and how many it takes at least */
  steps: number;
  leastSteps: number;
  /** the highest of them, and what was put in there */
  lastStep: number | null;
  dispatchPerSec: number | null;
  /** the first step at which the load generator was the limit */
  generatorStep: number | null;
}
