import type { GeneratorSign } from '../../../lib/run/facts/load-report.d.ts';
import type { Study } from '../../../lib/run/facts/study-file.d.ts';
import type { CellKey } from '../../../lib/run/facts/study-records.d.ts';

/** What a synthetic study is made of; what is left out has a default. */
export interface StudySpec {
  /** one factor `workers` with 1 and 2 by default; none: `{}` */
  factors?: Record<string, string[]>;
  exclude?: Record<string, string[]>[];
  /** users, or arrivals per second where `model` is open, or how many come at once */
  steps?: number[];
  model?: Study['load']['model'];
  /** 3 */
  repeats?: number;
  /** 1 */
  seed?: number;
  /** 20 */
  durationSec?: number;
  /** of the machine that target and generator share: 2 */
  cpus?: number;
  /** standard deviation of a cell's rate between runs, relative: 0.03 */
  noise?: number;
  /** and of a second inside of a run: 0.05 */
  noiseWithin?: number;
  /** of the target, for each variant */
  truth: (factors: Record<string, string>) => Truth;
  /** `measured`, `missing` (never run), or the reason of a failure */
  fate?: (cell: CellKey) => string;
  /** the journal was never written */
  isEmpty?: boolean;
  /** anything else of the study file */
  study?: Partial<Study>;
}

export interface Truth {
  /** good transactions per second at a step: users, or arrivals per second */
  throughput: (step: number) => number;
  /** mean, ms; by default Little's law in a closed loop, `minMs` or 20 in an open one */
  latencyMs?: (step: number) => number;
  minMs?: number;
  components?: Record<string, TrueComponent>;
  /** CPU of the generator per transaction; 0.3 */
  generatorMs?: number;
  /** the sign that the generator gives at a step */
  sign?: (step: number) => Pick<GeneratorSign, 'id'> | null;
  /** cores that something else on the machine uses; 0.03 */
  otherCores?: number;
  /** share of requests that fail */
  errorRate?: (step: number) => number;
  errorName?: string;
  /** share of arrivals that are skipped */
  skippedRate?: (step: number) => number;
  throttled?: { quotaCores: number; share: number };
  /** how transactions spread: weights */
  shares?: Partial<Record<'workers' | 'backends' | 'users', number[]>>;
  /** accepted per second where throughput is of a probe */
  dispatch?: (step: number) => number;
  /** `probe.field` → value over seconds */
  probes?: Record<string, (second: number, step: number) => number>;
  /** of the cell with a profile: the part of a Report that is read of it */
  report?: Record<string, unknown>;
}

export interface TrueComponent {
  /** CPU-ms per transaction */
  demandMs: number;
  /** as the study file says it */
  most?: number | null;
  processes?: number;
  /** per process; 1 */
  threads?: number;
  /** of the CPU time, per process; even by default */
  spread?: number[];
  /** per process; 60 */
  rssMb?: number;
}
