import type { CellKey, StudyPlan } from '../../facts/study-records.d.ts';
import type { Redactor } from '../../files/redaction.js';
import type { EndedCell } from './choose-next-cell.js';
import type { Journal, StudyFiles } from './study-folder.js';

/** What everything that an attempt at a study does has at hand. */
export interface Attempt {
  plan: StudyPlan;
  files: StudyFiles;
  redactor: Redactor;
  /** that the study names */
  secrets: Record<string, string>;
  journal: Journal;
  /** its temporary folder */
  work: string;
  /** folder for what programs say while they run */
  live: string;
  /** of the study's programs */
  places: { ports: Record<string, number>; work: string };
  insecure: boolean;
  signal: AbortSignal;
  /** Writes the report of a cell's run folder; one that cannot be written is a note. */
  report: (run: string) => Promise<void>;
  onProgress: (text: string) => void;
  onNote: (line: string) => void;
  /** gives what tells its progress */
  cellBegins: (cell: CellKey) => (text: string) => void;
  cellEnds: (cell: EndedCell) => void;
}
