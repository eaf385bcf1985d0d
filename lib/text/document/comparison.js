/** A comparison of runs as a document. What is drawn beside a change is drawn by the page alone. */
import { formatMoment, formatNumberOf } from '../../format.js';
import {
  amount,
  code,
  column,
  drawing,
  item,
  lede,
  list,
  only,
  part,
  section,
  table,
  tag,
} from './build.js';
import { describeThresholds } from './run.js';

/** @import { Change, MeasureId } from '../../facts/compare-report.d.ts' */
/** @import { WordedChange, WordedComparison, WordedSide } from '../worded-comparison.d.ts' */
/** @import { Cell, Document } from './document.d.ts' */

/** What is printed of endpoints outside of the page. @type {MeasureId[]} */
const OF_ENDPOINTS = ['cpuMsPerRequest', 'total.p95Ms', 'timeToFirstByte.p95Ms', 'errorRate'];
const MOST_ROWS = 12;
const MOST_DIFFERENCES = 8;

/** @param {WordedComparison} comparison @returns {Document} */
export function describeComparison(comparison) {
  const { verdict, warnings, thresholds, method } = comparison;
  const sections = [
    section(
      'caveats',
      'Caveats',
      list(warnings.map(({ severity, text }) => item(text, { level: severity }))),
    ),
    describeThresholds(thresholds),
    describeOverall(comparison),
    describeCategories(comparison),
    describeEndpoints(comparison),
    describeChanged(comparison),
    describeFlame(comparison),
    describeRuns(comparison),
    describeDifferences(comparison),
    section('method', 'Method', lede(method)),
  ];
  return {
    headline: {
      level: verdict.spoiled ? 'warn' : verdict.level,
      text: verdict.text.headline,
      sentences: verdict.text.sentences,
    },
    sections: sections.filter(own => own !== null),
    page: 'compare.html',
  };
}

/** @param {WordedComparison} comparison */
function describeOverall(comparison) {
  const rows = comparison.changes.filter(({ scope }) => scope === 'overall');
  const isTotalKnown = rows.some(({ measure }) => measure.startsWith('total.'));
  const short = rows.filter(
    ({ measure }) => !(isTotalKnown && measure.startsWith('timeToFirstByte.')),
  );
  const name = (/** @type {WordedChange} */ { text }) => text.measure;
  return section('overall', 'The whole run', ...changeTables(rows, short, comparison, name));
}

/** @param {WordedComparison} comparison */
function describeCategories(comparison) {
  const { changes, categories } = comparison;
  const rows = changes.filter(({ scope }) => scope === 'category');
  const isTime = rows.some(({ measure }) => measure === 'cpuMsPerRequest');
  const name = (/** @type {WordedChange} */ change) => {
    const color = categories.find(({ id }) => id === change.name)?.color;
    return { text: change.text.name, ...(color && { color }) };
  };
  return only(
    ['full', 'page'],
    section(
      'categories',
      isTime ? 'CPU time per request, by category' : 'Shares of CPU, by category',
      ...changeTables(rows, rows, comparison, name),
    ),
  );
}

/** Endpoints × measures, then all about one measure. @param {WordedComparison} comparison */
function describeEndpoints(comparison) {
  const { changes } = comparison;
  const rows = changes.filter(({ scope }) => scope === 'endpoint');
  const measures = comparison.measures.filter(({ id }) => rows.some(row => row.measure === id));
  const hasFirstByte = changes.some(
    ({ scope, measure }) => scope === 'overall' && measure === 'timeToFirstByte.p95Ms',
  );
  const isTotalKnown = rows.some(({ measure }) => measure.startsWith('total.'));
  const shown = measures.filter(
    ({ id }) =>
      OF_ENDPOINTS.includes(id) &&
      (id !== 'timeToFirstByte.p95Ms' || (hasFirstByte && !isTotalKnown)),
  );
  const rowsOf = (/** @type {MeasureId} */ id) => rows.filter(({ measure }) => measure === id);
  const name = (/** @type {WordedChange} */ change) => change.name;
  const isFirst = (/** @type {MeasureId} */ id) => Number(id === 'cpuMsPerRequest');
  return section(
    'endpoints',
    'Endpoints',
    only(['page'], overviewTable(rows, measures)),
    measures.length > 0 &&
      drawing(
        'choice',
        measures
          .toSorted((a, b) => isFirst(b.id) - isFirst(a.id))
          .map(({ id, label }) => ({
            label,
            table: changeTable(`${label} by endpoint`, rowsOf(id), comparison, name),
          })),
      ),
    ...shown.map(({ id, label }) =>
      only(
        ['full'],
        part(label, tellingTable(`${label} by endpoint`, rowsOf(id), comparison, name)),
      ),
    ),
  );
}

/** @param {WordedChange[]} rows @param {WordedComparison['measures']} measures */
function overviewTable(rows, measures) {
  return table(
    'Change of each measure by endpoint; “~”: no significant difference',
    [...new Set(rows.map(({ name }) => name))],
    [
      column('Endpoint', name => name),
      ...measures.map(({ id, label }) =>
        amount(label, (/** @type {string} */ name) => {
          const change = rows.find(row => row.name === name && row.measure === id);
          return change ? changeText(change) : null;
        }),
      ),
    ],
    { isSortable: true },
  );
}

