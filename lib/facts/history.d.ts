/** The history of runs: a file with one line per run, and the changes found in it. */

import type { Change, CompareReport, Measure, MeasureId } from './compare-report.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { Count, Share, Time } from './records.d.ts';

export interface Machine {
  platform: string;
  cpus: Count;
  cpuModel: string;
}

/** A line of the file: one run. Its text comes from outside. */
export interface HistoryEntry {
  schema: 'loadflame-history/1';
  kind: 'run';
  /** when the run started */
  t: Time;
  id: string;
  /** of the folder of the command, read before the load; null: not known */
  commit: string | null;
  branch: string | null;
  /** has uncommitted changes; null: not known */
  isDirty: boolean | null;
  reliability: 'valid' | 'doubtful' | 'invalid';
  isPartial: boolean;
  /** entries are compared only if all of this is equal */
  of: {
    script: { name: string; sha256: string } | null;
    engine: string | null;
    phases: Pick<LoadReport['phases'][number], 'plan' | 'model'>[];
    /** the recorded machine, or the one that sent the load; then the one that sent it, if it is another */
    machines: Machine[];
    /** host name of the target; null: this machine */
    target: string | null;
    kind: string;
    /** that sampled stacks, and its rate */
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
  /** lines that are not entries, such as the last one of a killed writer */
  torn: Count;
  /** the only branch in it; null: all */
  branch: string | null;
  /** error rate of the test of a whole series */
  alpha: Share;
  /** the series with the newest entry first */
  series: HistorySeries[];
}

/** Comparable entries, oldest first. */
export interface HistorySeries extends Pick<HistoryEntry, 'of' | 'fingerprint'> {
  entries: (Pick<
    HistoryEntry,
    't' | 'id' | 'commit' | 'branch' | 'isDirty' | 'reliability' | 'isPartial'
  > & {
    /** whether it counts; invalid ones do not */
    isUsed: boolean;
  })[];
  measures: HistoryMeasure[];
  /** number of entries searched: the newest of those that count */
  searched: Count;
  changes: HistoryChange[];
}

export interface HistoryMeasure extends Measure {
  /** in order of `entries`; null: not known, or the entry does not count */
  values: (number | null)[];
}

export interface HistoryChange {
  /** index into `entries` of the most likely first one after the change */
  at: Count;
  /** index of the last entry surely before it, and of the first one surely after it (95 %) */
  before: Count;
  after: Count;
  /** how often chance gives as clear a change anywhere in this stretch, in any measure */
  p: Share;
  /** the one that shows it most */
  measure: MeasureId;
  /** significant sizes, that of `measure` first */
  sizes: HistorySize[];
  /** newest first; null: unknown to git */
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
