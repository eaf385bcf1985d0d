/** A comparison of runs as a document. */
import { formatMoment } from '../../format.js';
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

/** @import { Change, MeasureId } from '../../facts/compare-report.d.ts' */
/** @import { WordedChange, WordedComparison } from '../worded-comparison.d.ts' */
/** @import { Cell, Document } from './document.d.ts' */

/** @type {MeasureId[]} */
const OF_DATABASE = ['db.queriesPerRequest', 'db.msPerRequest'];
/** Measures of endpoints that are printed outside of the page, and open on it. @type {MeasureId[]} */
const OF_ENDPOINTS = ['cpuMsPerRequest', 'total.p95Ms', 'errorRate', ...OF_DATABASE];
const MOST_ROWS = 12;
/** Sections that the short form of a try leaves out. */
const DETAILS = ['overall', 'categories', 'runs', 'method'];
const MOST_DIFFERENCES = 8;

/** @param {WordedComparison} comparison @returns {Document} */
export function describeComparison(comparison) {
  const { verdict, warnings, thresholds, method, changes, differences, tried } = comparison;
  const overall = changes.filter(({ scope }) => scope === 'overall');
  const sections = [
    ...(tried ? describeTry(tried) : []),
    section(
      'caveats',
      'Caveats',
      list(warnings.map(({ severity, text }) => item(text, { level: severity }))),
    ),
    describeThresholds(thresholds),
    section(
      'overall',
      'The whole run',
      changeTable(overall, comparison, ({ text }) => text.measure),
    ),
    only(
      ['short'],
      section(
        'database',
        'The database',
        changeTable(
          overall.filter(({ measure }) => OF_DATABASE.includes(measure)),
          comparison,
          ({ text }) => text.measure,
        ),
      ),
    ),
    describeCategories(comparison),
    describeEndpoints(comparison),
    describeFlame(comparison),
    describeRuns(comparison),
    only(['short'], describeDoubts(comparison)),
    section(
      'differences',
      'Settings and versions that differ',
      list(
        differences.map(({ name, before, after }) => `${name}: ${before} → ${after}`),
        MOST_DIFFERENCES,
      ),
    ),
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

/** @param {WordedComparison} comparison */
function describeCategories(comparison) {
  const { changes, categories } = comparison;
  const rows = changes.filter(({ scope }) => scope === 'category');
  const isTime = rows.some(({ measure }) => measure === 'cpuMsPerRequest');
  return section(
    'categories',
    isTime ? 'CPU time per request, by category' : 'Shares of CPU, by category',
    changeTable(rows, comparison, change => {
      const color = categories.find(({ id }) => id === change.name)?.color;
      return { text: change.text.name, ...(color && { color }) };
    }),
  );
}

/** A table for each measure of endpoints. @param {WordedComparison} comparison */
function describeEndpoints(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'endpoint');
  const measures = comparison.measures.filter(({ id }) => rows.some(row => row.measure === id));
  const isTotalKnown = measures.some(({ id }) => id.startsWith('total.'));
  const tables = measures.map(({ id, label }) => ({
    label,
    isShort: OF_ENDPOINTS.includes(id) || (id === 'timeToFirstByte.p95Ms' && !isTotalKnown),
    table: changeTable(
      rows.filter(({ measure }) => measure === id),
      comparison,
      ({ name }) => name,
    ),
  }));
  return section(
    'endpoints',
    'Endpoints',
    onPage(
      list(
        tables.flatMap(({ label, isShort, table: own }) =>
          own ? item(`${label} by endpoint`, { isOpen: isShort }, own) : [],
        ),
      ),
    ),
    tables
      .filter(own => own.isShort)
      .map(own => only(['short', 'full'], part(own.label, own.table))),
  );
}

/** False for errors if no run has any. @param {Change} change */
function isTelling({ measure, before, after }) {
  return measure !== 'errorRate' || [...before.values, ...after.values].some(value => value > 0);
}

/**
 * Informative changes, significant ones first.
 * @param {WordedChange[]} changes @param {WordedComparison} comparison
 * @param {(change: WordedChange) => Cell} name
 */
function changeTable(changes, { before, after, basis }, name) {
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
      basis === 'runs' &&
        amount(
          'p',
          ({ text }) => text.p,
          undefined,
          'exact Mann–Whitney test over runs; over endpoints step-down (Westfall and Young)',
        ),
    ],
    { most: MOST_ROWS },
  );
}

/** @param {WordedComparison} comparison */
function describeFlame({ flame }) {
  if (!flame) return null;
  const unit = flame.unit === 'ms' ? 'CPU time per request' : 'share of the CPU samples';
  return onPage(
    section(
      'flamegraph',
      'Where it changed',
      lede(
        `Width: ${unit} of one side. Coloured is what changed by more than the noise: orange costs more after, blue less.`,
      ),
      drawing('flamegraph', null),
    ),
  );
}

const RELIABILITY = /** @type {const} */ ({
  valid: ['good', 'valid'],
  doubtful: ['warn', 'doubtful'],
  invalid: ['bad', 'left out'],
});

/** The runs of both sides and the quality of their measurements. @param {WordedComparison} comparison */
function describeRuns({ before, after }) {
  const rows = [before, after].flatMap(({ label, runs }) => runs.map(run => ({ label, ...run })));
  return section(
    'runs',
    'Runs',
    table('Runs of both sides and their quality', rows, [
      column('run', ({ id, folder, report }) => ({
        ...code(folder ?? id),
        ...(report && { href: report }),
      })),
      column('side', ({ label }) => label),
      column('start', ({ startedAtMs }) => formatMoment(startedAtMs)),
      column('quality', ({ reliability }) => {
        const [level, word] = RELIABILITY[reliability];
        return tag(level, word);
      }),
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
