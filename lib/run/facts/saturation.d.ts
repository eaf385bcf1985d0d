/** The load at which the throughput of a variant stops rising. */

import type { Estimate } from '../../base/math/estimate.d.ts';

export interface Saturation {
  /** `reached`: more load brings no more throughput; `not-reached`; `unknown`: too few steps, or invalid */
  state: 'reached' | 'not-reached' | 'unknown';
  /**
   * the evidence; `falls-behind`: at the last step, less was completed than dispatched; `queued`: a burst waited for
   * the components that process it; `keeps-up`: a burst was completed as fast as it was accepted
   */
  sign:
    | 'levels-off'
    | 'falls-behind'
    | 'still-rises'
    | 'generator-limit'
    | 'too-few-steps'
    | 'queued'
    | 'keeps-up';
  /** the first step of the plateau */
  step: number | null;
  /** highest throughput; a lower bound if saturation was not reached */
  throughputPerSec: Estimate | null;
  /** N* = X_max · R_min: above it requests queue (asymptotic bounds) */
  kneeInFlight: Estimate | null;
  /** number of steps that were judged (those below `generatorStep`), and the number required */
  steps: number;
  leastSteps: number;
  /** the highest judged step, and its dispatch rate */
  lastStep: number | null;
  dispatchPerSec: number | null;
  /** the first step that the load generator limited */
  generatorStep: number | null;
}