/** What a pull request shows of categories and endpoints: what changed. @param {WordedComparison} comparison */
function describeChanged(comparison) {
  const called = comparison.changes.filter(
    ({ scope, call }) => scope !== 'overall' && call !== 'none' && call !== 'incomparable',
  );
  return only(
    ['summary'],
    section(
      'changed',
      'Where it changed',
      changeTable(
        'Where it changed',
        called,
        comparison,
        ({ text }) => `${text.measure}: ${text.name}`,
        MOST_ROWS,
      ),
    ),
  );
}

/**
 * All rows for the page; elsewhere those that tell something, the significant ones first.
 * @param {WordedChange[]} rows @param {WordedChange[]} short @param {WordedComparison} comparison
 * @param {(change: WordedChange) => Cell} name
 */
function changeTables(rows, short, comparison, name) {
  return [
    only(['page'], changeTable('', rows, comparison, name)),
    only(['summary', 'full'], tellingTable('', short, comparison, name)),
  ];
}

/** @param {string} caption @param {WordedChange[]} rows @param {WordedComparison} comparison @param {(change: WordedChange) => Cell} name */
function tellingTable(caption, rows, comparison, name) {
  const telling = rows
    .filter(isTelling)
    .sort((a, b) => Number(a.call === 'none') - Number(b.call === 'none'));
  return changeTable(caption, telling, comparison, name, MOST_ROWS);
}

/** Errors that no run has are no news. @param {Change} change */
function isTelling({ measure, before, after }) {
  return measure !== 'errorRate' || [...before.values, ...after.values].some(value => value > 0);
}

/** @param {WordedChange} change */
const changeText = ({ call, text }) => ({ text: text.change, level: call });

/**
 * @param {string} caption @param {WordedChange[]} changes @param {WordedComparison} comparison
 * @param {(change: WordedChange) => Cell} name @param {number} [most]
 */
function changeTable(caption, changes, { before, after, basis }, name, most) {
  const reach = reachOf(changes);
  const isTest = basis === 'runs';
  const about =
    basis === 'within-run' ? 'of the one run' : 'median over runs, ± half of their range';
  return table(
    caption || 'Changes',
    changes,
    [
      column('', name),
      amount(before.label, ({ text }) => text.before, undefined, about),
      amount(after.label, ({ text }) => text.after, undefined, about),
      column(
        'Runs',
        own => drawing('runs', [own.before.values, own.after.values]),
        `every run: ${before.label} above ${after.label}`,
      ),
      amount('change', changeText),
      column('', ({ text }) => text.note),
      column(
        `±${Math.round(reach * 100)} %`,
        ({ relative, call }) => drawing('change', { relative, call, reach }),
        'the change and its 95 % interval; the line in the middle is no change',
      ),
      amount('95 % interval', ({ text }) => text.interval),
      isTest &&
        amount(
          'p',
          ({ text }) => text.p,
          undefined,
          'exact Mann–Whitney test over runs; over endpoints step-down (Westfall and Young)',
        ),
    ],
    most === undefined ? {} : { most },
  );
}

/** What the drawings of a table reach to: the furthest end, at least ±5 %. @param {Change[]} changes */
function reachOf(changes) {
  const ends = changes.flatMap(({ relative }) =>
    relative ? [relative.value, relative.low ?? 0, relative.high ?? 0].map(Math.abs) : [],
  );
  return Math.min(2, Math.max(0.05, ...ends));
}

/** @param {WordedComparison} comparison */
function describeFlame({ flame, basis }) {
  if (!flame) return null;
  const unit = flame.unit === 'ms' ? 'CPU time per request' : 'share of the CPU samples';
  const noise =
    basis === 'within-run'
      ? ' With one run a side, the noise is that of the samples, and 10 % for how much runs differ.'
      : '';
  return only(
    ['page'],
    section(
      'flamegraph',
      'Where it changed',
      lede(
        `Width: ${unit} of one side. Coloured is what changed by more than the noise: orange costs more after, blue less.${noise}`,
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
    only(['summary', 'full'], list([before, after].map(nameRuns))),
    only(
      ['page'],
      table('Runs of both sides and their quality', rows, [
        column('Run', ({ id, report }) => ({ ...code(id), ...(report && { href: report }) })),
        column('Side', ({ label }) => label),
        column('Start', ({ startedAtMs }) => formatMoment(startedAtMs)),
        amount('Requests', ({ requests }) => requests, 'count'),
        amount('Active samples', ({ samples }) => samples, 'count'),
        column('Quality', ({ reliability, reasons }) => {
          const [level, word] = RELIABILITY[reliability];
          return [tag(level, word), reasons.map(({ text }) => text).join(' ')];
        }),
      ]),
    ),
  );
}

/** @param {WordedSide} side */
function nameRuns({ label, runs }) {
  const used = runs.filter(({ isUsed }) => isUsed);
  return [
    `${label}: ${formatNumberOf(used.length, 'run')} from ${formatMoment(runs[0]?.startedAtMs ?? null)}: `,
    ...runs.flatMap(({ text }, index) => [index > 0 ? ', ' : '', code(text)]),
  ];
}

/** @param {WordedComparison} comparison */
function describeDifferences({ differences, before, after }) {
  return only(
    ['full', 'page'],
    section(
      'differences',
      'Settings and versions that differ',
      only(
        ['full'],
        list(
          differences.map(own => `${own.name}: ${own.before} → ${own.after}`),
          MOST_DIFFERENCES,
        ),
      ),
      only(
        ['page'],
        table('Settings and versions that differ between the sides', differences, [
          column('Name', ({ name }) => name),
          column(before.label, difference => difference.before),
          column(after.label, difference => difference.after),
        ]),
      ),
    ),
  );
}
