/** The shapes of text that renderers lay out. Plain text: renderers escape it for their format. */

export interface Evidence {
  label: string;
  value: string;
}

/** The text of a finding, a bottleneck or another statement with evidence. */
export interface StatementText {
  /** one sentence: what was found, with its most important number */
  title: string;
  /** why it matters, or how it was found; null if the title is enough */
  detail: string | null;
  evidence: Evidence[];
  /** what to do */
  advice: string | null;
  /** estimated gain of a fix, with its condition */
  gain?: string;
  /** of a finding of a run; null if none fits */
  proof?: Proof | null;
}

/** An entry of the evidence; left out where the value is empty. */
export type Entry = readonly (string | false | null | undefined)[];

/** The words of a catalogue for a statement: what they leave out is empty. */
export interface StatementWords {
  title: string;
  detail?: string | null;
  evidence?: Entry[];
  advice?: string | null;
  gain?: string;
}

/** How a fix is measured. */
export interface Proof {
  command: string;
  /** the line to change; null if not known */
  place: string | null;
  /** a clause: at which moment */
  when: string;
  /** a clause: what is to be added; null for a whole command */
  lacks: string | null;
}

export interface VerdictText {
  /** what spoils the measurement; stands above the headline */
  doubt: string | null;
  headline: string;
  sentences: string[];
}

export interface BottleneckText extends StatementText {
  /** in a few words: "the CPU of its workers", "none reached" */
  name: string;
}

export interface WhatIfText {
  /** the cause, or all of them together */
  title: string;
  /** a clause: when it holds, or why it is unknown */
  condition: string;
}

/** One pure function per id: facts → text. */
export type Catalogue<Table, Text> = { [Id in keyof Table]: (facts: Table[Id]) => Text };

/** A statement with its text beside it, as in renderers and `report.json`. */
export type Worded<S, Text> = S & { text: Text };
