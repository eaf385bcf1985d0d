/** What the job that measures a change hands to the job that comments. A stranger may have written it. */

import type { CompareReport, DifferentialFlame } from './compare-report.d.ts';
import type { Count } from './records.d.ts';
import type { ThresholdResult } from './threshold.d.ts';

export interface GateFacts {
  schema: 'loadflame-gate/1';
  /** of the measurement */
  exitCode: Count;
  /** commits; null: not known */
  base: string | null;
  head: string | null;
  /** null: not measured */
  comparison: GateComparison | null;
  /** the last output of a failed step */
  output: string;
}

/** A comparison without its call trees. */
export interface GateComparison extends Omit<CompareReport, 'flame'> {
  flame: Pick<DifferentialFlame, 'unit'> | null;
  thresholds: ThresholdResult[];
}

export interface GateShapes {
  gate: GateFacts;
}
