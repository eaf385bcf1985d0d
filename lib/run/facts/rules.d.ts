/** Rules for hot paths: as written in YAML (`…Source`), and compiled. */

export type FrameKind = 'owner' | 'passthrough' | 'entry' | 'helper';
export type Origin = 'user' | 'installed' | 'standard' | 'native';

export interface Category {
  readonly id: string;
  readonly label: string;
  /** the label is a plural noun: "templates take" */
  readonly plural: boolean;
  /** CSS colour, readable on light and dark backgrounds */
  readonly color: string;
  /** position in tables, smallest first */
  readonly order: number;
  /** an inner frame's claim replaces an outer one of the same or lower strength */
  readonly strength: number;
  readonly about: string;
  /** a path of this category with a larger share deserves attention in itself; null: never */
  readonly flagAbove: number | null;
}

/**
 * What source shows of a line: it builds a log message that is not written (`drops-log`); it is in a function that takes
 * nothing but its object (`again`), or whose `cache` ends with the function around it; it `search`es a list element by
 * element, makes elements and only a `part` of them is used, makes a `copy` of all in each turn, or raises or catches an
 * exception there (`raise`); its calls take nothing from the element of their loop (`turn`), or from the request (`constant`), or the function made them before (`repeat`).
 */
export type LineWork =
  | ('drops-log' | 'again' | 'cache' | 'search' | 'turn' | 'constant')
  | ('copy' | 'parse-own' | 'part' | 'raise' | 'repeat');

/** The parts of a frame's text that patterns match. */
export interface FrameIdentity {
  /** import path of the module, wherever it is installed: `flask/app.py` */
  readonly path: string;
  /** `flask/app`, `flask`: the names by which a rule may refer to its package */
  readonly packages: readonly string[];
  /** innermost part of the qualified name: `wsgi_app`, `<listcomp>` */
  readonly name: string;
  /** as the profiler wrote it; qualified from Python 3.11 on: `Flask.wsgi_app` */
  readonly qualified: string;
  readonly origin: Origin;
  readonly does?: readonly LineWork[];
}

export interface PatternSource {
  packages?: string[];
  files?: string[];
  functions?: string[];
  origin?: Origin;
  does?: LineWork;
  except?: PatternSource[];
}

export interface FrameMatcher {
  (frame: FrameIdentity): boolean;
  /** whether it can match a frame of this file: the same for all of its functions */
  isPlace(frame: FrameIdentity): boolean;
}

export interface FrameRule {
  /** null for helpers without a claim */
  readonly category: Category | null;
  readonly kind: FrameKind;
  readonly request: boolean;
  readonly matches: FrameMatcher;
}

export interface WaitingRule {
  readonly id: string;
  readonly matches: FrameMatcher;
  /** ids of categories in which such a frame does not count as waiting */
  readonly notIn: ReadonlySet<string>;
  /** only in a profile without times, which may have samples of threads that wait in C code */
  readonly untimed: boolean;
  readonly below: readonly FrameMatcher[] | null;
  readonly notBelow: readonly FrameMatcher[] | null;
}

export type WaitKind =
  | 'database'
  | 'external-call'
  | 'child-process'
  | 'lock'
  | 'pool'
  | 'queue'
  | 'thread-pool'
  | 'sleep'
  | 'client'
  | 'socket'
  | 'file'
  | 'cpu'
  | 'gil';

/**
 * What a call that waits does, where its kind does not say enough: `file-lock`: it waits for a lock on a file; `import`:
 * for a module, or for another thread that imports it; `future`: for the result of a future; `pipe`: for the reader or
 * the writer of a pipe or a file; `connect`: for a new connection; `task`: a coroutine of the application awaits a future,
 * which another task completes, or a greenlet waits for another one; `cached-property`: for the lock of such a property.
 */
export type WaitAct =
  | ('file-lock' | 'import' | 'future' | 'pipe' | 'connect' | 'message' | 'task')
  | 'cached-property';

/** Appearance of a kind in the flamegraph of waiting. */
export interface WaitKindLook {
  readonly id: WaitKind | 'other';
  readonly label: string;
  /** CSS colour, readable on light and dark backgrounds */
  readonly color: string;
}

/** What a thread inside a request waits for below a matching frame. */
export interface WaitRule {
  readonly kind: WaitKind | 'other';
  /** replaces a wait further out of the same or lower rank */
  readonly rank: number;
  readonly as: WaitAct | null;
  readonly matches: FrameMatcher;
  /** must match the calling frame; null: any */
  readonly below: FrameMatcher | null;
}

