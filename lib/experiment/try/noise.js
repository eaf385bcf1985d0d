/** How much runs of one side vary on this machine, here and in earlier tries with the same load, and what that hides. */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../../base/files/regular-file.js';
import { pooledSpread } from '../../base/math/means.js';
import { mean, standardDeviation, sum } from '../../base/math/summary.js';
import { describeHost } from '../../run/host.js';
import { readNdjson } from '../../run/ndjson.js';
import { findRunFolders } from '../../run/run-folder.js';
import { findableChange, LEAST_SPREAD, looksOf, UNKNOWN_SPREAD } from '../strategies/pairs.js';

/** @import { MeasureId } from '../../run/facts/compare-report.d.ts' */
/** @import { Forecast, Noise, TryLoad } from '../../run/facts/try.d.ts' */
/** @import { Pair } from '../strategies/pairs.js' */

/** Variation of one figure between runs of a side, and between the two of a pair: standard deviations of logarithms. @typedef {{measure: MeasureId, spread: number, inPairs: number, dof: number}} Variation */

/** One try. `pairMs`: how long a pair took @typedef {{pairMs: number, variations: Variation[]}} Account */

const JOURNAL = 'journal.ndjson';
/** With fewer degrees of freedom, a variation is less than half of the truth in more than 2 % of cases. */
const LEAST_DOF = 8;
/** Experiments whose plan is read: the machine may have changed since earlier ones. */
const MOST_READ = 20;
/** Beside warm-up and load, a run starts and stops a server and a generator, logs in, and writes a report. */
const OVERHEAD_MS = 5000;
/** Of a warm-up until the rate is steady, to the next second of the clock. */
const USUAL_WARM_UP_SEC = 3;
/** Changes whose time is foretold. */
const FORETOLD = [0.3, 0.1];

/**
 * @param {number} pairMs @param {Map<MeasureId, Pair[]>} figures
 * @returns {Account & {kind: 'noise', host: object | null}} a record of the journal
 */
export function describeAccount(pairMs, figures) {
  const variations = [...figures].map(([measure, pairs]) => {
    const known = pairs.filter(({ a, b }) => a && b && a > 0 && b > 0);
    const [a, b] = [known.map(own => Math.log(own.a ?? 0)), known.map(own => Math.log(own.b ?? 0))];
    const inPairs = standardDeviation(b.map((log, at) => log - (a[at] ?? 0))) / Math.SQRT2;
    return { measure, spread: pooledSpread(a, b), inPairs, dof: Math.max(0, 2 * known.length - 2) };
  });
  return { kind: 'noise', host: describeHost(), pairMs, variations };
}

/**
 * Reads the last tries with the same load, script and target on a machine of this kind.
 * @param {string} root of tries
 * @param {Record<string, any>} plan
 * @param {string} own folder, which does not count
 * @returns {Promise<Account[]>}
 */
export async function readAccounts(root, { load, script, target }, own) {
  const folders = findRunFolders(root, JOURNAL).filter(folder => path.resolve(folder) !== own);
  const plan = { load, script, target };
  const all = await Promise.all(folders.slice(-MOST_READ).map(one => readAccount(one, plan)));
  return all.flatMap(account => account ?? []);
}

/** @param {string} folder @param {Record<string, any>} wanted of its plan @returns {Promise<Account | null>} */
async function readAccount(folder, wanted) {
  try {
    const plan = readRegularJson(path.join(folder, 'plan.json'), MOST_MANIFEST_BYTES);
    const isOf = Object.entries(wanted).every(([key, own]) => isDeepStrictEqual(plan[key], own));
    const { records } = isOf ? await readNdjson(path.join(folder, JOURNAL)) : { records: [] };
    const last = /** @type {any} */ (records.findLast(({ kind }) => kind === 'noise'));
    /** @type {Variation[]} */
    const variations = last.variations;
    const amounts = variations.flatMap(own => [own.spread, own.inPairs, own.dof]);
    const isWhole = [last.pairMs, ...amounts].every(own => Number.isFinite(own) && own >= 0);
    return isWhole && isDeepStrictEqual(last.host, describeHost()) ? last : null;
  } catch {
    return null;
  }
}

/**
 * @param {MeasureId} measure
 * @param {Account[]} accounts
 * @param {'spread' | 'inPairs'} [key]
 * @returns {number | null} standard deviation of the logarithm between runs; null: too few runs
 */
export function findSpread(measure, accounts, key = 'spread') {
  const own = accounts.flatMap(one => one.variations.filter(of => of.measure === measure));
  const dof = sum(own.map(one => one.dof));
  return dof < LEAST_DOF ? null : Math.sqrt(sum(own.map(one => one[key] ** 2 * one.dof)) / dof);
}

/**
 * The smallest change of each figure that tries on this machine show in some time.
 * @param {MeasureId[]} measures
 * @param {Account[]} accounts earlier ones, and that of this try
 * @param {{withinMs: number, smallest: number, durationSec?: number}} asked
 * @returns {Noise}
 */
export function describeNoise(measures, accounts, { withinMs, smallest, durationSec }) {
  const most = withinMs / mean(accounts.map(({ pairMs }) => pairMs));
  const figures = measures.flatMap(measure => {
    const spread = findSpread(measure, accounts);
    if (spread === null) return [];
    const inPairs = findSpread(measure, accounts, 'inPairs') ?? spread;
    const found = findableChange(most, { spread, inPairs, measures: measures.length, durationSec });
    return { measure, spread, change: found && Math.max(found, smallest) };
  });
  return { withinMs, figures };
}

/**
 * How long a try will take.
 * @param {TryLoad} load
 * @param {MeasureId[]} measures
 * @param {Account[]} accounts
 * @returns {Forecast}
 */
export function foretell({ warmUpSec, untilSteady, durationSec }, measures, accounts) {
  const spreads = measures.flatMap(measure => findSpread(measure, accounts) ?? []);
  const isKnown = spreads.length === measures.length;
  const spread = isKnown ? Math.max(...spreads) : LEAST_SPREAD;
  const assumed = isKnown ? spread : UNKNOWN_SPREAD;
  const machine = { spread, assumed, measures: measures.length, durationSec };
  const looks = looksOf(durationSec);
  const warmSec = untilSteady ? USUAL_WARM_UP_SEC : warmUpSec;
  const guessMs = 2 * ((warmSec + durationSec) * 1000 + OVERHEAD_MS);
  const pairMs = accounts.length > 0 ? mean(accounts.map(own => own.pairMs)) : guessMs;
  const changes = FORETOLD.map(change => {
    const look = looks.find(({ pairs }) => (findableChange(pairs, machine) ?? Infinity) <= change);
    return { change, ms: look ? look.pairs * pairMs : null };
  });
  return { pairMs, leastMs: (looks[0]?.pairs ?? 0) * pairMs, spread, isKnown, changes };
}
