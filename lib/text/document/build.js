/** Builders of documents (`document.d.ts`). They leave out blocks that are null or empty. */

import { formatCount, formatPercent } from '../../base/format.js';
import { sum } from '../../base/math/summary.js';

/** @import { Block, Cell, Column, Drawing, Extent, Item, List, Pairs, Paragraph, Section, Small, Span, StyledSpan, Table, Text } from './document.d.ts' */
/** @import { Unit } from '../../base/format.js' */
/** @import { Evidence } from '../text.d.ts' */

/** @typedef {Block | null | false | undefined | ''} Piece */
/** @typedef {Piece | Piece[]} Content */

/** @param {Content[]} content @returns {Block[]} */
const fill = content => content.flat().flatMap(block => block || []);

/**
 * A section of the page; null without content.
 * @param {string} id @param {string} title @param {...Content} content
 * @returns {Section | null}
 */
export function section(id, title, ...content) {
  const blocks = fill(content);
  return blocks.length > 0 ? { kind: 'section', id, title, blocks } : null;
}

/** A part of a section; null without content. @param {string} title @param {...Content} content @returns {Section | null} */
export function part(title, ...content) {
  const own = section('', title, ...content);
  return own && { ...own, id: null };
}

/** The page folds it, under its title or other words. @param {Section | null} own @param {string} [words] */
export const folded = (own, words = own?.title ?? '') => own && { ...own, folded: words };

const SMALL = 0.02;
const LEAST_SHOWN = 3;

/**
 * "16 smaller paths, 9 % in all": what a page folds, but never the first three, nor a single one.
 * @template R
 * @param {R[]} rows @param {string} noun of many
 * @param {(row: R) => number | null | undefined} shareOf not known: not small
 * @param {(row: R) => unknown} [isKept]
 * @returns {Small | undefined}
 */
export function findSmall(rows, noun, shareOf, isKept = () => false) {
  const at = rows.flatMap((row, index) =>
    index >= LEAST_SHOWN && (shareOf(row) ?? 1) < SMALL && !isKept(row) ? index : [],
  );
  const share = sum(rows.map((row, index) => (at.includes(index) ? (shareOf(row) ?? 0) : 0)));
  if (at.length < 2) return undefined;
  return { at, title: `${formatCount(at.length)} smaller ${noun}, ${formatPercent(share)} in all` };
}

/** @param {Text} text @param {Paragraph['tone']} [tone] @returns {Paragraph | null} */
export function paragraph(text, tone) {
  return text === '' ? null : { kind: 'paragraph', text, ...(tone && { tone }) };
}

/** @param {Text} text */
export const lede = text => paragraph(text, 'lede');

/**
 * @param {(string | Span[] | Item)[]} items
 * @param {number} [most] outside of the page
 * @param {Small} [small]
 * @returns {List | null}
 */
export function list(items, most, small) {
  if (items.length === 0) return null;
  return {
    kind: 'list',
    items: items.map(own => (typeof own === 'string' || Array.isArray(own) ? { text: own } : own)),
    ...(most !== undefined && { most }),
    ...(small && { small }),
  };
}

/** @param {Text} text @param {Omit<Item, 'text' | 'blocks'>} how @param {...Content} content @returns {Item} */
export function item(text, how, ...content) {
  const blocks = fill(content);
  return { text, ...how, ...(blocks.length > 0 && { blocks }) };
}

/**
 * Pairs of names and values, without empty values.
 * @param {[label: string, value: Text | null | undefined | false][]} entries
 * @returns {Pairs | null}
 */
export function pairs(entries) {
  /** @type {[string, Text][]} */
  const known = entries.flatMap(([label, value]) => (value ? [[label, value]] : []));
  return known.length > 0 ? { kind: 'pairs', pairs: known } : null;
}

/** The evidence of a statement. @param {Evidence[]} evidence */
export const facts = evidence => pairs(evidence.map(({ label, value }) => [label, value]));

/** @template R @typedef {Column & {of: (row: R, index: number) => Cell | undefined}} ColumnOf */

/**
 * @template R
 * @param {string} caption
 * @param {R[]} rows
 * @param {(ColumnOf<R> | false | null | undefined)[]} columns the first one names the row
 * @param {{most?: number, isSortable?: boolean, small?: Small | undefined}} [options]
 * @returns {Table | null} null without rows
 */
export function table(caption, rows, columns, options = {}) {
  if (rows.length === 0) return null;
  const shown = columns.filter(one => one !== false && one !== null && one !== undefined);
  return {
    kind: 'table',
    caption,
    columns: shown.map(({ of, ...one }) => one),
    rows: rows.map((row, index) => shown.map(({ of }) => of(row, index) ?? null)),
    ...options,
  };
}

/** @template R @param {string} label @param {ColumnOf<R>['of']} of @param {string} [about] @returns {ColumnOf<R>} */
export function column(label, of, about) {
  return { label, isNumber: false, of, ...(about && { about }) };
}

/**
 * A column of numbers or estimates in a unit, or of text with such numbers.
 * @template R
 * @param {string} label @param {ColumnOf<R>['of']} of @param {Unit} [unit] @param {string} [about]
 * @returns {ColumnOf<R>}
 */
export function amount(label, of, unit, about) {
  return { label, isNumber: true, of, ...(unit && { unit }), ...(about && { about }) };
}

/** @param {string} draw @param {unknown} of @returns {Drawing} */
export const drawing = (draw, of) => ({ kind: 'drawing', draw, of });

/** A name or value from outside, unchanged. @param {string} text @returns {StyledSpan} */
export const code = text => ({ text, as: 'code' });

/** @param {string} text @returns {StyledSpan} */
export const muted = text => ({ text, as: 'muted' });

/** @param {StyledSpan['level'] & string} level @param {string} text @returns {StyledSpan} */
export const tag = (level, text) => ({ text, as: 'tag', level });

/**
 * The same block or column, printed only in these extents.
 * @template {Block | Column} B
 * @param {readonly Extent[] | undefined} extents undefined: everywhere @param {B | null | false | undefined} block
 * @returns {B | null}
 */
export const only = (extents, block) =>
  block ? { ...block, ...(extents && { in: extents }) } : null;

/** @template {Block | Column} B @param {B | null | false | undefined} block */
export const onPage = block => only(['page'], block);

/** In full and on the page. @template {Block | Column} B @param {B | null | false | undefined} block */
export const inFull = block => only(['full', 'page'], block);
