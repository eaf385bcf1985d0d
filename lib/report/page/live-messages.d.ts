/** Messages to the page of a running run. */

import type { Section } from '../../text/document/document.d.ts';
import type { wordControl } from '../../text/steering.js';
import type { WordedLoad, WordedReport } from '../../text/worded-report.d.ts';

/** A full analysis of everything recorded so far. */
export interface ReportMessage {
  /** when reading began, epoch ms */
  atMs: number;
  report: WordedReport;
  /** what the page only prints */
  content: Section[];
  /** null during the run; `file`: the report, null if none was written */
  ended: { file: string | null; folder: string } | null;
}

/** What can be changed of the load; `text`: why nothing, or its value as the generator confirmed it. */
export type ControlMessage = ReturnType<typeof wordControl>;

/** Data that is newer than the last full analysis. */
export interface LoadMessage {
  /** when reading began, epoch ms */
  atMs: number;
  timeline: WordedReport['timeline'];
  /** without seconds; without failures if there are logs, since only logs know some of them; null without a load */
  load: (Omit<WordedLoad, 'failures'> & Partial<Pick<WordedLoad, 'failures'>>) | null;
}
