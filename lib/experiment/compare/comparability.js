/** Which runs can be used, and can they be compared? Reports objections as facts. */

import { fitsPath } from '../../base/config/endpoint-names.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Severity } from '../../run/facts/statement.d.ts' */
/** @import { Difference, SharedTable, Verdict, Warning } from '../../run/facts/compare-report.d.ts' */

/** @typedef {{before: Report[], after: Report[]}} Sides */
/** @typedef {{run: Pick<Report['run'], 'versions' | 'packages'> & {host?: Report['run']['host'], settings: {name: string, value: string}[]}}} Conditions */

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

/** A load that was changed on the live page is of no plan that another run follows. @param {Report} report */
export function isUsable({ reliability, load }) {
  return reliability.level !== 'invalid' && !load?.steered;
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
    ...[...before, ...after].flatMap(({ run: { id }, load }) =>
      load?.steered ? [warn('steered-run', 'warn', { id })] : [],
    ),
    ...(partial.length > 0 ? [warn('partial-runs', 'warn', { runs: partial })] : []),
    ...findOtherLength(reports),
    ...findOrder(used),
    ...findOtherRows(used),
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

/** Rows of single paths on one side that are part of a row of the other. @param {Sides} sides @returns {Warning[]} */
function findOtherRows({ before, after }) {
  const [a = [], b = []] = [before, after].map(runs => [
    ...new Set(runs.flatMap(({ load }) => load?.endpoints.map(({ name }) => name) ?? [])),
  ]);
  const find = (/** @type {string[]} */ rows, /** @type {string[]} */ others) =>
    others.flatMap(row => {
      const paths = rows.filter(name => !others.includes(name) && fitsPath(row, name));
      return paths.length > 0
        ? [warn('other-rows', 'warn', { row, paths, isAfter: others === b })]
        : [];
    });
  return [...find(a, b), ...find(b, a)];
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
 * Packages, versions, machine and settings that only one side has: perhaps the change itself.
 * @param {{before: Conditions[], after: Conditions[]}} used runs
 * @returns {Difference[]}
 */
export function findDifferences({ before, after }) {
  const isKnown = countPackages({ before, after }) !== null;
  const read = (/** @type {Conditions} */ report) => readFacts(report, isKnown);
  const [a, b] = [before.map(read), after.map(read)];
  const names = [...new Set([...a, ...b].flatMap(facts => [...facts.keys()]))];
  return names.flatMap(key => {
    const [left = '', right = ''] = [a, b].map(runs =>
      [...new Set(runs.map(facts => facts.get(key) ?? '–'))].sort().join(', '),
    );
    const [of = '', name = ''] = key.split('\n');
    if (left === right) return [];
    return [{ of: /** @type {Difference['of']} */ (of), name, before: left, after: right }];
  });
}

/**
 * @param {{before: Conditions[], after: Conditions[]}} used runs
 * @returns {number | null} of all runs; null: not known of each
 */
export function countPackages({ before, after }) {
  const all = [...before, ...after].map(({ run }) => run.packages);
  const names = all.flatMap(own => Object.keys(own ?? {}));
  return all.length > 0 && all.every(Boolean) ? new Set(names).size : null;
}

/** These always differ from run to run. */
export const OF_ONE_RUN = /^((GUNICORN|SERVER)_PID(_FILE)?|TARGET|OIDC_ISSUER|LOG_FILES)$/;

/** @param {Conditions} report @param {boolean} isKnown packages of all runs @returns {Map<string, string>} by kind and name */
function readFacts({ run: { packages = {}, versions, host, settings } }, isKnown) {
  const own = settings.filter(({ name }) => !OF_ONE_RUN.test(name));
  /** @type {[of: Difference['of'], values: Record<string, string>][]} */
  const kinds = [
    ['package', isKnown ? packages : {}],
    ['program', versions],
    ['machine', { CPU: host?.cpuModel ?? '–', kernel: host?.kernel ?? '–' }],
    ['setting', Object.fromEntries(own.map(({ name, value }) => [name, String(value)]))],
  ];
  return new Map(
    kinds.flatMap(([of, values]) =>
      Object.entries(values).map(([name, value]) => [`${of}\n${name}`, value]),
    ),
  );
}
