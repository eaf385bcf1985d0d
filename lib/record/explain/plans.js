/** What both databases report: large tables that a plan reads whole, and the columns that an index would need. */

/** @import { Plan } from '../../run/facts/calls.d.ts' */

/** `sql` is one statement; `runs`: execute it (the user wrote it). @typedef {{sql: string, parameters: number, runs: boolean}} Query */
/** @typedef {(query: Query) => Promise<Plan>} Explain */

/** Rows, as the database estimates them: a full scan of a smaller table is as fast as an index. */
const LARGE_TABLE = 10_000;
/** (column = …), (t.column >= …), ((column)::text = …), (column = ANY …), but not lower(column) = … */
const COMPARED =
  /(?<![\w.(:])\(*(?:"?(\w+)"?\.)?"?(\w+)"?\)*(?:::\w+(?: \w+)*\)*)? *(?:(=|\bIN\b)|[<>]|\bBETWEEN\b)/gi;

/**
 * @param {string[]} names the table and its alias
 * @param {string} condition
 * @param {{rows: number, own: string[], indexed: string[]}} table its columns, and the first ones of its indexes
 * @returns {NonNullable<Plan['scans']>} none for a small table
 */
export function describeScan(names, condition, { rows, own, indexed }) {
  const [table = ''] = names;
  if (rows < LARGE_TABLE) return [];
  const found = [...condition.matchAll(COMPARED)]
    .filter(([, of = table, column = '']) => own.includes(column) && names.includes(of))
    // equality first, as in a good index
    .toSorted((a, b) => Number(!a[3]) - Number(!b[3]));
  const columns = [...new Set(found.map(([, , column = '']) => column))].slice(0, 3);
  const isIndexed = indexed.includes(columns[0] ?? '');
  return [{ table, rows, condition: condition.slice(0, 300), columns, isIndexed }];
}
