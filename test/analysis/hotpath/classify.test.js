import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();
const table = readFileSync(join(import.meta.dirname, 'fixtures/stacks.txt'), 'utf8')
  .split(/\n\s*\n/)
  .map(block => block.split('\n').filter(line => line !== '' && !line.startsWith('#')))
  .filter(lines => lines.length > 1);

/** @param {string[]} frames */
function classifyStack(frames) {
  const builder = new ProfileBuilder();
  builder.addTextStack(frames, 1);
  const profile = builder.build({ source: 'raw' });
  const classes = classifyProfile(profile, rules);
  const leaf = profile.rows.node[0] ?? -1;
  const entry = profile.frames[profile.nodes.frame[classes.entry[leaf] ?? 0] ?? 0];
  return {
    category: classes.categories[classes.category[leaf] ?? 0]?.id,
    waiting: rules.waiting[(classes.waiting[leaf] ?? 0) - 1]?.id,
    entry: entry?.name,
    causes: (classes.causeSets[classes.causeSet[leaf] ?? 0] ?? [])
      .map(({ cause }) => cause.id)
      .sort(),
  };
}

for (const [truth = '', ...frames] of table) {
  test(`… ${frames.slice(-2).join(' → ')} is ${truth}`, () => {
    const [category, ...facts] = truth.trim().split(/\s+/);
    const expected = new Map(
      facts.map(fact => /** @type {[string, string]} */ (fact.split(/:(.*)/, 2))),
    );
    const found = classifyStack(frames);
    assert.equal(found.category, category);
    assert.equal(found.waiting, expected.get('waiting'));
    if (expected.has('entry')) assert.equal(found.entry, expected.get('entry'));
    assert.deepEqual(
      found.causes,
      (expected.get('causes') ?? '').split(',').filter(Boolean).sort(),
    );
  });
}

test('the truth table covers every category', () => {
  const covered = new Set(table.map(([truth = '']) => truth.trim().split(/\s+/)[0]));
  assert.deepEqual(
    [...rules.categories.keys()].filter(id => !covered.has(id)),
    [],
  );
});

test('work outside of requests is not a cause', () => {
  assert.deepEqual(
    classifyStack(['load (shop/app.py:1)', 'create_ssl_context (httpx/_config.py:40)']).causes,
    [],
  );
});

test('frames that start a thread belong to what the thread does', () => {
  const profile = parseRaw(
    '_bootstrap (threading.py:1) 5\n_bootstrap (threading.py:1);run (gunicorn/reloader.py:44) 3\n',
  );
  const classes = classifyProfile(profile, rules);
  assert.equal(classes.categories[classes.category[0] ?? 0]?.id, 'dev-tools');
  const mixed = parseRaw(
    'run (threading.py:1);a (shop/a.py:1) 5\nrun (threading.py:1);run (gunicorn/reloader.py:44) 3\n',
  );
  const apart = classifyProfile(mixed, rules);
  assert.equal(apart.categories[apart.category[0] ?? 0]?.id, 'unknown');
});

test('taking a connection out of a pool is none that is made for the request', () => {
  const VIEW = ['dispatch_request (flask/app.py:902)', 'load (shop/app.py:1)'];
  const causesOf = (/** @type {string[]} */ ...frames) =>
    classifyStack([...VIEW, ...frames]).causes;
  const taken = [
    'connect (sqlalchemy/pool/base.py:447)',
    '_checkout (sqlalchemy/pool/base.py:1264)',
  ];
  assert.ok(!causesOf(...taken).includes('database-connection-per-request'));
  const made = [...taken, '__connect (sqlalchemy/pool/base.py:900)'];
  assert.ok(causesOf(...made).includes('database-connection-per-request'));
});
