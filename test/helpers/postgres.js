import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../research/shares/start-server.js';

/**
 * PostgreSQL that is ready to count its statements, and a connection to it. Both end with the test.
 * @param {import('node:test').TestContext} t
 * @param {string} folder
 */
export async function startCountingPostgres(t, folder) {
  const settings = ['shared_preload_libraries=pg_stat_statements'];
  const postgres = await startPostgres(folder, path.join(folder, 'log'), settings);
  const url = postgres.env.SHARES_POSTGRES;
  const client = new pg.Client(url);
  await client.connect();
  t.after(() => client.end().then(postgres.stop));
  return { url, client };
}
