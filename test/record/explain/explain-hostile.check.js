import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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
c.execute("create table orders (id int)")
c.execute("insert into orders values (1), (2)")
`;
const COUNT =
  'import psycopg, sys; print(*psycopg.connect(sys.argv[1]).execute("select count(*) from orders").fetchone())';

test('a text of a header starts no program and no second statement', {
  skip: needs('initdb', 'postgres', 'psql'),
}, async t => {
  const folder = makeTempFolder(t);
  const postgres = await startPostgres(folder, path.join(folder, 'log'));
  t.after(() => postgres.stop());
  const url = postgres.env.SHARES_POSTGRES;
  execFileSync(PYTHON, ['-c', SET_UP, url]);
  const file = path.join(folder, 'postgres', 'planted');
  const texts = [
    `SELECT 1 \\! id > ${file}`,
    'SELECT 1; COMMIT; BEGIN READ WRITE; DELETE FROM orders; COMMIT; SELECT 1',
    `SELECT 2; COPY (SELECT 1) TO PROGRAM 'cat > ${file}'`,
    `SELECT 3\n\\o ${file}\nSELECT 4`,
  ];
  const server = startChild(PYTHON, ['-c', 'import time; time.sleep(60)'], { stdout: 'ignore' });
  t.after(() => server.stop());
  for (const pid of [server.pid, null]) {
    const files = makeRunWithStatements(t, 'postgresql', texts);
    await explainSql({ files, url, analyze: false, pid, signal: AbortSignal.timeout(60_000) });
    const { records } = await readNdjson(files.plans);
    assert.ok(!existsSync(file), readFileSync(files.plans, 'utf8'));
    assert.equal(execFileSync(PYTHON, ['-c', COUNT, url], { encoding: 'utf8' }), '2\n');
    assert.deepEqual(
      records.map(one => one.refused?.why),
      texts.map(() => 'text'),
    );
  }
});
