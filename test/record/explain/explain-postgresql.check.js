import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../../lib/process/child.js';
import { explainSql } from '../../../lib/record/explain/explain-sql.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { startPostgres } from '../../../research/shares/start-server.js';
import { PYTHON } from '../../helpers/gunicorn.js';
import { needs } from '../../helpers/needs.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { makeRunWithStatements } from './run-with-statements.js';

const SET_UP = `
import psycopg, sys
c = psycopg.connect(sys.argv[1], autocommit=True)
c.execute("create table orders (id serial primary key, customer_id int, state text, note text)")
c.execute("create index by_state on orders (state)")
c.execute("insert into orders (customer_id, state) select i % 900, (i % 3)::text from generate_series(1, 30000) i")
c.execute("analyze orders")
`;
const STATEMENTS = [
  'SELECT orders.id FROM orders WHERE orders.note = ? AND orders.customer_id > ? ORDER BY orders.id LIMIT ?',
  'SELECT id FROM orders WHERE id = ?',
  'SELECT count(*) FROM orders WHERE lower(note) IN (?)',
  'SELECT count(*) FROM orders WHERE note IS NULL',
  'SELECT id FROM nowhere WHERE id = ?',
];
const PASSWORD = 'pw4Explain.0nly';
const signal = AbortSignal.timeout(120_000);

test('PostgreSQL explains statements without their values, with the driver of the app and with psql', {
  skip: needs('initdb', 'postgres', 'psql'),
}, async t => {
  const folder = makeTempFolder(t);
  const postgres = await startPostgres(folder, path.join(folder, 'log'));
  t.after(() => postgres.stop());
  const plain = postgres.env.SHARES_POSTGRES;
  execFileSync(PYTHON, ['-c', SET_UP, plain]);
  const url = plain.replace('shares@', `shares:${PASSWORD}@`).replace(':', '+asyncpg:');
  const server = startChild(PYTHON, ['-c', 'import time; time.sleep(60)'], { stdout: 'ignore' });
  t.after(() => server.stop());
  // Without a process, it is a python3 that may have no driver: then psql.
  for (const pid of [server.pid, null]) {
    const files = makeRunWithStatements(t, 'postgresql', STATEMENTS);
    await explainSql({ files, url, analyze: true, pid, signal });
    const { records } = await readNdjson(files.plans);
    const told = records.map(({ scans, refused, ran }) => [
      scans?.[0]?.columns ?? refused?.why,
      ran,
    ]);
    assert.deepEqual(told, [
      [['note', 'customer_id'], false],
      [undefined, false],
      [[], false],
      [[], true],
      ['failed', undefined],
    ]);
    assert.equal(records[0]?.scans[0].rows, 30_000);
    assert.match(records[1]?.steps[0], /^Index Only Scan on orders with orders_pkey/);
    assert.match(records[4]?.refused.reason, /nowhere/);
    for (const name of readdirSync(files.folder, { recursive: true, withFileTypes: true }))
      if (name.isFile())
        assert.ok(!readFileSync(path.join(name.parentPath, name.name), 'utf8').includes(PASSWORD));
  }
  const files = makeRunWithStatements(t, 'postgresql', STATEMENTS);
  const elsewhere = url.replace(/:\d+\//, ':1/');
  await explainSql({ files, url: elsewhere, analyze: false, pid: server.pid, signal });
  const [plan] = (await readNdjson(files.plans)).records;
  assert.equal(plan?.refused.why, 'connect');
  assert.ok(!JSON.stringify(plan).includes(PASSWORD));
});
