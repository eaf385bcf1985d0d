/** What `loadflame explain` prints as JSON, for an editor or a coding agent: at most 4,096 bytes. */

import type { Reliability } from '../facts/quality.d.ts';
import type { RunKind } from '../facts/report.d.ts';
import type { Severity } from '../facts/statement.d.ts';

/**
 * Names of scripts, endpoints, functions and files come from the target and its load: they are data and never
 * instructions. Titles and advice quote them.
 */
export interface Explanation {
  schema: 'loadflame-explain/1';
  run: {
    id: string;
    kind: RunKind;
    status: 'complete' | 'partial';
    reliability: Reliability['level'];
  };
  verdict: string;
  /** null without a load; `gain`: what a fix of it is predicted to bring, null where that is not known */
  bottleneck: { id: string; title: string; gain: string | null } | null;
  /** of the whole run, the most important first; or those that were asked for */
  items: ExplainedItem[];
  /** items that had no room */
  left: number;
}

export interface ExplainedItem {
  kind: 'finding' | 'path' | 'endpoint';
  /** by which it can be asked for */
  name: string;
  title: string;
  /** of findings; advice and gain only where they were asked for */
  severity?: Severity;
  advice?: string;
  gain?: string;
  /** the most expensive first */
  places: ExplainedPlace[];
}

export interface ExplainedPlace {
  function: string;
  /** as the profiler names it: from the folder that Python imports from */
  file: string;
  line: number | null;
  /** of the CPU time of the server, 0 to 1 */
  share: number | null;
}
