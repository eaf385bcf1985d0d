/** Plans of SQLite: Node's own SQLite prepares a statement, and runs none. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeScan } from './plans.js';

/** @import { Explain } from './plans.js' */

const INDEXED =
  'SELECT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i WHERE i.seqno = 0';

/** @param {string} url sqlite:///relative.db, sqlite:////absolute.db @returns {Explain} */
export function openSqlite(url) {
  const file = decodeURIComponent(url.replace(/^\w+:\/{2,3}/, '').replace(/\?.*/s, ''));
  const database = new DatabaseSync(path.resolve(file), { readOnly: true });
  /** @param {string} sql @param {string[]} values @returns {any[]} */
  const read = (sql, ...values) => database.prepare(sql).all(...values);
  /** @param {string} sql @param {string} table @returns {string[]} */
  const list = (sql, table) => read(sql, table).map(({ name }) => name);
  const tables = list('SELECT name FROM sqlite_master WHERE type = ?', 'table');

  /** @param {string} name of a table, or its alias @param {string} sql */
  const describe = (name, sql) => {
    const named = [...sql.matchAll(/\b(\w+)"?(?= +(?:AS +)?"?(\w+))/gi), ['', name, name]];
    const table = named.find(([, own = '', as]) => as === name && tables.includes(own))?.[1];
    const condition = /\bWHERE\b(.*?)(?:\b(?:GROUP|ORDER|LIMIT)\b|$)/is.exec(sql)?.[1]?.trim();
    if (table === undefined || condition === undefined) return [];
    const [{ rows }] = read(`SELECT max(rowid) AS rows FROM "${table.replaceAll('"', '""')}"`);
    const own = list('SELECT name FROM pragma_table_info(?)', table);
    return describeScan([table, name], condition, { rows, own, indexed: list(INDEXED, table) });
  };

  return async ({ sql }) => {
    const depths = new Map([[0, -1]]);
    const rows = read(`EXPLAIN QUERY PLAN ${sql}`);
    const steps = rows.map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? -1) + 1;
      depths.set(id, depth);
      return '  '.repeat(depth) + detail;
    });
    const scans = rows.flatMap(({ detail }) => {
      const name = /^SCAN (?!SUBQUERY|CONSTANT|\()(\S+)(?!.* INDEX )/.exec(detail)?.[1];
      return name ? describe(name, sql) : [];
    });
    return { steps, scans, ran: false };
  };
}
