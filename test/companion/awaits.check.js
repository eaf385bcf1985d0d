import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startPostgres } from '../../research/shares/start-server.js';
import { startAsgi } from '../helpers/asgi.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { needs, needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const skip = needs('initdb', 'postgres') || needsModules('uvicorn', 'fastapi', 'psycopg');
const SERVICE_MS = 150;
/** Of the time of requests. 200 looks at seven requests each have a standard deviation of 0.02 by chance. */
const TOLERANCE = 0.1;

/** Another service, which takes its time. @param {import('node:test').TestContext} t */
function startService(t) {
  return serve(t, (_, response) => {
    setTimeout(() => response.end('done'), SERVICE_MS);
  });
}

test('reports what requests of an ASGI app await by kind, as the app’s own clocks do', {
  skip,
}, async t => {
  const folder = makeTempFolder(t);
  const postgres = await startPostgres(folder, path.join(folder, 'postgres.log'));
  t.after(() => postgres.stop());
  const { url, pid } = await startAsgi(t, {
    app: 'awaits_app:app',
    modules: ['fastapi', 'psycopg'],
    env: {
      LOADFLAME: '1',
      DATABASE_URL: postgres.env.SHARES_POSTGRES,
      SERVICE_URL: await startService(t),
      SERVICE_MS: `${SERVICE_MS}`,
    },
  });
  await fetch(`${url}/clocks`);
  const load = ['test', path.join(FIXTURES, 'awaits-load.yaml'), '--profile', '--pid', `${pid}`];
  const { exit, stderr } = await runLoadflame(folder, load, { TARGET: url });
  assert.equal(exit, 0, stderr);
  /** @type {Record<string, [least: number, most: number]>} seconds */
  const clocks = /** @type {any} */ (await (await fetch(`${url}/clocks`)).json());
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  /** @type {import('../../lib/run/facts/report.d.ts').Report} */
  const report = JSON.parse(
    readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
  );
  const waits = report.profile?.waits;
  const told = new Map(waits?.kinds.map(({ id, share }) => [`${id}`, share.value]));
  const sum = Object.values(clocks).reduce((all, [, most]) => all + most, 0);
  const windows = report.load?.windows ?? [];
  const lengthMs = windows.reduce((all, { startMs, endMs }) => all + endMs - startMs, 0);
  const inProgress = { truth: (sum * 1000) / lengthMs, told: waits?.busyThreads ?? 0 };
  const lines = Object.entries(clocks).map(([kind, [least, most]]) => {
    return { kind, least: least / sum, most: most / sum, told: told.get(kind) ?? 0 };
  });
  t.diagnostic(JSON.stringify({ lines, inProgress, told: [...told] }));
  assert.ok(Math.abs(inProgress.told / inProgress.truth - 1) < 0.15, JSON.stringify(inProgress));
  for (const line of lines)
    assert.ok(
      line.told >= line.least - TOLERANCE && line.told <= line.most + TOLERANCE,
      JSON.stringify(line),
    );
  assert.ok((told.get('other') ?? 0) < TOLERANCE, `${told.get('other')} of no kind`);
  const database = waits?.kinds.find(({ id }) => id === 'database');
  assert.match(database?.where[0]?.function ?? '', /query/);
  assert.ok(waits?.table.endpoints.includes('GET /database'));
});
