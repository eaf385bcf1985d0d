import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FIXTURES, startGunicorn } from '../../helpers/gunicorn.js';
import { needs } from '../../helpers/needs.js';
import { startCountingPostgres } from '../../helpers/postgres.js';
import { runLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../../companion/loadflame_companion.py');

test('under gevent without idle CPU, the time of a statement is a bound, and PostgreSQL says the true one', {
  skip: needs('initdb', 'postgres'),
}, async t => {
  const folder = makeTempFolder(t);
  const { url, client } = await startCountingPostgres(t, folder);
  await client.query('create extension pg_stat_statements');
  const { url: target, masterPid } = await startGunicorn(t, {
    workers: 1,
    args: ['-k', 'gevent', '-c', COMPANION],
    env: { LOADFLAME: '1', DATABASE_URL: url },
    app: 'gevent_database_app:app',
  });
  const load = path.join(FIXTURES, 'gevent-database-load.yaml');
  const args = ['test', load, '--full', '--profile', '--db-stats', '--pid', `${masterPid}`];
  const env = { TARGET: target, EXPLAIN_DATABASE_URL: url };
  const { exit, stdout, stderr } = await runLoadflame(folder, args, env);
  assert.ok(exit === 0 || exit === 6, stderr);
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  /** @type {import('../../../lib/run/facts/report.d.ts').Report} */
  const { bottleneck, calls, databaseStats, findings, profile } = JSON.parse(
    readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
  );
  const { rows } = await client.query(
    "select sum(calls)::float8 as count, sum(total_exec_time) as ms from pg_stat_statements where query like '%AS next%'",
  );
  const truth = rows[0].ms / rows[0].count;
  const [statement] = calls?.statements ?? [];
  assert.ok(statement && databaseStats && databaseStats.count > 100, 'statements were counted');
  const { databaseMeanMs = 0, meanMs } = statement;
  t.diagnostic(`app ${meanMs} ms, counted ${databaseMeanMs} ms, truth ${truth} ms`);
  assert.ok(databaseMeanMs > truth * 0.7 && databaseMeanMs < truth * 1.3);
  assert.ok(calls?.bound || meanMs < truth * 1.3, 'the app’s own time is a bound');
  assert.match(stdout, /PostgreSQL itself counted/);
  const named = [bottleneck?.id, bottleneck?.orElse];
  assert.ok(!named.includes('database'), `the loop is full, and named is ${named}`);
  if (!calls?.bound) return;
  assert.ok(!findings.some(({ id }) => id === 'slow-call'));
  assert.ok(profile?.waits?.kinds.every(({ id, isBound }) => id !== 'database' || isBound));
  const inFlamegraph = profile?.waits?.table.categories.find(({ id }) => id === 'database');
  assert.equal(inFlamegraph?.label ?? 'the worker, or the database', 'the worker, or the database');
  assert.ok(!bottleneck?.resources.some(({ id }) => id === 'database'), 'no wait there is its use');
  assert.match(stdout, /the worker, or the database +\S* +at most/);
  assert.doesNotMatch(stdout, /waiting for the database/);
});
