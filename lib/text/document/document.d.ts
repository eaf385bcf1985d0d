/**
 * A document: the content of a report, before any layout. Plain data; three printers (`lib/report/print/`) lay it out in
 * the terminal, in Markdown and in HTML, and escape all of its text.
 */

import type { Unit } from '../../base/format.js';
import type { Estimate } from '../../base/math/estimate.d.ts';

/**
 * How much of a document is printed: `short` for a run in the terminal, and for a run or a try in a pull request, `full` with
 * `--full` and for studies and comparisons, `page` everything that the page does not draw itself.
 */
export type Extent = 'short' | 'full' | 'page';

/** How bad something is, or the result of a comparison. */
export type Level =
  | 'good'
  | 'ok'
  | 'info'
  | 'warn'
  | 'bad'
  | 'invalid'
  | 'unknown'
  | 'better'
  | 'worse'
  | 'mixed'
  | 'different'
  | 'incomparable'
  | 'none';

/** In a string, text between backticks is code. */
export type Span = string | StyledSpan;

export interface StyledSpan {
  text: string;
  /** `code`: a name or value from outside, unchanged; `tag`: a word in the colour of its level */
  as?: 'code' | 'strong' | 'muted' | 'tag';
  level?: Level;
  /** a path below the page's folder, or `#` and the id of a section */
  href?: string;
  /** CSS colour of a swatch before it */
  color?: string;
}

export type Text = Span | Span[];

export interface Bar {
  /** of the whole length, 0…1 */
  bar: number;
  /** 95 %, of the whole length */
  interval?: [number, number] | undefined;
  color?: string;
}

/** Drawn only by a page, in a cell or between blocks. */
export interface Drawing extends Placed {
  kind: 'drawing';
  /** name of its function on the page */
  draw: string;
  of: unknown;
}

/** A number or an estimate is in the unit of its column; null: not known. */
export type Cell = Text | number | Estimate | Bar | Drawing | null;

export interface Column extends Placed {
  label: string;
  /** of numbers and estimates */
  unit?: Unit;
  /** right-aligned: numbers, or text that is a number with more */
  isNumber: boolean;
  /** its meaning, if the label is not enough */
  about?: string;
}

interface Placed {
  /** where it is printed; everywhere if absent */
  in?: readonly Extent[];
}

export interface Section extends Placed {
  kind: 'section';
  /** of a section of the page; null inside another one */
  id: string | null;
  title: string;
  blocks: Block[];
  /** what the page folds all but its ledes under */
  folded?: string;
}

export interface Paragraph extends Placed {
  kind: 'paragraph';
  text: Text;
  /** `lede` introduces what follows; `advice` says what to do; `empty` says why there is nothing; `verbatim` is preformatted */
  tone?: 'lede' | 'advice' | 'empty' | 'verbatim';
}

export interface Item {
  level?: Level;
  text: Text;
  /** what a button of the page copies, and the command beside it */
  copy?: { text: string; shown: string };
  /** its evidence; folded on the page */
  blocks?: Block[];
  isOpen?: boolean;
}

export interface List extends Placed {
  kind: 'list';
  items: Item[];
  /** largest number outside of the page; all if absent */
  most?: number;
  small?: Small | undefined;
}

/** Items or rows that the page folds under a title, by their indexes. */
export interface Small {
  at: number[];
  title: string;
}

export interface Pairs extends Placed {
  kind: 'pairs';
  pairs: [label: string, value: Text][];
}

export interface Table extends Placed {
  kind: 'table';
  caption: string;
  columns: Column[];
  rows: Cell[][];
  /** largest number of rows outside of the page; all if absent */
  most?: number;
  small?: Small | undefined;
  /** headers sort on the page */
  isSortable?: boolean;
}

export type Block = Section | Paragraph | List | Pairs | Table | Drawing;

/** One function per kind of block. */
export type Printers<More extends unknown[], Printed> = {
  [Kind in Block['kind']]: (block: Extract<Block, { kind: Kind }>, ...more: More) => Printed;
};

export interface Document {
  /** the question */
  title?: string;
  /** `doubt`: what spoils the measurement; a line above */
  headline: { level: Level; text: string; sentences: string[]; doubt?: string | null };
  sections: Section[];
  /** file with the full content */
  page: string;
}
