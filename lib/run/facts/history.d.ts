/** The history of runs: a file with one line per run, and the changes detected in it. */

import type { Change, CompareReport, Measure, MeasureId } from './compare-report.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { Count, Share, Time } from './records.d.ts';

export interface Machine {
  platform: string;
  cpus: Count;
  cpuModel: string;
}

/** A line of the file: one run. Text in it comes from outside. */
export interface HistoryEntry {
  schema: 'loadflame-history/1';
  kind: 'run';
  /** when the run started */
  t: Time;
  id: string;
  /** commit of the working directory, read before the load; null: not known */
  commit: string | null;
  branch: string | null;
  /** has uncommitted changes; null: not known */
  isDirty: boolean | null;
  reliability: 'valid' | 'doubtful' | 'invalid';
  isPartial: boolean;
  /** entries are comparable only if all of these are equal */
  of: {
    script: { name: string; sha256: string } | null;
    engine: string | null;
    phases: Pick<LoadReport['phases'][number], 'plan' | 'model'>[];
    /** the recorded machine, or the one that sent the load; then the one that sent the load, if different */
    machines: Machine[];
    /** host name of the target; null: this machine */
    target: string | null;
    kind: string;
    /** the profiler that sampled stacks, and its rate */
    profiler: string | null;
  };
  /** hash of `of.machines` and `of.target` */
  fingerprint: string;
  /** settings other than the default, secrets masked */
  settings: { name: string; value: string }[];
  versions: Record<string, string>;
  /** figures of the whole run that comparisons use, by id (`measures.js`); unknown ones are absent */
  measures: Record<string, number>;
}

export interface HistoryShapes {
  history: HistoryEntry;
}

export interface HistoryReport {
  schema: 'loadflame-history-report/1';
  file: string;
  /** number of lines that are not entries, such as the last line of a killed writer */
  torn: Count;
  /** the only branch included; null: all */
  branch: string | null;
  /** error rate of the test over a whole series */
  alpha: Share;
  /** starting with the series that has the newest entry */
  series: HistorySeries[];
}

/** Comparable entries, oldest first. */
export interface HistorySeries extends Pick<HistoryEntry, 'of' | 'fingerprint'> {
  entries: (Pick<
    HistoryEntry,
    't' | 'id' | 'commit' | 'branch' | 'isDirty' | 'reliability' | 'isPartial'
  > & {
    /** whether it takes part in the analysis; invalid entries do not */
    isUsed: boolean;
  })[];
  measures: HistoryMeasure[];
  /** number of entries searched: the newest ones that are used */
  searched: Count;
  changes: HistoryChange[];
}

export interface HistoryMeasure extends Measure {
  /** in the order of `entries`; null: not known, or the entry is not used */
  values: (number | null)[];
}

export interface HistoryChange {
  /** index into `entries` of the most likely first entry after the change */
  at: Count;
  /** 95 %: index of the last entry that is before the change, and of the first one that is after it */
  before: Count;
  after: Count;
  /** probability that chance produces as clear a change anywhere in this stretch, in any measure */
  p: Share;
  /** the measure that shows it most clearly */
  measure: MeasureId;
  /** significant changes of measures, that of `measure` first */
  sizes: HistorySize[];
  /** newest first; null: git does not know them */
  commits: { id: string; subject: string }[] | null;
  /** number of commits left out of `commits` */
  moreCommits: Count;
  /** settings and versions that differ between `before` and `after` */
  differences: CompareReport['differences'];
}

export interface HistorySize
  extends Pick<Change, 'shift' | 'relative' | 'intervalOf' | 'p' | 'before' | 'after'> {
  measure: MeasureId;
  unit: Measure['unit'];
  call: 'better' | 'worse';
}
