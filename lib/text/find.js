/** The result of `loadflame test --find`, in sentences and as a document. */
import { formatDuration, formatInUnit, formatNumberOf, formatPercent } from '../base/format.js';
import { sayBottleneck } from './bottleneck.js';
import { amount, column, paragraph, section, table, tag } from './document/build.js';
import { say } from './say.js';
import { joinWords, describeStep as nameStep } from './words.js';

/** @import { FindEnd, FindReport, FindStep, FindVerdict, StepTable } from '../run/facts/find.d.ts' */
/** @import { Document, Level } from './document/document.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

/** @typedef {FindReport['load']['model']} Model */

/** "31.4 users/s": an open load starts users; each sends its requests. @param {number} level @param {Model} model */
const describeStep = (level, model) => nameStep(level, model).replace('/s', ' users/s');

/** @type {Catalogue<StepTable, string>} */
const PROBLEMS = {
  generator: ({ sign }) =>
    sign ? `load generator ${sign.id}` : 'load generator, or other work on its machine',
  failures: ({ share }) => `${formatPercent(share)} failed`,
  dropped: ({ share }) => `${formatPercent(share)} of the arrivals dropped (maxVusers)`,
  queue: ({ growth }) => `queue: ${formatNumberOf(growth, 'more request')} in flight at the end`,
};

/** @type {Record<FindVerdict, [Level, string]>} */
const VERDICTS = {
  keeps: ['better', 'keeps'],
  fails: ['worse', 'fails'],
  unknown: ['unknown', 'not clear'],
  limited: ['unknown', 'not measured'],
};

/** Why a step fails, apart from its limits. @param {FindStep} step */
function describeProblem({ problem, isStopped }) {
  return problem ? `${say(PROBLEMS, problem)}${isStopped ? '; stopped early' : ''}` : '';
}

/** "31.4/s keeps (231 ms)" @param {FindStep} step @param {Model} model */
export function describeFindStep(step, model) {
  const values = step.checks.map(({ value, unit }) => formatInUnit(value?.value ?? null, unit));
  const why = describeProblem(step) || values.join(', ');
  return `${describeStep(step.level, model)}: ${VERDICTS[step.verdict][1]} (${why})`;
}

/** @type {Record<FindEnd, [Level, string]>} level, and the start of the headline */
const ENDS = {
  found: ['good', ''],
  fails: ['bad', ''],
  generator: ['invalid', 'The load generator was the limit. '],
  time: ['unknown', 'Not confirmed, because time ran out. '],
  interrupted: ['unknown', 'Interrupted. '],
  failed: ['unknown', 'Not confirmed, because a step failed. '],
};

/** @param {FindReport} report */
function sayResult({ end, below, above, keeps, fails, limits, load: { model } }) {
  const kept = joinWords(limits);
  if (end === 'found' && below)
    return `${describeStep(below.level, model)} is the highest ${model === 'closed' ? 'number of users' : 'arrival rate'} that keeps ${kept}.`;
  if (end === 'fails' && above)
    return `The target does not keep ${kept} at ${describeStep(above.level, model)}, the lowest load.`;
  const known = [
    keeps === null ? [] : `keeps ${kept} at ${describeStep(keeps, model)}`,
    fails === null ? [] : `does not at ${describeStep(fails, model)}`,
  ].flat();
  return known.length > 0
    ? `The target ${joinWords(known)}; the highest load is not known.`
    : `The highest load that keeps ${kept} is not known.`;
}

/** How certain the result is, and what was sent. @param {FindReport} report */
function listSentences({ below, keeps, fails, load: { model, mode }, elapsedMs, steps }) {
  const edges = [
    keeps === null ? [] : `${describeStep(keeps, model)} is clearly inside`,
    fails === null ? [] : `${describeStep(fails, model)} clearly outside`,
  ].flat();
  return [
    `${formatNumberOf(steps.length, 'step')} in ${formatDuration(elapsedMs)}${below ? `, ${below.runs} of them at ${describeStep(below.level, model)}` : ''}.`,
    edges.length > 0 ? `By the intervals of the steps, ${joinWords(edges)}.` : '',
    model === 'open' && mode !== 'poisson'
      ? 'Arrivals were evenly spaced. Random ones (`mode: poisson` in the phase) queue at lower rates.'
      : '',
  ].filter(Boolean);
}

/** The limit above the result. @param {FindReport} report */
function describeNext({ steps, above, load: { model } }) {
  const bottleneck = steps.findLast(({ level }) => level === above?.level)?.bottleneck;
  if (!above || !bottleneck) return null;
  const at = `What limits at ${describeStep(above.level, model)}`;
  const more = bottleneck.facts.workers ? '' : 'Record the server to see more: `--profile`.';
  // The step failed, so there is a limit.
  if (bottleneck.id === 'none')
    return section(
      'next',
      `${at} is not known`,
      paragraph('The step is too short to show it: a test of a minute at this load can.'),
      paragraph(more, 'advice'),
    );
  const { title, advice } = sayBottleneck(bottleneck);
  return section('next', at, paragraph(title), paragraph(advice ?? more, 'advice'));
}

/** @param {FindReport} report @returns {Document} */
export function describeFind(report) {
  const { load, limits, steps, end } = report;
  const [level, before] = ENDS[end];
  const rows = table('Steps', steps, [
    column('load', own => describeStep(own.level, load.model)),
    column('', ({ verdict }) => tag(...VERDICTS[verdict])),
    ...limits.map((limit, at) =>
      amount(limit, ({ checks }) => checks[at]?.value ?? null, steps[0]?.checks[at]?.unit),
    ),
    amount('requests', ({ requestsPerSec }) => requestsPerSec, 'perSec'),
    amount('measured', ({ seconds }) => seconds * 1000, 'duration'),
    column('why', describeProblem),
  ]);
  return {
    headline: { level, text: before + sayResult(report), sentences: listSentences(report) },
    sections: [describeNext(report), section('steps', 'Steps', rows)].flatMap(own => own ?? []),
    page: 'find.json',
  };
}
