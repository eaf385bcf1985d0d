import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/**
 * A run whose application takes turns in two lines.
 * @param {import('node:test').TestContext} t
 * @param {{grouping?: string[], ranking?: string[]} | null} calls of these lines; null: nobody looked
 */
async function analyse(t, calls) {
  const run = makeRun({ durationSec: 20 });
  const folder = writeRun(makeTempFolder(t), run);
  const file = 'queue_management/summary.py';
  const records = [
    { kind: 'start' },
    { kind: 'line', function: 'group_rows', file, line: 12, calls: calls?.grouping },
    { kind: 'line', function: 'rank', file, line: 48, calls: calls?.ranking },
  ].filter(({ kind, calls: own }) => kind === 'start' || own);
  const text = records.map(
    record => `${JSON.stringify({ t: run.truth.startMs, inLoop: false, ...record })}\n`,
  );
  if (calls) writeFileSync(runFiles(folder).calls, text.join(''));
  const { report } = await analyseRun(folder);
  const { profile, quality } = report;
  assert.ok(profile);
  const samplesOf = (/** @type {string} */ category) =>
    profile.categories.find(({ id }) => id === category)?.samples ?? 0;
  return {
    profile,
    business: samplesOf('business'),
    database: samplesOf('database'),
    unread: quality.filter(({ id }) => id === 'lines-unread'),
  };
}

test('a line that sends a query is the database’s, and no sample is lost', async t => {
  const before = await analyse(t, null);
  const after = await analyse(t, { grouping: ['execute'], ranking: [] });
  const moved = before.business - after.business;
  assert.ok(moved > before.business / 4, `${moved} of ${before.business}`);
  assert.equal(after.database - before.database, moved);
  assert.equal(after.profile.samples.active, before.profile.samples.active);
  assert.deepEqual(after.unread, []);
});

test('reports lines without a source if they are many, and not if none were read', async t => {
  const { unread, profile } = await analyse(t, {});
  const share = profile.unreadShare ?? 0;
  assert.deepEqual(
    unread.map(({ facts }) => facts),
    [{ share }],
  );
  assert.ok(share > 0.2);
  const old = await analyse(t, null);
  assert.deepEqual(old.unread, []);
  assert.equal(old.profile.unreadShare, null);
});
