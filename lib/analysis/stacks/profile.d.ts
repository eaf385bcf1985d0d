/**
 * The one inner form of a profile. A builder fills it; after `build()` it never changes.
 * Stacks are paths in a prefix tree (parents before children), because a hundred thousand stacks
 * share most of their frames.
 */

import type { LineWork } from '../../run/facts/rules.d.ts';

export interface Frame {
  readonly name: string;
  /** as the profiler wrote it: py-spy shortens it to the part below `sys.path`; '' where unknown */
  readonly file: string;
  readonly line: number | null;
  /** the outermost frame of a call whose CPU time the companion measures */
  readonly isTimed?: boolean;
  /** what the line calls that may be C code and has no frame; undefined: its source was not read */
  readonly calls?: readonly string[];
  /** on the way to a relation of an ORM: the line is gone through several times, and attributes that it touches */
  readonly repeats?: boolean;
  readonly touches?: readonly string[];
  /** it is inside of a loop, or calls these for each element of a comprehension */
  readonly inLoop?: boolean;
  readonly each?: readonly string[];
  readonly does?: readonly LineWork[];
  /** the beginning of the line, of printable characters */
  readonly shown?: string;
  /**
   * loops of its function around the line, the innermost first; `over`: what each goes through, '' if that is long; `each`:
   * of a comprehension in the line, the text of its element
   */
  readonly inLoops?: readonly { line: number; over: string; each: string }[];
}

export interface ProcessInfo {
  readonly pid: number;
  readonly cmdline: string;
  /** index into `processes`; -1 for a process without a known parent */
  readonly parent: number;
}

export interface ThreadInfo {
  /** as the profiler wrote it: decimal or `0x…` */
  readonly id: string;
  readonly name: string;
}

/** A stretch of time that a file covers; loose files have none. Epoch ms. */
export interface SegmentInfo {
  readonly startMs: number | null;
  readonly endMs: number | null;
}

export type ProfileFormat = 'raw' | 'flamegraph-svg' | 'speedscope';

export interface Profile {
  /** `samples`: of our own recorder, which knows whether a thread ran: none of these waited */
  readonly source: ProfileFormat | 'samples' | 'merged';
  readonly unit: 'samples';
  /** samples per second and thread; null where the file does not tell */
  readonly rateHz: number | null;
  readonly frames: readonly Frame[];
  /** node i is the frame `frame[i]` called from node `parent[i]`, -1 for the outermost */
  readonly nodes: { readonly parent: Int32Array; readonly frame: Int32Array };
  /** one row: `weight` samples whose innermost frame is `node` (-1: a stack without frames) */
  readonly rows: {
    readonly node: Int32Array;
    /** indexes into `processes`, `threads`, `segments`; -1 where the file does not tell */
    readonly process: Int32Array;
    readonly thread: Int32Array;
    readonly segment: Int32Array;
    readonly weight: Float64Array;
    /** index into `routes`; -1 where the companion put none on the stack; empty where it put none at all */
    readonly route: Int32Array;
    /** half-seconds since the epoch in which the request began, by the companion; -1 none; empty where there is none at all */
    readonly halfSecond: Float64Array;
  };
  readonly processes: readonly ProcessInfo[];
  readonly threads: readonly ThreadInfo[];
  readonly segments: readonly SegmentInfo[];
  /** names as the load engine gives them to endpoints: `GET /api/v1/services/`, ids folded */
  readonly routes: readonly string[];
  readonly totalWeight: number;
  /** lines or entries that could not be read: a torn end, a count that is no number; and the text of the first */
  readonly skipped: number;
  readonly firstSkipped: string;
  /** lines, boxes or samples of the file, with those that could not be read */
  readonly entries: number;
  /** of two profiles in a file, it is the newer one */
  readonly isDifference: boolean;
}
