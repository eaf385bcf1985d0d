/** Which runs can be used, and can they be compared? Reports objections as facts. */

/** @import { Report } from '../../facts/report.d.ts' */
/** @import { Severity } from '../../facts/statement.d.ts' */
/** @import { CompareReport, SharedTable, Verdict, Warning } from '../../facts/compare-report.d.ts' */

/** @typedef {{before: Report[], after: Report[]}} Sides */
/** @typedef {{run: {settings: {name: string, value: string}[], versions: Record<string, string>}}} Conditions */

/**
 * What all runs must share, and how bad a difference is; null where a run lacks the value.
 * @type {readonly [keyof SharedTable, Severity, (report: Report) => any][]}
 */
const SHARED = [
  ['other-script', 'bad', ({ run: { script } }) => script],
  [
    'other-load',
    'bad',
    ({ load }) => load?.phases.map(({ plan, model }) => ({ plan, model })) ?? null,
  ],
  ['other-engine', 'bad', ({ load }) => load?.engine ?? null],
  [
    'other-kind',
    'warn',
    ({ run, cpu, profile }) => (cpu && !profile ? 'without-stacks' : run.kind),
  ],
  ['other-rate', 'warn', ({ profile }) => profile?.rateHz ?? null],
  [
    'other-sampling',
    'warn',
    ({ profile }) => {
      const { name, pausesTarget } = profile?.profiler ?? {};
      return name ? { name, pausesTarget } : null;
    },
  ],
  [
    'other-names',
    'warn',
    ({ profile, quality }) =>
      profile?.segments
        ? profile.unreadShare != null && !quality.some(({ id }) => id === 'lines-unread')
        : null,
  ],
  [
    'other-costs',
    'warn',
    ({ costs }) => costs?.endpoints.some(({ isMeasured }) => isMeasured) ?? null,
  ],
  [
    'other-workers',
    'warn',
    ({ cpu }) => cpu?.workers.filter(({ startedInRun }) => !startedInRun).length || null,
  ],
  ['other-host', 'bad', ({ run: { host } }) => host && pickHost(host)],
];

/** Runs this many times as long as others have a different share of warm-up. */
const OTHER_LENGTH = 1.5;

/** @param {Report} report */
export function isUsable({ reliability }) {
  return reliability.level !== 'invalid';
}

/**
 * Objections to a comparison of these runs, the worst first.
 * @param {Sides} all
 * @returns {Warning[]}
 */
export function findWarnings({ before, after }) {
  const used = { before: before.filter(isUsable), after: after.filter(isUsable) };
  if (used.before.length === 0 || used.after.length === 0) return [];
  const reports = [...used.before, ...used.after];
  const partial = reports.flatMap(({ run }) => (run.status === 'partial' ? [run.id] : []));
  /** @type {Warning[]} */
  const warnings = [
    ...SHARED.flatMap(([id, severity, read]) => {
      const values = new Map(
        reports.map(report => read(report)).map(value => [JSON.stringify(value), value]),
      );
      values.delete('null');
      return values.size > 1 ? [warn(id, severity, { values: [...values.values()] })] : [];
    }),
    ...(partial.length > 0 ? [warn('partial-runs', 'warn', { runs: partial })] : []),
    ...findOtherLength(reports),
    ...findOrder(used),
  ];
  return warnings.sort((a, b) => Number(b.severity === 'bad') - Number(a.severity === 'bad'));
}

/**
 * @template {Warning['id']} Id
 * @param {Id} id @param {Severity} severity @param {Extract<Warning, {id: Id}>['facts']} facts
 */
const warn = (id, severity, facts) => /** @type {Warning} */ ({ id, severity, facts });

/** What identifies a kind of machine. @param {NonNullable<Report['run']['host']>} host */
export function pickHost({ platform, cpus, cpuModel }) {
  return { platform, cpus, cpuModel };
}

/** @param {Report[]} reports @returns {Warning[]} */
function findOtherLength(reports) {
  const lengths = reports.flatMap(({ load }) =>
    load ? [load.window.endMs - load.window.startMs] : [],
  );
  const facts = { shortestMs: Math.min(...lengths), longestMs: Math.max(...lengths) };
  if (lengths.length < 2 || facts.longestMs < facts.shortestMs * OTHER_LENGTH) return [];
  return [warn('other-length', 'warn', facts)];
}

/** All runs of one side before all runs of the other. @param {Sides} sides @returns {Warning[]} */
function findOrder({ before, after }) {
  if (before.length < 2 || after.length < 2) return [];
  const times = (/** @type {Report[]} */ runs) => runs.flatMap(({ run }) => run.startedAtMs ?? []);
  const [a, b] = [times(before), times(after)];
  if (a.length === 0 || b.length === 0) return [];
  if (Math.max(...a) > Math.min(...b) && Math.max(...b) > Math.min(...a)) return [];
  return [warn('not-alternated', 'info', {})];
}

/**
 * What spoils the measurement so much that the headline must say so.
 * @param {Sides} sides all runs
 * @param {Warning[]} warnings
 * @returns {Verdict['spoiled']}
 */
export function findSpoiled({ before, after }, warnings) {
  const others = SHARED.map(([id]) => id).filter(shared =>
    warnings.some(({ id, severity }) => id === shared && severity === 'bad'),
  );
  if (others.length > 0) return { id: 'not-comparable', facts: { warnings: others } };
  const runs = [...before, ...after];
  const count = (/** @type {string} */ level) =>
    runs.filter(({ reliability }) => reliability.level === level).length;
  const facts = {
    runs: runs.length,
    invalid: count('invalid'),
    doubtful: count('doubtful'),
    partial: runs.filter(
      ({ run, reliability }) => run.status === 'partial' && reliability.level === 'valid',
    ).length,
  };
  return facts.invalid + facts.doubtful + facts.partial > 0
    ? { id: 'unreliable-runs', facts }
    : null;
}

/**
 * Settings and versions that only one side has: perhaps the change itself.
 * @param {{before: Conditions[], after: Conditions[]}} sides
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

/** These always differ from run to run. */
export const OF_ONE_RUN = /^((GUNICORN|SERVER)_PID(_FILE)?|TARGET|OIDC_ISSUER|LOG_FILES)$/;

/** @param {Conditions} report @returns {Map<string, string>} */
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
