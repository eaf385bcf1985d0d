/** A load test, from what is asked for to its end. */
import type { Redactor } from '../../files/redaction.js';
import type { RunFiles } from '../../run/run-folder.js';
import type { TokenPlaces } from './engine/engine.d.ts';
import type { ArtilleryJob, FromGenerator, GeneratorFlags, Job, LoadProgress } from './messages.js';
import type { Share } from './pacing/schedule.js';
import type { PreparedScript, ScriptOptions } from './prepare-script.js';

/** The part of the settings that load needs (`lib/config/read-config.js` gives it). */
export interface Settings {
  // biome-ignore lint/suspicious/noExplicitAny: each setting has its own type
  get(name: string): any;
  isSet(name: string): boolean;
  readonly all: readonly { name: string; text: string; secret: boolean }[];
  readonly secrets: readonly string[];
}

export interface LoadOptions
  extends ScriptOptions,
    GeneratorFlags,
    Pick<GeneratorOptions, 'share' | 'begin' | 'cpus'> {
  engine?: 'loadflame' | 'artillery';
  workers?: number;
  /** false: what the script prints is not shown */
  log?: boolean;
  /** workers in a cluster send it */
  inside?: ClusterWorkers;
  /** our engine begins so that a second of the clock begins so long after */
  wholeSecondAfterMs?: number;
}

export interface ClusterWorkers {
  workers: number;
  image: string;
  cpu: string;
  memory: string;
  /** for all to be up */
  waitSec: number;
  // biome-ignore lint/suspicious/noExplicitAny: a part of a Pod, as Kubernetes has it
  pod: Record<string, any> | null;
}

/** What is to be run. */
export interface Load {
  prepared: PreparedScript;
  settings: Settings;
  files: RunFiles;
  /** started: it has its tokens */
  tokens: TokenSource | null;
  redactor: Redactor;
  /** that are in no setting: passwords of a file of users */
  secrets?: readonly string[];
  options?: LoadOptions;
  say: LoadListeners;
  /** ends a load that has not begun */
  signal?: AbortSignal;
}

/** Who hears of a load, from before it begins. */
export interface LoadListeners {
  /** what is waited for before it begins */
  onWait?(text: string): void;
  onProgress?(progress: LoadProgress): void;
  /** what the user should know, once each */
  onNote(text: string): void;
  /** what the script and its hooks print: the first lines of each second */
  onLog?(line: string): void;
}

export interface LoadEnd {
  reason: 'complete' | 'interrupted' | 'crashed';
  exitCode: number | null;
  /** that ended it */
  signal: string | null;
  /** the generator's own totals; empty where it gave none */
  counters: Record<string, number>;
  /** its last words, redacted */
  logTail: string;
}

export interface RunningLoad {
  /** of the generator */
  pid: number;
  /** never rejects */
  ended: Promise<LoadEnd>;
  /** ends the load; what was recorded is kept */
  stop(): Promise<LoadEnd>;
}

export interface TokenSource {
  tokens(): string[];
  /** gives back how to unsubscribe */
  onChange(listener: () => void): () => void;
}

export interface GeneratorOptions {
  say: LoadListeners;
  engine?: 'loadflame' | 'artillery';
  prepared: PreparedScript;
  files: RunFiles;
  /** for the scripts' `$env` */
  env: Record<string, string>;
  /** the same, sent when it runs, for an environment can be read */
  secretEnv?: Record<string, string>;
  /** its tokens have been obtained */
  tokens: TokenSource | null;
  tokenPlaces: TokenPlaces;
  /** of a router; null: those that are known */
  stickyCookie: string | null;
  redactor: Redactor;
  /** that must not be in any file */
  secrets?: readonly string[];
  /** of the job */
  wholeSecondAfterMs?: number;
  flags?: GeneratorFlags;
  /** of a load that is sent from several machines; `of` counts the threads of all */
  share?: Share;
  /** called when all is ready: when the first phase is to begin; at once without it */
  begin?(): Promise<number>;
  /** processors that it keeps to, as `taskset -c` takes them */
  cpus?: string;
  /** ends a generator that has not begun */
  signal?: AbortSignal;
}

/** What the engines differ in. */
export interface Generator {
  /** of Node */
  args: string[];
  /** the first message */
  job: Job | ArtilleryJob;
  /** its messages */
  take(message: FromGenerator): void;
  /** totals, when it has ended */
  end(): Promise<{ counters: Record<string, number>; complete: boolean }>;
}
