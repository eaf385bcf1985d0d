import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  describeAccount,
  describeNoise,
  findSpread,
  foretell,
  readAccounts,
} from '../../../lib/experiment/try/noise.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { MeasureId } from '../../../lib/run/facts/compare-report.d.ts' */

const load = { model: 'closed', level: 4, most: null, warmUpSec: 3, durationSec: 10 };
const plan = { load, script: { name: 'shop.yaml', sha256: 'abc' }, target: 'http://127.0.0.1' };
const LOAD = /** @type {import('../../../lib/run/facts/try.d.ts').TryLoad} */ (load);
/** @type {MeasureId[]} */
const MEASURES = ['throughputPerSec', 'cpuMsPerRequest'];

/** Pairs whose sides vary by `spread` around values of their own. @param {number} count @param {number} spread */
const makePairs = (count, spread) =>
  Array.from({ length: count }, (_, at) => {
    const by = (/** @type {number} */ period) =>
      Math.exp((at % period < period / 2 ? 1 : -1) * spread * Math.sqrt((count - 1) / count));
    return { a: 10 * by(2), b: 3 * by(4) };
  });
const makeAccount = (/** @type {number} */ count, spread = 0.04) =>
  describeAccount(36_000, new Map(MEASURES.map(own => [own, makePairs(count, spread)])));

/** @param {string} root @param {string} name @param {object} journal @param {object} [own] */
function writeTry(root, name, journal, own = plan) {
  const folder = path.join(root, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'plan.json'), JSON.stringify(own));
  const line = `${JSON.stringify({ t: 1, ...journal })}\n`;
  writeFileSync(path.join(folder, 'journal.ndjson'), line);
  return folder;
}

test('runs of earlier tries with the same load tell how much runs vary here', async t => {
  const root = makeTempFolder(t);
  writeTry(root, '20261101-101010-try-shop', makeAccount(4));
  writeTry(root, '20261101-111010-try-shop', makeAccount(4));
  const own = writeTry(root, '20261101-121010-try-shop', makeAccount(4, 0.4));
  const accounts = await readAccounts(root, plan, own);
  assert.equal(accounts.length, 2);
  assert.ok(Math.abs((findSpread('cpuMsPerRequest', accounts) ?? 0) - 0.04) < 1e-9);
  assert.equal(findSpread('cpuMsPerRequest', accounts.slice(1)), null, 'eight runs are too few');
  assert.equal(findSpread('total.p95Ms', accounts), null);
});

test('another load or machine, and records that are none, tell nothing', async t => {
  const root = makeTempFolder(t);
  const account = makeAccount(9);
  const other = { ...plan, load: { ...load, level: 5 } };
  writeTry(root, '20261101-101010-try-load', account, other);
  writeTry(root, '20261101-101011-try-host', { ...account, host: { cpus: 96 } });
  const [first, second] = account.variations;
  for (const [at, variations] of [
    'many',
    [null],
    [{ ...first, spread: -1 }, second],
    [{ ...first, dof: '9' }, second],
  ].entries())
    writeTry(root, `20261101-10102${at}-try-bad`, { ...account, variations });
  const torn = writeTry(root, '20261101-101030-try-torn', { kind: 'attempt' });
  appendFileSync(path.join(torn, 'journal.ndjson'), '{"t":1,"kind":"noise","pairMs":');
  writeFileSync(path.join(writeTry(root, '20261101-101031-try-plan', account), 'plan.json'), '{');
  assert.deepEqual(await readAccounts(root, plan, root), []);
  assert.deepEqual(await readAccounts(path.join(root, 'missing'), plan, root), []);
});

test('says before a try how long it takes, and what --max is too short for', () => {
  const unknown = foretell(LOAD, MEASURES, []);
  assert.deepEqual([unknown.pairMs, unknown.isKnown], [36_000, false]);
  assert.equal(unknown.spread, 0.05);
  assert.deepEqual(unknown.changes, [
    { change: 0.3, ms: 180_000 },
    { change: 0.1, ms: 612_000 },
  ]);
  const short = foretell({ ...LOAD, durationSec: 5 }, MEASURES, [makeAccount(5, 0.02)]);
  assert.equal(short.leastMs, 180_000, 'nothing is known of the variation within short runs');
  assert.ok(short.changes.every(({ ms }) => (ms ?? 0) >= short.leastMs));
  const known = foretell(LOAD, MEASURES, [makeAccount(5, 0.02)]);
  assert.deepEqual([known.isKnown, known.leastMs], [true, 72_000]);
  assert.ok(known.spread > 0.01 && known.spread <= 0.02, `${known.spread}`);
  assert.ok((known.changes[1]?.ms ?? Infinity) < (unknown.changes[1]?.ms ?? 0));
});

test('names the smallest change of each figure, or that the runs are too few', () => {
  const asked = { withinMs: 720_000, smallest: 0.05 };
  const noise = describeNoise(MEASURES, [makeAccount(5, 0.04)], asked);
  assert.deepEqual(
    noise.figures.map(({ measure, change }) => [measure, Math.ceil(100 * (change ?? 0))]),
    MEASURES.map(measure => [measure, 6]),
  );
  const [quiet] = describeNoise(MEASURES, [makeAccount(5, 0.001)], asked).figures;
  assert.equal(quiet?.change, 0.05, 'a smaller one is not relevant');
  const [short] = describeNoise(MEASURES, [makeAccount(5)], { ...asked, withinMs: 60_000 }).figures;
  assert.equal(short?.change, null);
  const early = { ...asked, withinMs: 110_000 };
  const ofShort = describeNoise(MEASURES, [makeAccount(5)], { ...early, durationSec: 5 }).figures;
  assert.ok(ofShort.every(({ change }) => change === null));
  assert.ok(describeNoise(MEASURES, [makeAccount(5)], early).figures.every(own => own.change));
  const few = describeNoise(MEASURES, [makeAccount(3)], asked).figures;
  assert.ok(few.every(({ change }) => change === null));
});

test('what changes both runs of a pair hides less of a change that pairs show', () => {
  const asked = { withinMs: 720_000, smallest: 0.05 };
  const drifting = makePairs(9, 0.1).map(({ a }, at) => ({ a, b: a * (at % 2 ? 0.29 : 0.31) }));
  const account = describeAccount(36_000, new Map([['cpuMsPerRequest', drifting]]));
  const [drift] = describeNoise(['cpuMsPerRequest'], [account], asked).figures;
  const [noise] = describeNoise(['cpuMsPerRequest'], [makeAccount(9, 0.1)], asked).figures;
  assert.ok((drift?.change ?? 1) < 0.5 * (noise?.change ?? 0), JSON.stringify({ drift, noise }));
  assert.ok(Math.abs((drift?.spread ?? 0) - (noise?.spread ?? 0)) < 0.02);
});
