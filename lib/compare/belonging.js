/** Do these runs belong together? What speaks against a comparison, as data. */
import { formatDuration, formatNumberOf } from '../format.js';

/** @import { Report } from '../analysis/report.d.ts' */
/** @import { CompareReport } from './compare-report.d.ts' */

/** @typedef {{before: Report[], after: Report[]}} Sides */
/** @typedef {CompareReport['warnings'][number]} Warning */

/** Facts of a run that all runs have to share. */
const SHARED = [
  {
    id: 'other-script',
    severity: /** @type {const} */ ('bad'),
    what: 'scripts',
    fact: (/** @type {Report} */ { run }) =>
      run.script && `${run.script.name} (${run.script.sha256.slice(0, 8)})`,
    consequence: 'they sent different requests',
  },
  {
    id: 'other-load',
    severity: /** @type {const} */ ('bad'),
    what: 'phases',
    fact: (/** @type {Report} */ { load }) =>
      load?.phases.map(({ planned }) => planned).join(', ') ?? null,
    consequence: 'a higher rate alone changes latency',
  },
  {
    id: 'other-engine',
    severity: /** @type {const} */ ('bad'),
    what: 'load engines',
    fact: (/** @type {Report} */ { load }) => load?.engine ?? null,
    consequence: 'they do not measure the same',
  },
  {
    id: 'other-kind',
    severity: /** @type {const} */ ('warn'),
    what: 'kinds of run',
    fact: (/** @type {Report} */ { run }) => run.kind,
    consequence: 'a profiler that records costs some throughput',
  },
  {
    id: 'other-rate',
    severity: /** @type {const} */ ('warn'),
    what: 'sampling rates',
    fact: (/** @type {Report} */ { profile }) =>
      typeof profile?.rateHz === 'number' ? `${profile.rateHz} Hz` : null,
    consequence: 'a profiler that samples more often costs more',
  },
  {
    id: 'other-workers',
    severity: /** @type {const} */ ('warn'),
    what: 'numbers of workers',
    fact: (/** @type {Report} */ { profile }) => {
      const atStart = profile?.workers.filter(({ startedInRun }) => !startedInRun).length;
      return atStart ? String(atStart) : null;
    },
    consequence: 'unless that is the change, they are not comparable',
  },
  {
    id: 'other-host',
    severity: /** @type {const} */ ('bad'),
    what: 'machines',
    fact: (/** @type {Report} */ { run: { host } }) =>
      host && `${host.platform}, ${host.cpus} × ${host.cpuModel}`,
    consequence: 'a faster machine looks like a better program',
  },
];

const MOST_NAMED = 3;

/**
 * @param {Sides} sides runs that are used
 * @returns {Warning[]} the worst first
 */
export function findWarnings(sides) {
  const all = [...sides.before, ...sides.after];
  const warnings = SHARED.flatMap(({ id, severity, what, fact, consequence }) => {
    const values = [...new Set(all.map(fact).filter(value => value !== null))];
    if (values.length < 2) return [];
    const named = values.slice(0, MOST_NAMED).map(value => `“${value}”`);
    const more = values.length > MOST_NAMED ? ` and ${values.length - MOST_NAMED} more` : '';
    const text = `The runs have different ${what}: ${named.join(', ')}${more}; ${consequence}.`;
    return [{ id, severity, text }];
  });
  return [
    ...warnings,
    ...findPartialRuns(all),
    ...findOtherLength(sides),
    ...findOrder(sides),
  ].sort((a, b) => Number(b.severity === 'bad') - Number(a.severity === 'bad'));
}

/** @param {Report[]} runs @returns {Warning[]} */
function findPartialRuns(runs) {
  const partial = runs.filter(({ run }) => run.status === 'partial');
  if (partial.length === 0) return [];
  const names = partial.slice(0, MOST_NAMED).map(({ run }) => run.id);
  const text = `${formatNumberOf(partial.length, 'run')} ended early (${names.join(', ')}): the figures cover what was measured.`;
  return [{ id: 'partial', severity: 'warn', text }];
}

/** Runs of another length have other warm-up shares. @param {Sides} sides @returns {Warning[]} */
function findOtherLength({ before, after }) {
  const lengths = [...before, ...after].flatMap(({ load }) =>
    load ? [load.window.endMs - load.window.startMs] : [],
  );
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  if (lengths.length < 2 || longest < shortest * 1.5) return [];
  const text = `The runs are from ${formatDuration(shortest)} to ${formatDuration(longest)} long: the share of the warm-up differs.`;
  return [{ id: 'other-length', severity: 'warn', text }];
}

/** All runs of one side before all of the other. @param {Sides} sides @returns {Warning[]} */
function findOrder({ before, after }) {
  if (before.length < 2 || after.length < 2) return [];
  const times = (/** @type {Report[]} */ runs) => runs.flatMap(({ run }) => run.startedAtMs ?? []);
  const [a, b] = [times(before), times(after)];
  if (a.length === 0 || b.length === 0) return [];
  if (Math.max(...a) > Math.min(...b) && Math.max(...b) > Math.min(...a)) return [];
  const text =
    'All runs of one side were made before all runs of the other: whatever else changed meanwhile is in the difference, too. Alternate them next time.';
  return [{ id: 'not-alternated', severity: 'info', text }];
}

/**
 * Settings and versions that one side has and the other has not: perhaps the change itself.
 * @param {Sides} sides
 * @returns {CompareReport['differences']}
 */
export function findDifferences({ before, after }) {
  const [a, b] = [before.map(readFacts), after.map(readFacts)];
  const names = [...new Set([...a, ...b].flatMap(facts => [...facts.keys()]))];
  return names.flatMap(name => {
    const [left, right] = [valuesOf(a, name), valuesOf(b, name)];
    return left === right ? [] : [{ name, before: left, after: right }];
  });
}

/** These differ from run to run anyway. */
const OF_ONE_RUN = /^(GUNICORN_PID|TARGET|OIDC_ISSUER|LOG_FILES|LOG_COMMAND)$/;

/** @param {Report} report @returns {Map<string, string>} */
function readFacts({ run }) {
  return new Map([
    ...run.settings
      .filter(({ name }) => !OF_ONE_RUN.test(name))
      .map(({ name, value }) => /** @type {[string, string]} */ ([name, String(value)])),
    ...Object.entries(run.versions),
  ]);
}

/** @param {Map<string, string>[]} runs @param {string} name */
function valuesOf(runs, name) {
  return [...new Set(runs.map(facts => facts.get(name) ?? '–'))].sort().join(', ');
}
