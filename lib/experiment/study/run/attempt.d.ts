import type { Redactor } from '../../../base/files/redaction.js';
import type { CellKey, StudyPlan } from '../../../run/facts/study-records.d.ts';
import type { EndedCell } from '../../strategies/steps.js';
import type { StudyFiles, StudyFolder } from './study-folder.js';

/** Shared by everything in one attempt at a study. */
export interface Attempt {
  plan: StudyPlan;
  files: StudyFiles;
  redactor: Redactor;
  /** named by the study */
  secrets: Record<string, string>;
  opened: StudyFolder;
  /** its temporary folder */
  work: string;
  /** folder for the output of running programs */
  live: string;
  /** of the study's programs */
  places: { ports: Record<string, number>; work: string };
  /** as typed */
  command: string;
  insecure: boolean;
  signal: AbortSignal;
  /** Writes the report of a cell's run folder; a failure to write it becomes a note. */
  report: (run: string) => Promise<void>;
  onProgress: (text: string) => void;
  onNote: (line: string) => void;
  /** returns a function that takes progress texts */
  cellBegins: (cell: CellKey) => (text: string) => void;
  cellEnds: (cell: EndedCell) => void;
}
