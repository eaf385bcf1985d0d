/**
 * A study as `read-study.js` returns it: validated, defaults filled in, `quick:` merged. Strings may still contain
 * `{{ $env.STUDY_… }}`, whose value depends on the variant (`fill.js`). Commands are shell command lines; their
 * environment contains the same variables.
 */

export interface Study {
  /** file name without extension */
  name: string;
  /** absolute path */
  file: string;
  /** hash of the file's text and of `isQuick`: a study can only be resumed if both are unchanged */
  sha256: string;
  isQuick: boolean;
  title: string;
  question: string | null;
  factors: Factor[];
  /** combinations to skip */
  exclude: FactorMatch[];
  /** names of free loopback ports, in addition to one per service */
  ports: string[];
  services: Service[];
  target: Target;
  /** loadflame's own settings (`lib/base/config/settings.js`) for the runs */
  settings: Record<string, string>;
  /** names of the user's settings and variables that the runs receive; a study without services passes all */
  secrets?: string[];
  /** an Artillery script without target and phases: a file, or the script itself */
  scenario: { script: string } | { inline: Record<string, unknown> };
  load: Load;
  /** the load of the step, before the measurement starts */
  warmUpSec: number;
  /** burst: the time allowed to complete it; spike: the length of each part, before, during and after the spike */
  durationSec: number;
  /** pause without load between two cells */
  settleSec: number;
  repeats: number;
  record: {
    /** `plateau`: one additional cell per variant, with py-spy, at the step with the highest throughput */
    profile: 'off' | 'plateau';
    processes: ProcessGroup[];
    probes: Probe[];
  };
  /** command to run once, before the first block */
  setup?: string;
  /** before each block, once its services are ready: scale a workload, create routes */
  prepare?: string;
  /** before each cell: empty a queue, flush a cache */
  reset?: string;
  /** once, after all services have stopped, however the study ends */
  cleanup?: string;
  /** the plural noun for responses: `requests`, `messages` */
  answers: string;
  /** the source of throughput if not responses: the rate at which a probe's counter rises */
  throughput: { probe: string; field: string; label: string } | null;
  /** a pipeline, in order; a probe reports the backlog before each stage */
  stages: Stage[];
  /** the numeric factor for which scaling is analysed: workers, processes, pods */
  scaleOver: string | null;
  objective: Objective | null;
  /** factors that define what is asked of the target: their values are not compared with each other */
  workloads?: string[];
}

/** A value has a label, STUDY_<FACTOR>, and fields, STUDY_<FACTOR>_<FIELD>. */
export interface Factor {
  name: string;
  values: { label: string; fields: Record<string, unknown> }[];
}

/** factor → labels; all must match */
export type FactorMatch = Record<string, string[]>;

export interface Service {
  name: string;
  /** only in matching variants; null: in all */
  when: FactorMatch | null;
  /** shell command line, run in the folder of the study */
  command: string;
  env: Record<string, string>;
  /** names of the user's variables that its environment receives */
  secrets?: string[];
  ready: Ready;
  stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
}

/** At most one of `port`, `url` and `log`. */
export interface Ready {
  /** a number, or a template for one */
  port?: string | number;
  url?: string;
  /** regular expression */
  log?: string;
  timeoutSec: number;
}

export type Gunicorn = { service: string } | { pidFile: string } | { pid: string | number };

export interface Target {
  url: string;
  /** servers whose processes count as the API; the first is profiled; older files have one or null */
  gunicorn: Gunicorn | Gunicorn[] | null;
}

export interface Load {
  /**
   * `closed`: steps are users who each wait for their response; `open`: steps are arrivals per second; `burst`: steps
   * are requests sent at once to an otherwise idle target; `spike`: steps are arrivals per second of one scenario,
   * for a while, in addition to a constant load
   */
  model: 'closed' | 'open' | 'burst' | 'spike';
  /** spike only: its scenario, and the constant arrivals per second of all scenarios before, during and after it */
  of?: string;
  base?: number;
  /** fixed and ascending, or until saturated */
  steps: number[] | { from: number; factor: number; most: number };
  /** false for fixed steps: all of them run */
  untilSaturated: boolean;
  stop: StopRule;
  /** CPUs to which the generator is pinned, as for `taskset -c`; a template; absent: any */
  cpus?: string;
}

/** When to stop adding steps for a variant. */
export interface StopRule {
  /** throughput rose by less than this share in each of two consecutive steps */
  gain: number;
  /** null: latency does not end the steps */
  p95Ms: number | null;
  /** share of requests */
  errors: number;
  /** share of arrivals */
  skipped: number;
}

/** Processes whose CPU time and memory are recorded as one component. */
export interface ProcessGroup {
  name: string;
  /** exactly one of these selects the main process; its descendants belong to the group */
  service?: string;
  pidFile?: string;
  port?: string | number;
  /** regular expression matched against the command line */
  commandLine?: string;
  /** `all`: the main process and its descendants; `children`: only the descendants; `main`: only the main process */
  members: 'all' | 'children' | 'main';
  /** the most that it can use: 1 for a single-threaded server; absent: all cores of the machine */
  cores?: string | number;
}

export interface Probe {
  name: string;
  /** GET that returns a JSON object with numbers; or a command that prints one */
  url?: string;
  command?: string;
  intervalMs: number;
}

export interface Stage {
  name: string;
  /** the backlog before the stage */
  backlog: { probe: string; field: string };
  /** how many requests it processes at a time; a template */
  servers: string;
}

/** The question of the study; any field may be null. */
export interface Objective {
  ratePerSec: number | null;
  /** instead of a rate: number of clients, each with one request per interval (rate = clients ÷ interval) */
  clients: number | null;
  intervalSec: number | null;
  p95Ms: number | null;
  errors: number | null;
  /** share of the capacity that stays free, such as 0.3 */
  headroom: number;
  /** applies to these variants only */
  when?: FactorMatch;
}
