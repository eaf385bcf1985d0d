/**
 * A study as `read-study.js` gives it: checked, defaults filled in, `quick:` merged. Texts may still hold
 * `{{ $env.STUDY_… }}`, whose value differs between variants (`fill.js`). Commands are lines for the shell, which
 * get the same variables in their environment.
 */

import type { TargetsAsked } from './records.d.ts';

export interface Study {
  /** of the file, without its ending */
  name: string;
  /** absolute */
  file: string;
  /** of the file's text and of whether it is the quick form: a study goes on only where both are the same */
  sha256: string;
  isQuick: boolean;
  title: string;
  question: string | null;
  factors: Factor[];
  /** combinations that are left out */
  exclude: FactorMatch[];
  /** names of free loopback ports, beside one for each service */
  ports: string[];
  services: Service[];
  target: Target;
  /** that users take in turn, found in a cluster before each cell; without it they all take the target's url */
  targets?: TargetsAsked;
  /** loadflame's own settings (`lib/config/settings.js`) for the runs */
  settings: Record<string, string>;
  /** names of the user's own settings and variables that the runs are given; a study without services has all */
  secrets?: string[];
  lists: List[];
  /** an Artillery script without target and phases: a file, or itself */
  scenario: { script: string } | { inline: Record<string, unknown> };
  load: Load;
  /** the same load as the step, before it is measured */
  warmUpSec: number;
  /** of a burst: how long it may take to be done with it; of a spike: before it, in it, and after it */
  durationSec: number;
  /** without load, between two cells */
  settleSec: number;
  repeats: number;
  record: {
    /** `plateau`: one more cell per variant, with py-spy, at the step with the highest throughput */
    profile: 'off' | 'plateau';
    processes: ProcessGroup[];
    probes: Probe[];
  };
  /** command that is run once, before the first block */
  setup?: string;
  /** before each block, when its services are ready: scale a workload, make routes */
  prepare?: string;
  /** before each cell: empty a queue, flush a cache */
  reset?: string;
  /** once, when all services are stopped, however the study ends */
  cleanup?: string;
  /** what an answer is called, in the plural: `requests`, `messages` */
  answers: string;
  /** what counts as throughput where it is not the answers: how fast a counter of a probe rises */
  throughput: { probe: string; field: string; label: string } | null;
  /** a pipeline in its order: what waits before a stage, told by a probe */
  stages: Stage[];
  /** numeric factor over which scaling is judged: workers, processes, pods */
  scaleOver: string | null;
  objective: Objective | null;
  /** factors that say what is asked of the target: their values are not compared with each other */
  workloads?: string[];
}

/** A value is a label, STUDY_<FACTOR>, and fields, STUDY_<FACTOR>_<FIELD>. */
export interface Factor {
  name: string;
  values: { label: string; fields: Record<string, unknown> }[];
}

/** factor → labels; all must match */
export type FactorMatch = Record<string, string[]>;

export interface Service {
  name: string;
  /** only in variants that match; null: in all */
  when: FactorMatch | null;
  /** line for the shell, in the folder of the study */
  command: string;
  env: Record<string, string>;
  /** names of variables of the user that are put into its environment */
  secrets?: string[];
  ready: Ready;
  stopSignal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT';
}

/** At most one of `port`, `url` and `log`. */
export interface Ready {
  /** a number, or a template that gives one */
  port?: string | number;
  url?: string;
  /** regular expression */
  log?: string;
  timeoutSec: number;
}

export type Gunicorn = { service: string } | { pidFile: string } | { pid: string | number };

export interface Target {
  url: string;
  /** the servers whose processes count as the API's; the first is profiled; older files have one or null */
  gunicorn: Gunicorn | Gunicorn[] | null;
}

/** Discovered instead of typed; written as CSV and joined to the script's `config.payload`. */
export interface List {
  /** column, and the variable of the scenario */
  name: string;
  /** a URL, or a path below the target, or a file (`file:…`, below the study's folder) */
  from: string;
  /** a regular expression whose first group is an item, or `$.json.path[*]` */
  match: string;
  order: 'random' | 'sequence';
  /** links that end with `follow` are pages, and read, so many links deep and no more than `pages` */
  crawl?: { depth: number; pages: number; follow: string };
}

export interface Load {
  /**
   * `closed`: steps are users who wait for their answer; `open`: steps are arrivals per second; `burst`: steps
   * are requests that come at once, to a target that does nothing else; `spike`: arrivals per second of one
   * scenario that come for a while beside those that come all the time
   */
  model: 'closed' | 'open' | 'burst' | 'spike';
  /** of a spike: its scenario, and the arrivals per second of all of them before, in and after it */
  of?: string;
  base?: number;
  /** fixed, ascending; or until saturated */
  steps: number[] | { from: number; factor: number; most: number };
  /** false for fixed steps: all are run whatever happens */
  untilSaturated: boolean;
  stop: StopRule;
  /** processors that the generator keeps to, as `taskset -c` takes them; a template; absent: any */
  cpus?: string;
}

/** The rule that ends the steps of a variant. */
export interface StopRule {
  /** throughput rose by less than this share in each of two steps in a row */
  gain: number;
  /** null: latency does not stop it */
  p95Ms: number | null;
  /** share of requests */
  errors: number;
  /** share of arrivals */
  skipped: number;
}

/** Processes whose CPU time and memory are recorded as one component. */
export interface ProcessGroup {
  name: string;
  /** exactly one of these says which; children and their children belong to it */
  service?: string;
  pidFile?: string;
  port?: string | number;
  /** regular expression over the command line */
  commandLine?: string;
  /** `all`: main process and everything below it; `children`: only what is below it; `main` */
  members: 'all' | 'children' | 'main';
  /** the most it can use: 1 for a single-threaded server; absent: what the machine has */
  cores?: string | number;
}

export interface Probe {
  name: string;
  /** GET, answers a JSON object with numbers; or a command that prints one */
  url?: string;
  command?: string;
  intervalMs: number;
}

export interface Stage {
  name: string;
  /** what waits before it */
  backlog: { probe: string; field: string };
  /** how many work at it at a time; a template */
  servers: string;
}

/** What the study has to answer; any field may be null. */
export interface Objective {
  ratePerSec: number | null;
  /** instead of a rate: so many clients, each once per interval (rate = clients ÷ interval) */
  clients: number | null;
  intervalSec: number | null;
  p95Ms: number | null;
  errors: number | null;
  /** share of the capacity that stays free, 0.3 */
  headroom: number;
  /** asked of these variants only */
  when?: FactorMatch;
}
