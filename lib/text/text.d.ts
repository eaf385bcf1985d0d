/** The shapes of text that renderers lay out. Plain text: they escape it for where it goes. */

export interface Evidence {
  label: string;
  value: string;
}

/** What a reader sees of a finding, a bottleneck or another statement with evidence. */
export interface StatementText {
  /** one sentence: what was found, with its most important number */
  title: string;
  /** why it matters, or how it was found; null where the title says all */
  detail: string | null;
  evidence: Evidence[];
  /** what to do */
  advice: string | null;
  /** what a fix is estimated to bring, with its condition */
  gain?: string;
}

export interface BottleneckText extends StatementText {
  /** in a few words: "the CPU of its workers", "none reached" */
  name: string;
}

export interface WhatIfText {
  /** the cause, or all of them together */
  title: string;
  /** a clause: when it holds, or why nothing can be said */
  condition: string;
}

/** One pure function per id: facts → text. */
export type Catalogue<Table, Text> = { [Id in keyof Table]: (facts: Table[Id]) => Text };

/** A statement with its text beside it, as renderers and `report.json` have it. */
export type Worded<S, Text> = S & { text: Text };
