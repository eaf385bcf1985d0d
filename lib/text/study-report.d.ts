/** The StudyReport with its English beside the facts: `study.json`, and all that renderers get to see. */

import type { Saturation } from '../run/facts/saturation.d.ts';
import type { StopRule } from '../run/facts/study-file.d.ts';
import type { StopReason } from '../run/facts/study-records.d.ts';
import type * as Facts from '../run/facts/study-report.d.ts';
import type { BottleneckText, StatementText, Worded } from './text.d.ts';

export type {
  Point,
  UslFit,
} from '../run/facts/study-report.d.ts';

export type { Saturation };

type Said<T> = T & { text: string };

export interface StudyReport
  extends Omit<
    Facts.StudyReport,
    | 'study'
    | 'verdict'
    | 'load'
    | 'components'
    | 'variants'
    | 'scaling'
    | 'comparisons'
    | 'capacity'
    | 'findings'
  > {
  study: Omit<Facts.StudyReport['study'], 'reasons'> & {
    reasons: Worded<Facts.StudyReason, string>[];
  };
  verdict: {
    level: Facts.StudyReport['verdict']['level'];
    headline: Worded<Facts.StudyReport['verdict']['headline'], string>;
    lines: Worded<Facts.StudyReport['verdict']['lines'][number], string>[];
  };
  load: Omit<Facts.StudyReport['load'], 'stopRule'> & { stopRule: Said<StopRule> | null };
  components: { name: string; label: string }[];
  variants: VariantReport[];
  scaling: Scaling[];
  comparisons: VariantComparison[];
  capacity: CapacityAnswer | null;
  findings: StudyFinding[];
}

export type VariantReport = Omit<
  Facts.VariantReport,
  'saturation' | 'usl' | 'bottleneck' | 'why' | 'stop'
> & {
  bottleneck: Worded<Facts.VariantReport['bottleneck'], BottleneckText>;
  saturation: Said<Saturation>;
  usl: Said<Facts.UslFit>;
  why: (Facts.Why & { sentences: string[] }) | null;
  stop: Worded<StopReason, string> | null;
};

export type Scaling = Said<Facts.Scaling>;
/** `label`: of its measure */
export type VariantComparison = Facts.VariantComparison & { label: string };
export type StudyFinding = Worded<Facts.StudyFinding, StatementText>;

export type CapacityAnswer = Omit<Facts.CapacityAnswer, 'variants' | 'answer'> & {
  variants: Said<Facts.VariantCapacity>[];
  answer: Worded<Facts.CapacityAnswer['answer'], string>;
};
