import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../../../lib/experiment/history/build-history.js';
import { makeEntries, makeEntry } from './synthetic-history.js';

/** @import { HistoryEntry } from '../../../lib/run/facts/history.d.ts' */

const FILE = { file: 'history.ndjson' };

/** @param {HistoryEntry[]} entries @param {Partial<Parameters<typeof buildHistory>[1]>} [options] */
const build = (entries, options = {}) =>
  buildHistory({ entries, torn: 0 }, { ...FILE, ...options });

test('says which figures changed, by how much and in which direction', () => {
  const [series] = build(makeEntries({ count: 60, seed: 11, shifts: [[35, 1.2]] })).series;
  assert.equal(series?.changes.length, 1);
  const [change] = series?.changes ?? [];
  assert.ok((change?.before ?? 99) < 35 && (change?.after ?? 0) >= 35);
  const p95 = change?.sizes.find(({ measure }) => measure === 'total.p95Ms');
  assert.equal(p95?.call, 'worse');
  assert.ok((p95?.relative?.low ?? 1) <= 0.2 && (p95?.relative?.high ?? 0) >= 0.2);
  assert.equal(change?.sizes.find(({ measure }) => measure === 'throughputPerSec')?.call, 'worse');
  assert.equal(
    change?.sizes.find(({ measure }) => measure === 'errorRate'),
    undefined,
  );
});

for (const [what, of] of /** @type {[string, Partial<HistoryEntry['of']>][]} */ ([
  ['machine', { machines: [{ platform: 'linux x64', cpus: 8, cpuModel: 'other' }] }],
  ['script', { script: { name: 'scenarios/my-api.yaml', sha256: 'b'.repeat(64) } }],
  ['load', { engine: 'artillery' }],
  ['target', { target: 'api.example.com' }],
]))
  test(`never takes another ${what} for a change`, () => {
    const before = makeEntries({ count: 15, seed: 21 });
    const after = makeEntries({ count: 15, seed: 22, shifts: [[0, 2]], of });
    const later = after.map(own => ({ ...own, t: own.t + 15 * 24 * 3600 * 1000 }));
    const { series } = build([...before, ...later]);
    assert.equal(series.length, 2);
    assert.deepEqual(series[0]?.of, later[0]?.of);
    assert.deepEqual(
      series.flatMap(({ changes }) => changes),
      [],
    );
  });

test('leaves out invalid runs, and keeps to one branch', () => {
  const entries = makeEntries({ count: 24, seed: 31 }).map((own, at) => {
    if (at > 18) return { ...own, branch: 'other' };
    return at > 12 ? { ...own, reliability: /** @type {const} */ ('invalid'), measures: {} } : own;
  });
  const { series } = build(entries, { branch: 'main' });
  assert.equal(series[0]?.entries.length, 19);
  assert.equal(series[0]?.searched, 13);
});

test('names what differs between the entries around a change', () => {
  const entries = Array.from({ length: 16 }, (_, at) => ({
    ...makeEntry(at, { 'total.p95Ms': (at < 8 ? 50 : 90) + (at % 3) }),
    settings: [{ name: 'LANES', value: at < 8 ? '1' : '2' }],
    versions: { python: '3.13.0' },
  }));
  const [change, ...more] = build(entries).series[0]?.changes ?? [];
  assert.deepEqual(more, []);
  assert.deepEqual(change?.differences, [
    { of: 'setting', name: 'LANES', before: '1', after: '2' },
  ]);
  assert.equal(change?.at, 8);
});
