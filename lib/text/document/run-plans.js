/** Plans of the statements with most time (`--explain-sql`). */
import { formatCount, formatMs, formatNumberOf, formatPlace } from '../../base/format.js';
import { code, inFull, item, lede, list, muted, paragraph, section } from './build.js';

/** @import { Plan } from '../../run/facts/calls.d.ts' */
/** @import { WordedReport } from '../worded-report.d.ts' */

const LEDE =
  'How the database would execute the SELECTs with the most time, whatever their parameters are. Advice on indexes is a guess from the plan.';

/** @type {Record<NonNullable<Plan['refused']>['why'], string>} */
const REFUSALS = {
  cut: 'The companion shortened this statement, so it has no plan.',
  text: 'It is not one complete SELECT, so it was not sent to the database.',
  connect: 'The database gave no plans:',
  failed: 'The database has no plan for this statement:',
  none: 'The companion reported no SELECT of this database (docs/companion.md).',
};

/** What the database's own message says is not kept. @type {Record<string, string>} */
const REASONS = {
  ECONNREFUSED: 'nothing listens at its address',
  ENDED: 'asking for them ended early',
  ENOTFOUND: 'its host is unknown',
  ETIMEDOUT: 'no reply in time',
  25006: 'it would write',
  28000: 'the user may not connect; if it wants TLS, add ?sslmode=require to its address',
  '28P01': 'wrong user or password',
  '3D000': 'there is no such database',
  42501: 'the user may not read the table',
  42601: 'not SQL of this database',
  42703: 'a column does not exist there',
  '42P01': 'a table does not exist there',
  '42P18': 'the type of a value is unknown',
  57014: 'it took longer than five seconds',
  SQLITE_1: 'a table or column does not exist there, or it is not SQL of SQLite',
  SQLITE_14: 'there is no such file',
  SQLITE_26: 'not a database of SQLite',
};

/** @param {NonNullable<Plan['refused']>} refused */
export function sayNoStats({ why, reason }) {
  if (why === 'none') return 'only PostgreSQL counts it.';
  if (reason === '42P01' || reason === '55000')
    return 'add pg_stat_statements to shared_preload_libraries, restart PostgreSQL, and run CREATE EXTENSION pg_stat_statements there.';
  return `${REASONS[reason] ?? 'the database did not say why'} (${reason}).`;
}

/** @param {Pick<WordedReport, 'plans'>} report */
export function describePlans({ plans = [] }) {
  const at = plans.flatMap(({ scans = [], refused }, n) => (refused || scans.length > 0 ? [] : n));
  const small = { at, title: `${formatNumberOf(at.length, 'plan')} that read no whole table` };
  const items = list(plans.map(describePlan), undefined, at.length > 1 ? small : undefined);
  return inFull(section('plans', 'Query plans', items && lede(LEDE), items));
}

/** @param {Plan} plan */
function describePlan({ text, file, line = null, steps = [], scans = [], refused, ...plan }) {
  const known = refused && REASONS[refused.reason];
  const why = refused && [
    `${[REFUSALS[refused.why], known].filter(Boolean).join(' ')} `,
    code(refused.reason),
  ];
  const place = file ? ` ${formatPlace({ file, line })}` : '';
  return item(
    text ? [code(text), muted(place)] : (why ?? ''),
    { level: scans.length > 0 ? 'warn' : 'info', isOpen: scans.length > 0 },
    text && why && paragraph(why),
    ...scans.map(describeScan),
    (plan.planningMs ?? 0) >= 1 && paragraph(describePlanning(plan.planningMs ?? 0)),
    plan.ran && paragraph('It was executed for this, in a read-only transaction.'),
    steps.length > 0 && paragraph(code(steps.join('\n')), 'verbatim'),
  );
}

/** @param {number} ms */
const describePlanning = ms =>
  `Planning it takes ${formatMs(ms)}, at each execution unless the driver prepares it. Fewer joins take less.`;

/** @param {NonNullable<Plan['scans']>[number]} scan */
function describeScan({ table, rows, condition, columns, isIndexed }) {
  const [first] = columns;
  const help = isIndexed
    ? `the database does not use its index on \`${first}\`: check the types and how many rows match.`
    : `an index on \`${table}(${columns.join(', ')})\` may help.`;
  return [
    paragraph([`Reads all of ${table}, about ${formatCount(rows)} rows, for `, code(condition)]),
    first !== undefined && paragraph(help, 'advice'),
  ];
}
