/** The history of runs: a file with a line for each, and what is found in it. */

import type { Change, CompareReport, Measure, MeasureId } from './compare-report.d.ts';
import type { LoadReport } from './load-report.d.ts';
import type { Count, Share, Time } from './records.d.ts';

export interface Machine {
  platform: string;
  cpus: Count;
  cpuModel: string;
}

/** A line of the file: one run. Text in it comes from the run, so from outside. */
export interface HistoryEntry {
  schema: 'loadflame-history/1';
  kind: 'run';
  /** when the run started */
  t: Time;
  id: string;
  /** of the folder in which the command ran, before the load; null: not known */
  commit: string | null;
  branch: string | null;
  /** with changes that are in no commit; null: not known */
  isDirty: boolean | null;
  reliability: 'valid' | 'doubtful' | 'invalid';
  isPartial: boolean;
  /** entries are compared only where all of this is the same */
  of: {
    script: { name: string; sha256: string } | null;
    engine: string | null;
    phases: Pick<LoadReport['phases'][number], 'plan' | 'model'>[];
    /** that was recorded, or that sent the load; then that which sent it, where it is another one */
    machines: Machine[];
    /** host name of the target; null: this machine */
    target: string | null;
    kind: string;
    /** that took stacks, and its rate */
    profiler: string | null;
  };
  /** hash of `of.machines` and `of.target` */
  fingerprint: string;
  /** those that are not the default, secrets masked */
  settings: { name: string; value: string }[];
  versions: Record<string, string>;
  /** those of the whole run that runs are compared by, by id (`measures.js`); what it does not know is absent */
  measures: Record<string, number>;
}

export interface HistoryShapes {
  history: HistoryEntry;
}

export interface HistoryReport {
  schema: 'loadflame-history-report/1';
  file: string;
  /** lines that are no entries, as the last one of a writer that was killed */
  torn: Count;
  /** the only one that is in it; null: all */
  branch: string | null;
  /** of a test of a whole series */
  alpha: Share;
  /** the one with the newest entry first */
  series: HistorySeries[];
}

/** Entries that can be compared, oldest first. */
export interface HistorySeries extends Pick<HistoryEntry, 'of' | 'fingerprint'> {
  entries: (Pick<
    HistoryEntry,
    't' | 'id' | 'commit' | 'branch' | 'isDirty' | 'reliability' | 'isPartial'
  > & {
    /** counts; invalid ones do not */
    isUsed: boolean;
  })[];
  measures: HistoryMeasure[];
  /** of those that count, were searched: the newest */
  searched: Count;
  changes: HistoryChange[];
}

export interface HistoryMeasure extends Measure {
  /** in the order of `entries`; null: not known, or the entry does not count */
  values: (number | null)[];
}

export interface HistoryChange {
  /** index into `entries` of the most likely first one after the change */
  at: Count;
  /** of the last one that is surely before it, and the first one that is surely after it (95 %) */
  before: Count;
  after: Count;
  /** how often chance alone gives a change as clear somewhere in this stretch, in some measure */
  p: Share;
  /** that shows it most */
  measure: MeasureId;
  /** significant ones, that one first */
  sizes: HistorySize[];
  /** newest first; null: git does not know these commits */
  commits: { id: string; subject: string }[] | null;
  /** of `commits`, that are left out */
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
