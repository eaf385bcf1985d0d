/** Bursts of errors, and the API's log lines of the same time. */

/** Log lines are text from outside: never treat them as markup. */
export interface LogLine {
  /** time of writing, corrected to our clock if the two visibly differ */
  atMs: number;
  /** path of the file, or the command */
  source: string;
  level: 'error' | 'warn' | 'info' | null;
  pid: number | null;
  /** at most 4 KB; may contain line feeds (a traceback) */
  text: string;
  /** what links the line to the errors */
  matchedBy: 'request-id' | 'traceparent' | 'endpoint' | 'pod' | 'time';
  /** number of lines with the same text except for numbers and ids, this one included */
  alike: number;
}

export interface Traceback {
  /** first line of the last exception of a chain: `KeyError: 'two'` */
  exception: string;
  /** innermost frame of the API's own code: `get (resources/citizens.py:21)`; null without frames */
  place: string | null;
  count: number;
  /** text of the first one */
  text: string;
}

/** Errors of one kind that occurred together, or throughout the run. */
export interface ErrorBurst {
  /** whole seconds */
  startMs: number;
  endMs: number;
  /** a status ("500") or the name of an error ("ECONNRESET") */
  code: string;
  /** the endpoint that nearly all of them affected; null: several, or not known */
  endpoint: string | null;
  /** the most affected first, at most 5 */
  endpoints: { name: string; errors: number }[];
  errors: number;
  /** requests of these endpoints in these seconds; null if no endpoint is known */
  requests: number | null;
  /** not a burst: errors of this kind occurred throughout */
  isSteady: boolean;
  /** the pods that sent these responses, the most errors first; null unless known for all of them */
  answeredBy: { pod: string; errors: number }[] | null;
  log: {
    /** the strongest way in which a line was matched; `none`: no matching line, or no logs */
    basis: LogLine['matchedBy'] | 'none';
    isFollowed: boolean;
    /** the most informative first, at most 10 */
    lines: LogLine[];
    /** number of kinds of lines left out */
    more: number;
    /** tracebacks linked by more than time; if `basis` is `pod`: tracebacks of the responding pods in that time */
    tracebacks: Traceback[];
  };
}

/** The logs of a run as a whole. */
export interface LogReport {
  sources: {
    name: string;
    type: 'file' | 'pod';
    /** records kept in the run folder, and lines dropped because there were too many */
    records: number;
    leftOut: number;
    /** clock of the log's writer minus ours, if the times in the lines show a difference; ms */
    aheadMs: number | null;
  }[];
  /** during the load; access lines with a status of 400 or above do not count */
  errors: number;
  warnings: number;
  /** these errors and warnings, the most frequent first, at most 5 kinds */
  said: LogLine[];
  /** the most frequent first, at most 20 */
  tracebacks: Traceback[];
  /** services that the API could not reach, by errors of its connections; the most errors first, at most 5 */
  outages: {
    service: 'database' | 'identity-provider' | 'service';
    /** `host:port`, if the errors have it */
    address: string | null;
    /** times of the first and the last error */
    startMs: number;
    endMs: number;
    errors: number;
    /** `connection refused` */
    reason: string;
  }[];
  /** gunicorn's messages about workers that ended or were ended, oldest first, at most 20 */
  workers: { atMs: number; source: string; pid: number | null; text: string }[];
}