export interface EvidencePattern {
  readonly matches: FrameMatcher;
  /** this category's rule must claim the frame; null: any frame */
  readonly category: string | null;
  readonly in: ReadonlySet<string> | null;
  /** only if the source code shows that the app's line, or the one that calls its function, is in a loop */
  readonly inLoop: boolean;
  readonly below: readonly FrameMatcher[] | null;
  readonly notBelow: readonly FrameMatcher[] | null;
}

export interface Cause {
  readonly id: string;
  readonly title: string;
  /** completes the sentence "half of it …" */
  readonly phrase: string;
  /** follows a colon: the fix, in a few words */
  readonly fix: string;
  readonly severity: 'bad' | 'warn' | 'info';
  readonly priority: number;
  readonly inRequest: boolean;
  /** processes keep it: only early in the run, it is not repeated */
  readonly cached: boolean;
  /** does not apply if the API is connected only to its own machine */
  readonly notLocal: boolean;
  /** does not apply if the source code shows that each is done once per request */
  readonly repeats: boolean;
  /** one cause for each class or function of a library that matches, whose name its texts contain as `{name}` */
  readonly named: boolean;
  /** does not apply to endpoints whose responses have large or few parts */
  readonly ofSmallParts?: boolean;
  /** one result could serve all requests, perhaps for some time */
  readonly forAll?: boolean;
  /** ids of categories: what is called in them is not part of it */
  readonly notIn: readonly string[];
  /** not reported below this share of all samples; 0: at any, with enough samples */
  readonly minShare: number;
  /** ids of causes that it leads to: where both are found, they are parts of it, and it is reported first */
  readonly effects: readonly string[];
  readonly evidence: readonly EvidencePattern[];
  /** frames that hand work over to threads, those of the evidence among them, and of the threads */
  readonly handedOver: {
    readonly by: readonly FrameMatcher[];
    readonly to: readonly FrameMatcher[];
  } | null;
  readonly explanation: string;
  readonly advice: string;
  /** additional text if the stacks contain these packages; `fix` replaces the default */
  readonly where: readonly {
    packages: string[];
    fix?: string;
    explanation?: string;
    advice?: string;
  }[];
  /** where it is not waste: tests the lower-case name of an endpoint or a view; null: nowhere */
  readonly expected: {
    readonly isAt: (name: string) => boolean;
    readonly explanation: string;
    readonly advice: string;
  } | null;
}

export interface Rules {
  readonly categories: ReadonlyMap<string, Category>;
  readonly frames: readonly FrameRule[];
  readonly waiting: readonly WaitingRule[];
  /** by id, including `other` for places that no rule names; the user's own colours first */
  readonly waitKinds: ReadonlyMap<WaitKind | 'other', WaitKindLook>;
  readonly waits: readonly WaitRule[];
  /** frames that give up the GIL, to hand something over, or for a long call */
  readonly gilReleases: readonly { isLong: boolean; matches: FrameMatcher }[];
  readonly causes: readonly Cause[];
  /** findings that only the companion's counts show */
  readonly counted: readonly { id: string; title: string }[];
  /** functions whose own time is negligible next to another call on the same line */
  readonly smallCalls: ReadonlySet<string>;
  /** dotted names of C functions next to which everything else on a line is negligible */
  readonly bigCalls: ReadonlySet<string>;
  /** packages that observe an API: those of the category `observability` */
  readonly observing: ReadonlySet<string>;
  /** top-level module paths that are not the application's own */
  readonly installed: ReadonlySet<string>;
  readonly standardPackages: ReadonlySet<string>;
  readonly standardModules: ReadonlySet<string>;
}

/** Classification of each node of a profile's tree. */
export interface Classification {
  /** per node: index into `categories` */
  readonly category: Uint8Array;
  readonly categories: readonly Category[];
  /** per node: the node where its category was entered */
  readonly entry: Int32Array;
  /** per node: 0, or 1 + index into `Rules.waiting`, for samples that end at this node */
  readonly waiting: Uint8Array;
  /** per node: index into `causeSets` */
  readonly causeSet: Int32Array;
  /** each set: the evidence on the path from the root */
  readonly causeSets: readonly (readonly CauseEvidence[])[];
  /** per node: 1 if the frame is a decorator or middleware that calls pass through; 2: a method that calls that of its base */
  readonly passthrough: Uint8Array;
  /** per node: 1 for samples of server and framework: the work below such a frame is not that of its callers */
  readonly isCore: Uint8Array;
  /** per node: 1 if below the start of a request */
  readonly request: Uint8Array;
  /** per profile frame: its identity */
  readonly identities: readonly FrameIdentity[];
  /** per profile frame: where it gives up the GIL, whether that is a long call */
  readonly gaps: readonly (boolean | undefined)[];
}

export interface CauseEvidence {
  readonly cause: Cause;
  /** the outermost node of the evidence */
  readonly node: number;
}
