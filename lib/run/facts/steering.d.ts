/** What a person can change of a load while it runs. */

/** The running phase, and what its generator sends now. */
export interface Steerable {
  index: number;
  /** name */
  phase: string;
  of: 'arrivalRate' | 'users';
  /** per second, or users */
  now: number;
  /** the most that any phase of the script has */
  most: number;
}

/** `phase`: it has a ramp, a number of arrivals, or none; `between`: none runs that this page can change; `sender`: Artillery sends the load, or several
 * machines each send a part */
export interface NotSteerable {
  why: 'between' | 'phase' | 'sender';
}

export type LoadControl = Steerable | NotSteerable;

/** A change that is asked for. `index`: of the phase that it is for */
export interface TurnRequest {
  index: number;
  to: number;
}
