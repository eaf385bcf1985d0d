/** `--db-stats`: what PostgreSQL itself counted of the statements between two moments, by `pg_stat_statements`. */
import { openJournal } from '../../run/ndjson.js';
import { askDatabase } from './explain-sql.js';

/** @import { DatabaseStats } from '../../run/facts/calls.d.ts' */
/** @import { RunFiles } from '../../run/run-folder.js' */

/** @typedef {{id: string | null, count: number, ms: number, text: string | null}} Counted */
/** @typedef {{rows: Counted[]} | Pick<DatabaseStats, 'refused'>} Stats */

const MOST_STATEMENTS = 20;
const LONGEST = 1000;
const TIMEOUT_MS = 10_000;
/** The text of all others can hold values: a password, say. */
const NORMALISED = /^(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b/i;

/** @param {string} url @param {AbortSignal} signal @returns {Promise<Stats>} */
export async function readStats(url, signal) {
  const [stats] = await askDatabase({ url, stats: true, statements: [] }, TIMEOUT_MS, signal);
  return /** @type {Stats} */ (stats);
}

/**
 * Adds to `load/plans.ndjson` what was counted between the two. No database message and no address is written.
 * @param {RunFiles} files @param {Stats} before @param {Stats} after
 */
export function writeStats(files, before, after) {
  openJournal(files.plans).append('database-stats', { ...compare(before, after) });
}

/** @param {Stats} before @param {Stats} after @returns {DatabaseStats} */
export function compare(before, after) {
  if (!('rows' in after)) return { count: 0, ms: 0, statements: [], refused: after.refused };
  if (!('rows' in before)) return compare(after, before);
  const earlier = new Map(before.rows.map(row => [row.id, row]));
  const grown = after.rows.flatMap(({ id, text, ...now }) => {
    const { count = 0, ms = 0 } = earlier.get(id) ?? {};
    // Somebody reset the statistics meanwhile: what is there is since then.
    const since = now.count < count ? now : { count: now.count - count, ms: now.ms - ms };
    return since.count > 0 ? [{ text: clean(text), ...since }] : [];
  });
  const sumOf = (/** @type {'count' | 'ms'} */ what) =>
    grown.reduce((all, own) => all + own[what], 0);
  const statements = grown.toSorted((a, b) => b.ms - a.ms).slice(0, MOST_STATEMENTS);
  return { count: sumOf('count'), ms: sumOf('ms'), statements };
}

/** Without comments, and null where the database may have kept values. @param {string | null} text */
function clean(text) {
  const bare = (text ?? '')
    .replace(/\/\*(?:[^*]|\*(?!\/))*\*\/|--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ');
  return NORMALISED.test(bare.trim()) && !bare.includes("'") ? bare.trim().slice(0, LONGEST) : null;
}
