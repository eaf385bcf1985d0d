/** The comparison as in renderers and `compare.json`: facts with their words. */

import type {
  Change,
  CompareReport,
  Measure,
  Side,
  Verdict,
  Warning,
} from '../run/facts/compare-report.d.ts';
import type { QualityItem } from '../run/facts/quality.d.ts';
import type { Worded } from './text.d.ts';
import type { WordedThreshold } from './thresholds.js';

/** A change as cells of a table. */
export interface ChangeCells {
  measure: string;
  /** of the category or endpoint; empty for the whole run */
  name: string;
  before: string;
  after: string;
  /** "~" if the difference is not significant */
  change: string;
  interval: string;
  p: string;
  note: string;
}

export type WordedChange = Worded<Change, ChangeCells>;

export interface WordedSide extends Omit<Side, 'runs'> {
  runs: (Omit<Side['runs'][number], 'reasons'> & {
    reasons: Worded<QualityItem, string>[];
  })[];
}

export interface WordedComparison
  extends Omit<
    CompareReport,
    'before' | 'after' | 'verdict' | 'warnings' | 'measures' | 'changes'
  > {
  before: WordedSide;
  after: WordedSide;
  verdict: Worded<Verdict, { headline: string; sentences: string[] }>;
  warnings: Worded<Warning, string>[];
  measures: (Measure & { label: string })[];
  changes: WordedChange[];
  /** how the figures, intervals and tests were made */
  method: string;
  /** empty without thresholds */
  thresholds: WordedThreshold[];
}
