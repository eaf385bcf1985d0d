/**
 * Asks a database for plans, in a process of its own: a hostile statement can keep its planner busy. Reads `{url,
 * statements}` as JSON from stdin, and prints a line of JSON per statement (`Plan` in lib/run/facts/calls.d.ts); with `stats`
 * one line: what it counted of all.
 */
import { readFileSync } from 'node:fs';

/** @import { Plan } from '../../run/facts/calls.d.ts' */
/** @import { Explain } from './plans.js' */

const { url, statements, stats } = JSON.parse(readFileSync(0, 'utf8'));

/** @param {object} plan */
const print = plan => process.stdout.write(`${JSON.stringify(plan)}\n`);

/**
 * With SQLSTATE, or the code of SQLite or the system: a message may quote rows of the user's tables.
 * @param {'connect' | 'failed'} why @param {any} error @returns {Plan}
 */
function refuse(why, { code, errcode }) {
  const reason = errcode === undefined ? String(code) : `SQLITE_${errcode & 255}`;
  return { refused: { why, reason: /^[A-Z0-9_]{5,40}$/.test(reason) ? reason : '' } };
}

const isSqlite = url.startsWith('sqlite');

try {
  if (stats && isSqlite) print({ refused: { why: 'none', reason: '' } });
  else if (stats) print({ rows: await (await import('./postgresql.js')).countStatements(url) });
  else {
    /** @type {Explain} */
    const explain = isSqlite
      ? (await import('./sqlite.js')).openSqlite(url)
      : await (await import('./postgresql.js')).openPostgresql(url);
    for (const { sql, parameters, runs, ...statement } of statements) {
      const asked = sql === undefined ? {} : explain({ sql, parameters, runs });
      const plan = await Promise.resolve(asked).catch(error => refuse('failed', error));
      print({ ...statement, ...plan });
    }
  }
} catch (error) {
  print(refuse('connect', error));
}
// Ends the connection, too, once all is written.
process.stdout.write('', () => process.exit());
