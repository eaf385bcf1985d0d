/** A comparison of runs as a document. */
import { formatMoment, formatNumberOf } from '../../base/format.js';
import {
  amount,
  code,
  column,
  drawing,
  item,
  lede,
  list,
  only,
  onPage,
  part,
  section,
  table,
  tag,
} from './build.js';
import { describeThresholds } from './run.js';
import { describeTry } from './try.js';

/** @import { Change, MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { WordedChange, WordedComparison } from '../worded-comparison.d.ts' */
/** @import { Reliability } from '../../run/facts/quality.d.ts' */
/** @import { Cell, Document, Level } from './document.d.ts' */

/** @type {MeasureId[]} */
const OF_DATABASE = ['db.queriesPerRequest', 'db.msPerRequest'];
/** Measures of endpoints that are printed outside of the page, and open on it. @type {MeasureId[]} */
const OF_ENDPOINTS = ['cpuMsPerRequest', 'total.p95Ms', 'errorRate', ...OF_DATABASE];
const MOST_ROWS = 12;
const ABOUT_P = 'exact Mann–Whitney test over runs; over endpoints step-down (Westfall and Young)';
/** Sections that the short form of a try leaves out. */
const DETAILS = ['overall', 'categories', 'packages', 'runs', 'method'];
const MOST_DIFFERENCES = 8;

/** @param {WordedComparison} comparison @returns {Document} */
export function describeComparison(comparison) {
  const { verdict, warnings, thresholds, method, changes, tried } = comparison;
  const caveats = warnings.map(({ severity: level, text }) => item(text, { level }));
  const overall = changes.filter(({ scope }) => scope === 'overall');
  const ofDatabase = overall.filter(({ measure }) => OF_DATABASE.includes(measure));
  const sections = [
    describeEnvironment(comparison),
    ...(tried ? describeTry(tried, comparison.flame) : []),
    section('caveats', 'Caveats', list(caveats)),
    describeThresholds(thresholds),
    section('overall', 'The whole run', changeTable(overall, comparison)),
    only(['short'], section('database', 'The database', changeTable(ofDatabase, comparison))),
    describeParts('categories', 'category', comparison),
    describeParts('packages', 'package', comparison),
    describeEndpoints(comparison),
    describeFlame(comparison),
    describeRuns(comparison),
    only(['short'], tried ? null : describeDoubts(comparison)),
    section('method', 'Method', lede(method)),
  ];
  return {
    headline: {
      level: verdict.spoiled ? 'warn' : verdict.level,
      text: verdict.text.headline,
      sentences: verdict.text.sentences,
    },
    sections: sections.flatMap(
      own => only(DETAILS.includes(own?.id ?? '') ? ['full', 'page'] : undefined, own) ?? [],
    ),
    page: 'compare.html',
  };
}

/** What else could explain a change. @param {WordedComparison} comparison */
function describeEnvironment({ differences, packages }) {
  const items = differences.map(
    ({ of, name, before, after }) =>
      `${of === 'package' ? 'package ' : ''}${name}: ${before} → ${after}`,
  );
  const changed = differences.filter(({ of }) => of === 'package').length;
  const sentences = [
    packages === null
      ? 'Packages are not compared: only a server recorded on its machine shows them.'
      : `${changed} of ${formatNumberOf(packages, 'package')} differ${changed === 1 ? 's' : ''}.`,
    changed > 0 && 'A dependency that changed is the first suspect.',
    items.length === changed && 'No recorded version, setting, CPU or kernel differs.',
  ];
  const about = lede(sentences.filter(Boolean).join(' '));
  return section('environment', 'Environment of both sides', about, list(items, MOST_DIFFERENCES));
}

/**
 * @param {string} id
 * @param {'category' | 'package'} part
 * @param {WordedComparison} comparison
 */
function describeParts(id, part, comparison) {
  const { changes, categories } = comparison;
  const rows = changes.filter(({ scope }) => scope === part);
  const isTime = rows.some(({ measure }) => measure === 'cpuMsPerRequest');
  const title = `${isTime ? 'CPU time per request' : 'Shares of CPU'}, by ${part}`;
  const parts = changeTable(rows, comparison, change => {
    const own = categories.find(({ id }) => part === 'category' && id === change.name);
    return { text: change.text.name, ...(own && { color: own.color }) };
  });
  return section(id, title, parts);
}

