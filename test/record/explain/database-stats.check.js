import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStats, writeStats } from '../../../lib/record/explain/database-stats.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { needs } from '../../helpers/needs.js';
import { startCountingPostgres } from '../../helpers/postgres.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const skip = needs('initdb', 'postgres');
const signal = AbortSignal.timeout(60_000);

test('PostgreSQL counts the statements between two readings, and says what is missing', {
  skip,
}, async t => {
  const folder = makeTempFolder(t);
  const { url, client } = await startCountingPostgres(t, folder);
  assert.deepEqual(await readStats(url, signal), { refused: { why: 'connect', reason: '42P01' } });
  await client.query('create extension pg_stat_statements');
  const before = await readStats(url, signal);
  for (let at = 0; at < 30; at++) {
    await client.query('begin');
    await client.query('select $1::int + 41 as n, pg_sleep(0.01)', [at]);
    await client.query('commit');
  }
  const files = createRunFolder(makeTempFolder(t), 'stats');
  writeStats(files, before, await readStats(url.replace(':', '+psycopg:'), signal));
  const [record] = (await readNdjson(files.plans)).records;
  const { count, ms, statements } = /** @type {any} */ (record);
  assert.equal(count, 30, 'without transactions, and without what asked for it');
  assert.ok(ms >= 300, `${ms}`);
  assert.match(statements[0].text, /^select \$1::int \+ \$2 as n/);
  assert.deepEqual(await readStats(url.replace(/:\d+\//, ':1/'), signal), {
    refused: { why: 'connect', reason: 'ECONNREFUSED' },
  });
  assert.deepEqual(await readStats('sqlite:///x.db', signal), {
    refused: { why: 'none', reason: '' },
  });
});
