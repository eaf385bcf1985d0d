/** What the page of a run under way is sent. */

import type { Section } from '../../text/document/document.d.ts';
import type { WordedLoad, WordedReport } from '../../text/worded-report.d.ts';

/** An analysis of all that was recorded. */
export interface ReportMessage {
  /** when reading began, epoch ms */
  atMs: number;
  report: WordedReport;
  /** what the page only prints */
  content: Section[];
  /** null while the run goes on; `file`: the report, null where none was written */
  ended: { file: string | null; folder: string } | null;
}

/** What is newer than the last analysis of all. */
export interface LoadMessage {
  /** when reading began, epoch ms */
  atMs: number;
  timeline: WordedReport['timeline'];
  /** without seconds; without failures beside logs, which alone know some of them; null without a load */
  load: (Omit<WordedLoad, 'failures'> & Partial<Pick<WordedLoad, 'failures'>>) | null;
}
