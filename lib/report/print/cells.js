/** Helpers of all printers (also in the browser). */
import { formatEstimate, formatInUnit, formatShare } from '../../base/format.js';

/** @import { Block, Cell, Extent, Section, Span, StyledSpan, Table } from '../../text/document/document.d.ts' */
/** @import { Unit } from '../../base/format.js' */

/** The sections, reduced to what an extent prints. @param {Section[]} sections @param {Extent} extent */
export function selectSections(sections, extent) {
  return sections.flatMap(section => /** @type {Section[]} */ (selectBlock(section, extent)));
}

/** @param {Block} block @param {Extent} extent @returns {Block[]} */
function selectBlock(block, extent) {
  if (block.in && !block.in.includes(extent)) return [];
  if (block.kind === 'drawing' && extent !== 'page') return [];
  if (block.kind === 'section') {
    const blocks = block.blocks.flatMap(own => selectBlock(own, extent));
    return blocks.length > 0 ? [{ ...block, blocks }] : [];
  }
  if (block.kind === 'table') return [selectColumns(block, extent)];
  if (block.kind !== 'list') return [block];
  const items = block.items.map(({ blocks = [], ...own }) => ({
    ...own,
    blocks: blocks.flatMap(inner => selectBlock(inner, extent)),
  }));
  return [{ ...block, items }];
}

/** A table with the columns of an extent, without empty ones. @param {Table} table @param {Extent} extent @returns {Table} */
function selectColumns({ columns, rows, ...own }, extent) {
  const shown = extent === 'page' ? rows : rows.slice(0, own.most);
  const isKept = columns.map(({ in: places, unit }, at) => {
    const has = (/** @type {Cell} */ cell) =>
      isBar(cell) || (extent === 'page' && isDrawing(cell)) || textOf(cell, unit) !== '';
    return (
      (places?.includes(extent) ?? true) && (at === 0 || shown.some(row => has(row[at] ?? null)))
    );
  });
  const keep = (/** @type {any[]} */ list) => list.filter((_, at) => isKept[at]);
  return { ...own, columns: keep(columns), rows: rows.map(keep) };
}

/** @param {Cell} cell @returns {cell is import('../../text/document/document.d.ts').Bar} */
export const isBar = cell => cell !== null && typeof cell === 'object' && 'bar' in cell;

/** @param {Cell} cell @returns {cell is import('../../text/document/document.d.ts').Drawing} */
export const isDrawing = cell => cell !== null && typeof cell === 'object' && 'draw' in cell;

/**
 * The spans of a cell, numbers in their unit. Drawings have none.
 * @param {Cell} cell @param {Unit} [unit]
 * @returns {Span[]}
 */
export function spansOf(cell, unit) {
  if (typeof cell === 'number' || cell === null) return unit ? [formatInUnit(cell, unit)] : [];
  if (typeof cell === 'string') return [cell];
  if (Array.isArray(cell)) return cell;
  if ('text' in cell) return [cell];
  if (!('value' in cell) || !unit) return [];
  return [
    unit === 'share' ? formatShare(cell) : formatEstimate(cell, one => formatInUnit(one, unit)),
  ];
}

/** The text of a cell, without its style. @param {Cell} cell @param {Unit} [unit] */
export function textOf(cell, unit) {
  return spansOf(cell, unit)
    .map(span => styleOf(span).text)
    .join('');
}

/** @param {Span} span @returns {StyledSpan} */
export const styleOf = span => (typeof span === 'string' ? { text: span } : span);