/** A table for each measure of endpoints. @param {WordedComparison} comparison */
function describeEndpoints(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'endpoint');
  const measures = comparison.measures.filter(({ id }) => rows.some(row => row.measure === id));
  const isTotalKnown = measures.some(({ id }) => id.startsWith('total.'));
  const tables = measures.map(({ id, label }) => {
    const isShort = OF_ENDPOINTS.includes(id) || (id === 'timeToFirstByte.p95Ms' && !isTotalKnown);
    const own = rows.filter(({ measure }) => measure === id);
    return { label, isShort, table: changeTable(own, comparison) };
  });
  const items = tables.flatMap(({ label, isShort, table: own }) =>
    own ? item(`${label} by endpoint`, { isOpen: isShort }, own) : [],
  );
  const parts = tables.filter(own => own.isShort).map(own => part(own.label, own.table));
  const printed = parts.map(own => only(['short', 'full'], own));
  return section('endpoints', 'Endpoints', onPage(list(items)), printed);
}

/** False for errors if no run has any. @param {Change} change */
const isTelling = ({ measure, before, after }) =>
  measure !== 'errorRate' || [...before.values, ...after.values].some(value => value > 0);

/**
 * Informative changes, significant ones first.
 * @param {WordedChange[]} changes @param {WordedComparison} comparison
 * @param {(change: WordedChange) => Cell} [name]
 */
function changeTable(
  changes,
  { before, after, basis },
  name = ({ text }) => text.name || text.measure,
) {
  const about =
    basis === 'within-run' ? 'of the one run' : 'median over runs, ± half of their range';
  const isNone = (/** @type {WordedChange} */ { call }) => Number(call === 'none');
  return table(
    'Changes',
    changes.filter(isTelling).sort((a, b) => isNone(a) - isNone(b)),
    [
      column('', name),
      amount(before.label, ({ text }) => text.before, undefined, about),
      amount(after.label, ({ text }) => text.after, undefined, about),
      amount('change', ({ call, text }) => ({ text: text.change, level: call })),
      column('', ({ text }) => text.note),
      amount('95 % interval', ({ text }) => text.interval),
      basis === 'runs' && amount('p', ({ text }) => text.p, undefined, ABOUT_P),
    ],
    { most: MOST_ROWS },
  );
}

/** @param {WordedComparison} comparison */
function describeFlame({ flame }) {
  if (!flame) return null;
  const unit = flame.unit === 'ms' ? 'CPU time per request' : 'share of the CPU samples';
  const about = `Width: ${unit} of one side. Colours show changes larger than the noise: orange costs more after, blue less.`;
  return onPage(
    section('flamegraph', 'Where it changed', lede(about), drawing('flamegraph', null)),
  );
}

/** @type {Record<Reliability['level'], [Level, string]>} */
const RELIABILITY = {
  valid: ['good', 'valid'],
  doubtful: ['warn', 'doubtful'],
  invalid: ['bad', 'left out'],
};

/** The runs of both sides and the quality of their measurements. @param {WordedComparison} comparison */
function describeRuns({ before, after }) {
  const rows = [before, after].flatMap(({ label, runs }) => runs.map(run => ({ label, ...run })));
  return section(
    'runs',
    'Runs',
    table('Runs of both sides and their quality', rows, [
      column('run', ({ id, folder, report: href }) => ({
        ...code(folder ?? id),
        ...(href && { href }),
      })),
      column('side', ({ label }) => label),
      column('start', ({ startedAtMs }) => formatMoment(startedAtMs)),
      column('quality', ({ reliability }) => tag(...RELIABILITY[reliability])),
      amount('requests', ({ requests }) => requests, 'count'),
      amount('active samples', ({ samples }) => samples, 'count'),
      column('', ({ reasons }) => reasons.map(({ text }) => text).join(' ')),
    ]),
  );
}

/** Each reason once, with the text of one of its runs. @param {WordedComparison} comparison */
function describeDoubts({ before, after }) {
  const reasons = [before, after].flatMap(({ runs }) => runs.flatMap(run => run.reasons));
  const examples = new Map(reasons.map(({ id, text }) => [id, text]));
  return section('doubts', 'Why runs are doubtful, for example', list([...examples.values()]));
}
