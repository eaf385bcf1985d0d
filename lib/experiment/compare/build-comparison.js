/** Turns the reports of two groups of runs into a CompareReport. */

import { smallestP } from '../../base/math/rank-tests.js';
import { describeVersions } from '../../run/host.js';
import { countPackages, findDifferences, findWarnings, isUsable } from './comparability.js';
import { compareValues } from './compare-values.js';
import { buildDifferentialFlame } from './differential-flame.js';
import { COMPARED, keyOfFigure, listPackages, readFigures } from './figures.js';
import { findSignificant } from './significance.js';
import { judgeComparison } from './verdict.js';
import { estimateWithinRun } from './within-run.js';

/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Basis, Change, CompareReport, Side } from '../../run/facts/compare-report.d.ts' */
/** @import { Figure } from './figures.js' */

/** One in twenty comparisons without a difference may show one. */
const ALPHA = 0.05;
const SCOPES = /** @type {const} */ (['overall', 'category', 'package', 'endpoint']);

/** Where a run is: its folder, and its page relative to the comparison. @typedef {Pick<Side['runs'][number], 'folder' | 'report'>} Place */

/**
 * Compares two groups of runs; the run is the unit of replication. Invalid runs are left out.
 * @param {Report[]} before at least one
 * @param {Report[]} after at least one
 * @param {object} [options]
 * @param {{before: string, after: string}} [options.labels]
 * @param {{before: Place[], after: Place[]}} [options.places] in the order of the reports
 * @returns {Promise<CompareReport>}
 */
export async function buildComparison(before, after, { labels, places } = {}) {
  const sides = {
    before: describeSide(labels?.before ?? 'before', before, places?.before),
    after: describeSide(labels?.after ?? 'after', after, places?.after),
  };
  const used = { before: before.filter(isUsable), after: after.filter(isUsable) };
  const isComparable = used.before.length > 0 && used.after.length > 0;
  const basis = chooseBasis(used.before.length, used.after.length);
  const { changes, sameGroupsP } = isComparable
    ? await compareAll(used.before, used.after, basis)
    : { changes: [], sameGroupsP: null };
  const categories = collectCategories([...used.before, ...used.after]);
  const warnings = findWarnings({ before, after });
  const facts = { ...sides, basis, alpha: ALPHA, sameGroupsP, warnings, changes, categories };
  return {
    schema: 'loadflame-compare/2',
    generator: { name: 'loadflame', version: describeVersions().loadflame ?? '' },
    createdAtMs: Date.now(),
    ...facts,
    verdict: judgeComparison(facts, { before, after }),
    differences: isComparable ? findDifferences(used) : [],
    packages: countPackages(used),
    measures: COMPARED,
    flame: isComparable ? await compareFlames(used.before, used.after) : null,
  };
}

/**
 * @param {string} label
 * @param {Report[]} reports
 * @param {Place[]} [places]
 * @returns {Side}
 */
function describeSide(label, reports, places) {
  return {
    label,
    runs: reports.map((report, index) => {
      const { run, load, profile, reliability } = report;
      return {
        id: run.id,
        startedAtMs: run.startedAtMs,
        requests: load?.http.requests ?? null,
        samples: profile?.samples.active ?? null,
        reliability: reliability.level,
        reasons: reliability.reasons,
        isUsed: isUsable(report),
        ...(places?.[index] ?? { folder: null, report: null }),
      };
    }),
  };
}

/** @param {number} before @param {number} after @returns {Basis} */
function chooseBasis(before, after) {
  if (before <= 1 && after <= 1) return 'within-run';
  return smallestP(before, after) <= ALPHA ? 'runs' : 'few-runs';
}

/**
 * @param {Report[]} before
 * @param {Report[]} after
 * @param {Basis} basis
 */
async function compareAll(before, after, basis) {
  const packages = [...new Set([...before, ...after].flatMap(listPackages))];
  const index = (/** @type {Report} */ report) =>
    new Map(readFigures(report, packages).map(figure => [keyOfFigure(figure), figure]));
  const [a, b] = [before.map(index), after.map(index)];
  const within =
    basis === 'within-run'
      ? await Promise.all(
          [before[0], after[0]].map(report => report && estimateWithinRun(report, ALPHA)),
        )
      : [];
  const isCpuKnown = [...a, ...b].every(figures => figures.has('overall\n\ncpuMsPerRequest'));
  const hasChildren = [...a, ...b].some(
    figures => (figures.get('overall\n\nchildCpuMsPerRequest')?.value ?? 0) > 0,
  );
  const compared = listFigures([...a, ...b])
    // With a known CPU time, a share says less: it grows when another one shrinks.
    .filter(({ measure }) => !(measure === 'cpuShare' && isCpuKnown))
    // Few APIs start processes.
    .filter(({ measure }) => measure !== 'childCpuMsPerRequest' || hasChildren)
    .filter(figure => isOfOneBasis(keyOfFigure(figure), [...a, ...b]))
    .map(({ scope, name, measure }) => {
      const key = keyOfFigure({ scope, name, measure });
      const values = (/** @type {Map<string, Figure>[]} */ side) =>
        side.flatMap(figures => figures.get(key)?.value ?? []);
      const comparison = compareValues(values(a), values(b), {
        alpha: ALPHA,
        within: [within[0]?.get(key) ?? null, within[1]?.get(key) ?? null],
      });
      return { scope, name, measure, ...comparison };
    });
  return findSignificant(compared, {
    before: before.length,
    after: after.length,
    alpha: ALPHA,
    isTestable: basis === 'runs',
  });
}

/** @param {string} key @param {Map<string, Figure>[]} runs */
function isOfOneBasis(key, runs) {
  return new Set(runs.flatMap(figures => figures.get(key)?.basis ?? [])).size <= 1;
}

/**
 * All figures of all runs, in the order of scopes and measures; names in the order of the reports.
 * @param {Map<string, Figure>[]} runs
 * @returns {Pick<Change, 'scope' | 'name' | 'measure'>[]}
 */
function listFigures(runs) {
  const all = [...new Map(runs.flatMap(figures => [...figures])).values()];
  return SCOPES.flatMap(scope => {
    const ofScope = all.filter(figure => figure.scope === scope);
    const names = [...new Set(ofScope.map(({ name }) => name))];
    return names.flatMap(name =>
      COMPARED.flatMap(({ id }) => ofScope.find(f => f.name === name && f.measure === id) ?? []),
    );
  });
}

/** @param {Report[]} runs @returns {CompareReport['categories']} */
function collectCategories(runs) {
  const all = runs.flatMap(({ profile }) => profile?.categories ?? []);
  return [...new Map(all.map(({ id, label, color }) => [id, { id, label, color }])).values()];
}

/** @param {Report[]} before @param {Report[]} after */
function compareFlames(before, after) {
  const ofRuns = (/** @type {Report[]} */ runs) =>
    runs.flatMap(({ cpu, profile }) => {
      const cost = cpu?.basis === 'process-cpu' ? cpu.perRequest?.value : null;
      return profile?.table ? [{ table: profile.table, cpuMsPerRequest: cost ?? null }] : [];
    });
  return buildDifferentialFlame(ofRuns(before), ofRuns(after));
}
