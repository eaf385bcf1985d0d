/** Types of a load test, from its options to its end. */
import type { EventEmitter } from 'node:events';
import type { Redactor } from '../base/files/redaction.js';
import type { LoadControl, TurnRequest } from '../run/facts/steering.d.ts';
import type { WholeRequest } from '../run/facts/whole-request.d.ts';
import type { RunFiles } from '../run/run-folder.js';
import type { TokenPlaces } from './engine/engine.d.ts';
import type {
  ArtilleryJob,
  FromGenerator,
  GeneratorFlags,
  Job,
  LoadProgress,
  Once,
} from './messages.js';
import type { Share } from './pacing/schedule.js';
import type { PreparedScript, ScriptOptions } from './prepare-script.js';

/** The part of the settings that a load needs (from `lib/base/config/read-config.js`). */
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
  /** instead of the phases */
  once?: Once;
  /** false: do not show the script's output */
  log?: boolean;
  /** workers in a cluster send the load */
  inside?: ClusterWorkers;
  /** our engine starts so that this long after the start a second of the clock begins */
  wholeSecondAfterMs?: number;
  /** our engine: the first phase ends once the rate has stopped rising */
  untilSteady?: boolean;
  /** our engine: after the last phase users leave out their pauses, and end half a second later */
  endsSoon?: boolean;
}

export interface ClusterWorkers {
  workers: number;
  image: string;
  cpu: string;
  memory: string;
  /** until all must be up */
  waitSec: number;
  // biome-ignore lint/suspicious/noExplicitAny: a part of a Pod, as Kubernetes has it
  pod: Record<string, any> | null;
}

/** What a person changes during the load, and what then runs. */
export type Steering = EventEmitter<{ turn: [TurnRequest]; control: [LoadControl] }>;

/** A load to run. */
export interface Load {
  prepared: PreparedScript;
  settings: Settings;
  files: RunFiles;
  /** already started: it has its tokens */
  tokens: TokenSource | null;
  redactor: Redactor;
  /** secrets outside the settings: passwords in a file of users */
  secrets?: readonly string[];
  options?: LoadOptions;
  steering?: Steering;
  say: LoadListeners;
  /** ends a load that has not begun */
  signal?: AbortSignal;
}

/** Listeners of a load, called from before it begins. */
export interface LoadListeners {
  /** what the load waits for before it begins */
  onWait?(text: string): void;
  onProgress?(progress: LoadProgress): void;
  /** a note for the user, once each */
  onNote(text: string): void;
  /** output of the script and its hooks: the first lines of each second */
  onLog?(line: string): void;
  /** of a load `once`: each request that ended */
  onRequest?(request: WholeRequest): void;
}

export interface LoadEnd {
  reason: 'complete' | 'interrupted' | 'crashed';
  exitCode: number | null;
  /** the signal that ended it */
  signal: string | null;
  /** the generator's own totals; empty if it reported none */
  counters: Record<string, number>;
  /** its last output, redacted */
  logTail: string;
}

export interface RunningLoad {
  /** of the generator */
  pid: number;
  /** never rejects */
  ended: Promise<LoadEnd>;
  /** ends the load; keeps what was recorded */
  stop(): Promise<LoadEnd>;
}

export interface TokenSource {
  tokens(): string[];
  /** returns a function that unsubscribes */
  onChange(listener: () => void): () => void;
}

export interface GeneratorOptions {
  steering?: Steering;
  say: LoadListeners;
  engine?: 'loadflame' | 'artillery';
  prepared: PreparedScript;
  files: RunFiles;
  /** for the scripts' `$env` */
  env: Record<string, string>;
  /** the same, but sent when it runs: other processes can read an environment */
  secretEnv?: Record<string, string>;
  /** already has its tokens */
  tokens: TokenSource | null;
  tokenPlaces: TokenPlaces;
  /** of a router; null: the well-known ones */
  stickyCookie: string | null;
  redactor: Redactor;
  /** must not appear in any file */
  secrets?: readonly string[];
  /** see `Job` */
  wholeSecondAfterMs?: number;
  untilSteady?: boolean;
  endsSoon?: boolean;
  flags?: GeneratorFlags;
  /** if several machines send the load; `of` counts the threads of all */
  share?: Share;
  once?: Once;
  /** called when all is ready; resolves when the first phase may begin, with its time if others begin then, too */
  begin?(): Promise<number | undefined>;
  /** processors to run on, in the syntax of `taskset -c` */
  cpus?: string;
  /** ends a generator that has not begun */
  signal?: AbortSignal;
}

/** The differences between the engines. */
export interface Generator {
  /** for Node */
  args: string[];
  /** the first message */
  job: Job | ArtilleryJob;
  /** handles its messages */
  take(message: FromGenerator): void;
  /** returns totals after its end */
  end(): Promise<{ counters: Record<string, number>; complete: boolean }>;
}
