/** What was executed, as the databases and clocks of the bench count it: by text, in one form for all. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @typedef {{count: number, us: number}} Executed */
/** @typedef {Map<string, Executed>} Statements by text, as `simplify` writes it */

/** Control of transactions, and what drivers send when they take or give back a connection: hooks differ in what they see. */
const CONTROL =
  /^(begin|commit|rollback|start transaction|savepoint|release|set|reset|show|pragma|close|unlisten|discard|deallocate)\b|pg_catalog|pg_type|current_schema\(|set_config\(|pg_advisory_unlock_all\(/;
/** Longer texts are cut in a report. */
const MOST_CHARS = 300;

/**
 * One text for what the database, the driver and the companion each write in their own way; null for those
 * that are compared by neither.
 * @param {string} sql
 */
export function simplify(sql) {
  const [first = ''] = sql.toLowerCase().split(';');
  if (CONTROL.test(first.trim())) return null;
  return first
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/%\(\w+\)s|%s|\$\d+|:\w+_\d+\b/g, '?')
    .replace(/::[a-z]+( varying)?(\(\d+\))?/g, '')
    .replace(/(?<![\w"])-?\d+(\.\d+)?\b/g, '?')
    .replace(/\(\s*\?(\s*,\s*(\?|\.\.\.))*\s*\)/g, '(?)')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MOST_CHARS);
}

/** @param {Statements} all @param {string} sql @param {Executed} executed */
export function add(all, sql, { count, us }) {
  const text = simplify(sql);
  if (text === null) return;
  const before = all.get(text) ?? { count: 0, us: 0 };
  all.set(text, { count: before.count + count, us: before.us + us });
}

/** @param {string} url of the database @param {string} sql @returns {string} what psql prints */
export function query(url, sql) {
  return execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', sql, url], {
    encoding: 'utf8',
  }).trim();
}

/** @param {string} url */
export function forget(url) {
  query(url, 'SELECT pg_stat_statements_reset()');
}

/** @param {string} url @returns {Statements} since `forget` */
export function readPostgres(url) {
  const rows = JSON.parse(
    query(
      url,
      `SELECT coalesce(json_agg(s), '[]') FROM (SELECT query, calls AS count,
        1000 * (total_exec_time + total_plan_time) AS us FROM pg_stat_statements) s
        WHERE query NOT LIKE '%pg_stat_statements%'`,
    ),
  );
  /** @type {Statements} */
  const all = new Map();
  for (const row of rows) add(all, row.query, row);
  return all;
}

/** @param {string} file of site-packages/clock.py @returns {Statements} with the clients' times */
export function readClock(file) {
  return readLines(file, us => us !== '-');
}

/**
 * What SQLite executed: it has no clock of its own, so the time is that of `Cursor.execute`, which SQLAlchemy calls once
 * per statement.
 * @param {string} file of site-packages/sitecustomize.py
 * @returns {Statements}
 */
export function readTrace(file) {
  const counted = readLines(file, us => us === '-');
  const clocked = readClock(file);
  return new Map(
    [...counted].map(([text, { count }]) => [text, { count, us: clocked.get(text)?.us ?? 0 }]),
  );
}

/** @param {string} file @param {(us: string) => boolean} pick @returns {Statements} */
function readLines(file, pick) {
  /** @type {Statements} */
  const all = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [us = '', sql] = line.split('\t');
    if (sql !== undefined && pick(us)) add(all, sql, { count: 1, us: Number(us) || 0 });
  }
  return all;
}
