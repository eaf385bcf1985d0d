/** Bursts of errors, and what the API's logs said meanwhile. */

/** Log lines are text from outside: never markup. */
export interface LogLine {
  /** when it was written, on our clock where the two differ visibly */
  atMs: number;
  /** path of the file, or the command */
  source: string;
  level: 'error' | 'warn' | 'info' | null;
  pid: number | null;
  /** at most 4 KB, may hold line feeds (a traceback) */
  text: string;
  /** how it is known to belong there */
  matchedBy: 'request-id' | 'traceparent' | 'endpoint' | 'pod' | 'time';
  /** how many lines say the same but for numbers and ids, itself included */
  alike: number;
}

export interface Traceback {
  /** `KeyError: 'two'`, the last of a chain; its first line */
  exception: string;
  /** the innermost frame of the API's own code: `get (resources/citizens.py:21)`; null without frames */
  place: string | null;
  count: number;
  /** of the first one */
  text: string;
}

/** Errors of one kind that came together, or all the time. */
export interface ErrorBurst {
  /** whole seconds */
  startMs: number;
  endMs: number;
  /** a status ("500") or the name of an error ("ECONNRESET") */
  code: string;
  /** the one that nearly all of them hit; null: several, or not known */
  endpoint: string | null;
  /** the most hit first, at most 5 */
  endpoints: { name: string; errors: number }[];
  errors: number;
  /** requests of these endpoints in these seconds; null where no endpoint is known */
  requests: number | null;
  /** not a burst: errors of this kind came throughout */
  isSteady: boolean;
  /** the pods that sent these responses, the most first; null where that is not known of all of them */
  answeredBy: { pod: string; errors: number }[] | null;
  log: {
    /** the best way in which a line was matched; `none`: the logs said nothing that fits, or there are none */
    basis: LogLine['matchedBy'] | 'none';
    isFollowed: boolean;
    /** the most telling first, at most 10 */
    lines: LogLine[];
    /** kinds of lines that are not shown */
    more: number;
    /** those that are joined by more than time; where `basis` is `pod`, of the pods that answered, in that time */
    tracebacks: Traceback[];
  };
}

/** The logs of a run as a whole. */
export interface LogReport {
  sources: {
    name: string;
    type: 'file' | 'pod';
    /** records kept in the run folder, and lines left out of it (a flood) */
    records: number;
    leftOut: number;
    /** the clock of what wrote it minus ours, where times in the lines show a difference; ms */
    aheadMs: number | null;
  }[];
  /** while the load was on; access lines with a status of 400 and more are not counted */
  errors: number;
  warnings: number;
  /** these, the most frequent first, at most 5 kinds */
  said: LogLine[];
  /** the most frequent first, at most 20 */
  tracebacks: Traceback[];
  /** what gunicorn said of workers that ended or were ended, oldest first, at most 20 */
  workers: { atMs: number; source: string; pid: number | null; text: string }[];
}
