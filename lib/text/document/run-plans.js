/** Plans of the statements with most time (`--explain-sql`). */
import { formatCount, formatPlace } from '../../format.js';
import { code, inFull, item, lede, list, muted, paragraph, section } from './build.js';

/** @import { Plan } from '../../facts/calls.d.ts' */
/** @import { WordedReport } from '../worded-report.d.ts' */

const LEDE =
  'How the database would execute the SELECTs with the most time, whatever their parameters are. Advice on indexes is a guess from the plan.';

/** @type {Record<NonNullable<Plan['refused']>['why'], string>} */
const REFUSALS = {
  cut: 'The companion shortened this statement, so it has no plan.',
  text: 'It is not one SELECT without values, so the database does not get it.',
  old: 'Plans without values need PostgreSQL 12 or newer:',
  system: 'Plans are available for PostgreSQL and SQLite, not for',
  driver: 'To ask PostgreSQL, install psycopg for the Python of the app, or psql.',
  connect: 'The database did not accept the connection:',
  failed: 'The database has no plan for this statement:',
  none: 'The companion reported no SELECT of this database, so there are no plans (docs/companion.md).',
};

/** @param {WordedReport} report */
export function describePlans({ plans = [] }) {
  const items = list(plans.map(describePlan));
  return inFull(section('plans', 'Query plans', items && lede(LEDE), items));
}

/** @param {Plan} plan */
function describePlan({ text, file, line = null, steps = [], scans = [], ran, refused }) {
  const why = refused && [`${REFUSALS[refused.why]} `, code(refused.reason)];
  const place = file ? ` ${formatPlace({ file, line })}` : '';
  return item(
    text ? [code(text), muted(place)] : (why ?? ''),
    { level: scans.length > 0 ? 'warn' : 'info', isOpen: scans.length > 0 },
    text && why && paragraph(why),
    ...scans.map(describeScan),
    ran && paragraph('It was executed once more for this, in a read-only transaction.'),
    steps.length > 0 && paragraph(code(steps.join('\n')), 'verbatim'),
  );
}

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
