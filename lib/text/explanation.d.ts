/** What `loadflame explain` prints as JSON, for an editor or a coding agent: at most 4,096 bytes. */

import type { Reliability } from '../run/facts/quality.d.ts';
import type { RunKind } from '../run/facts/report.d.ts';
import type { Severity } from '../run/facts/statement.d.ts';
import type { Proof } from './text.d.ts';

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
  /** null without a load; `gain`: predicted for its fix, null if not known */
  bottleneck: { id: string; title: string; gain: string | null } | null;
  /** of the whole run, the most important first; or the requested ones */
  items: ExplainedItem[];
  /** number of items left out for lack of space */
  left: number;
}

export interface ExplainedItem {
  kind:
    | 'finding'
    | 'path'
    | 'endpoint'
    | 'statement'
    | 'source'
    | 'package'
    | 'middleware'
    | 'request';
  /** to request it by */
  name: string;
  title: string;
  /** of findings; all but the severity only of requested ones */
  severity?: Severity;
  advice?: string;
  gain?: string;
  /** the comparison that shows what the fix brings */
  proof?: Pick<Proof, 'command' | 'lacks'>;
  /** the most expensive first */
  places: ExplainedPlace[];
}

export interface ExplainedPlace {
  function: string;
  /** as named by the profiler: relative to the folder that Python imports from */
  file: string;
  line: number | null;
  /** of the CPU time of the server, 0 to 1 */
  share: number | null;
}
