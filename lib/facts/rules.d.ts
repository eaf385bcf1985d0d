/** Rules for hot paths: as they stand in YAML (`…Source`), and compiled. */

export type FrameKind = 'owner' | 'passthrough' | 'entry' | 'helper';
export type Origin = 'user' | 'installed' | 'standard' | 'native';

export interface Category {
  readonly id: string;
  readonly label: string;
  /** the label is a plural: "templates take" */
  readonly plural: boolean;
  /** CSS colour, readable on light and dark */
  readonly color: string;
  /** place in tables, smallest first */
  readonly order: number;
  /** an inner claim takes over from an outer one that is at most as strong */
  readonly strength: number;
  readonly about: string;
  /** a path of this category with a larger share is worth attention by itself; null: never */
  readonly flagAbove: number | null;
}

/** What a frame is matched by: its text, taken apart. */
export interface FrameIdentity {
  /** path of the module as it is imported: `flask/app.py`, wherever it is installed */
  readonly path: string;
  /** `flask/app`, `flask`: what a rule may call its package */
  readonly packages: readonly string[];
  /** innermost part of the qualified name: `wsgi_app`, `<listcomp>` */
  readonly name: string;
  /** as the profiler wrote it; qualified from Python 3.11 on: `Flask.wsgi_app` */
  readonly qualified: string;
  readonly origin: Origin;
}

export interface PatternSource {
  packages?: string[];
  files?: string[];
  functions?: string[];
  notFunctions?: string[];
  origin?: 'user' | 'installed' | 'standard';
}

export type FrameMatcher = (frame: FrameIdentity) => boolean;

export interface FrameRule {
  /** null for helpers without a claim */
  readonly category: Category | null;
  readonly kind: FrameKind;
  readonly request: boolean;
  readonly matches: FrameMatcher;
}

export interface WaitingRule {
  readonly id: string;
  readonly title: string;
  readonly matches: FrameMatcher;
  /** ids of categories in which this is no waiting */
  readonly notIn: ReadonlySet<string>;
  readonly below: readonly FrameMatcher[] | null;
  readonly notBelow: readonly FrameMatcher[] | null;
}

export type WaitKind =
  | 'database'
  | 'external-call'
  | 'lock'
  | 'pool'
  | 'thread-pool'
  | 'sleep'
  | 'client'
  | 'socket'
  | 'cpu'
  | 'gil';

/** How a kind is shown in the flamegraph of waiting. */
export interface WaitKindLook {
  readonly id: WaitKind | 'other';
  readonly label: string;
  /** CSS colour, readable on light and dark */
  readonly color: string;
}

/** What a thread inside a request waits for below such a frame. */
export interface WaitRule {
  readonly kind: WaitKind;
  /** takes over from what is further out and ranks at most as high */
  readonly rank: number;
  readonly matches: FrameMatcher;
  /** the frame above has to match; null: any */
  readonly below: FrameMatcher | null;
}

export interface EvidencePattern {
  readonly matches: FrameMatcher;
  /** the frame must be claimed by this category's rule; null: any frame */
  readonly category: string | null;
  readonly in: ReadonlySet<string> | null;
  readonly below: readonly FrameMatcher[] | null;
  readonly notBelow: readonly FrameMatcher[] | null;
}

export interface Cause {
  readonly id: string;
  readonly title: string;
  /** continues "half of it …" */
  readonly phrase: string;
  /** follows a colon: what to do, short */
  readonly fix: string;
  readonly severity: 'bad' | 'warn' | 'info';
  readonly priority: number;
  readonly inRequest: boolean;
  /** it is none where the API is connected to nothing but its own machine */
  readonly notLocal: boolean;
  /** it is none where source shows that each is done once for a request */
  readonly repeats: boolean;
  /** not told below this share of all samples */
  readonly minShare: number;
  readonly evidence: readonly EvidencePattern[];
  readonly explanation: string;
  readonly advice: string;
  /** what to say besides where such packages are in the stacks; `fix` instead */
  readonly where: readonly {
    packages: string[];
    fix?: string;
    explanation?: string;
    advice?: string;
  }[];
  /** where it is no waste: of an endpoint or a view, in small letters; null: nowhere */
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
  /** by id, with what no rule names; the user's own colours first */
  readonly waitKinds: ReadonlyMap<WaitKind | 'other', WaitKindLook>;
  readonly waits: readonly WaitRule[];
  readonly causes: readonly Cause[];
  /** functions whose own time is nothing beside another call of the same line */
  readonly smallCalls: ReadonlySet<string>;
  /** dotted names of C functions beside which nothing else of a line counts */
  readonly bigCalls: ReadonlySet<string>;
  /** tops of module paths that are not the application's own */
  readonly installed: ReadonlySet<string>;
  readonly standardPackages: ReadonlySet<string>;
  readonly standardModules: ReadonlySet<string>;
}

/** What classification says about each node of a profile's tree. */
export interface Classification {
  /** per node: index into `categories` */
  readonly category: Uint8Array;
  readonly categories: readonly Category[];
  /** per node: the node where its category was entered */
  readonly entry: Int32Array;
  /** per node: 0, or 1 + index into `waiting`, for samples that end here */
  readonly waiting: Uint8Array;
  readonly waitingRules: readonly WaitingRule[];
  /** per node: index into `causeSets` */
  readonly causeSet: Int32Array;
  /** each set: evidence found on the way from the root */
  readonly causeSets: readonly (readonly CauseEvidence[])[];
  /** per node: 1 where the frame is a decorator or middleware that calls pass through */
  readonly passthrough: Uint8Array;
  /** per node: 1 below the beginning of a request */
  readonly request: Uint8Array;
  /** per profile frame: its identity */
  readonly identities: readonly FrameIdentity[];
}

export interface CauseEvidence {
  readonly cause: Cause;
  /** the outermost node that is evidence */
  readonly node: number;
}
