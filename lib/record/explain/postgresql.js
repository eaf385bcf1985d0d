/** Plans of PostgreSQL: one statement per message of the extended protocol, each in its own read-only transaction. */
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { describeScan } from './plans.js';

/** @import { Explain } from './plans.js' */

const TIMEOUT_MS = 5000;
const MOST_STEPS = 60;
/** A step may show a constant that a function made: `repeat('x', 100000000)`. */
const LONGEST_STEP = 1000;
const PLANNING = /^Planning Time: ([\d.]+) ms$/m;
/** Values are unknown: a generic plan is the same for all. `plan_cache_mode` needs PostgreSQL 12. */
const SETTINGS = `-c default_transaction_read_only=on -c statement_timeout=${TIMEOUT_MS} -c standard_conforming_strings=on -c plan_cache_mode=force_generic_plan`;
const TABLE = `
SELECT reltuples AS rows,
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS own,
  ARRAY(SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
    WHERE indrelid = c.oid) AS indexed
FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relname = $2`;

/** Of this database, without transactions; a column has another name before PostgreSQL 13, one is new in 14. */
const COUNTED = `
SELECT queryid::text AS id, sum(calls)::float8 AS count, min(query) AS text,
  sum(coalesce(own->>'total_exec_time', own->>'total_time')::float8) AS ms
FROM (SELECT s.*, to_jsonb(s) AS own FROM pg_stat_statements s) s
WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND coalesce(own->>'toplevel', 'true') = 'true' AND query !~* 'pg_stat_statements'
  AND query !~* '^\\s*(BEGIN|COMMIT|END|ROLLBACK|START|SAVEPOINT|RELEASE|ABORT|SET|SHOW|DISCARD)\\M'
GROUP BY queryid`;

/** What the database counted of each statement since its statistics began. @param {string} url @returns {Promise<any[]>} */
export async function countStatements(url) {
  return (await connect(url))(COUNTED);
}

/** @param {string} url */
async function connect(url) {
  const given = toClientConfig(parse(url, { useLibpqCompat: true }));
  const own = { options: SETTINGS, connectionTimeoutMillis: TIMEOUT_MS };
  const client = new pg.Client({ ...given, ...own });
  // A query that is under way fails by itself.
  client.on('error', () => {});
  await client.connect();
  /** @param {string} text @param {string[]} [values] @returns {Promise<any[]>} the server refuses a second statement */
  const run = async (text, values) => {
    const query = /** @type {pg.QueryConfig} */ ({ text, values, queryMode: 'extended' });
    return (await client.query(query)).rows;
  };
  return run;
}

/** @param {string} url @returns {Promise<Explain>} */
export async function openPostgresql(url) {
  const run = await connect(url);
  let count = 0;
  return async ({ sql, parameters, runs }) => {
    const name = `loadflame_${++count}`;
    const values = parameters > 0 ? `(${Array(parameters).fill('NULL').join(', ')})` : '';
    await run('BEGIN READ ONLY');
    try {
      // PREPARE takes nothing but a query, and runs nothing.
      await run(`PREPARE ${name} AS ${sql}`);
      const [row] = await run(`EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE ${name}${values}`);
      // Planned again, now that the connection knows the tables: only that takes as long as in the app.
      await run('DISCARD PLANS');
      const lines = await run(`EXPLAIN (SUMMARY, ANALYZE ${runs}) EXECUTE ${name}${values}`);
      const scans = [];
      for (const node of findScans(row['QUERY PLAN'][0].Plan)) {
        const names = [node['Relation Name'], node.Alias];
        const [table] = await run(TABLE, [node.Schema, names[0]]);
        scans.push(...describeScan(names, node.Filter, table));
      }
      const steps = lines.map(line => line['QUERY PLAN'].slice(0, LONGEST_STEP).toWellFormed());
      const planningMs = Number(PLANNING.exec(steps.join('\n'))?.[1]);
      return { steps: steps.slice(0, MOST_STEPS), scans, planningMs, ran: runs };
    } finally {
      // Not even READ ONLY keeps EXPLAIN ANALYZE from creating the table of SELECT … INTO.
      await run('ROLLBACK');
    }
  };
}

/** @param {any} node of a plan @returns {any[]} those that read a whole table for a condition */
function findScans(node) {
  const isScan = node['Node Type'] === 'Seq Scan' && 'Filter' in node;
  return [...(isScan ? [node] : []), ...(node.Plans ?? []).flatMap(findScans)];
}
