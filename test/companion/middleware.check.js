import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findPython } from '../../research/shares/start-server.js';
import { startAsgi } from '../helpers/asgi.js';
import { placesOfAsgi } from '../helpers/deployment.js';
import { FIXTURES } from '../helpers/gunicorn.js';
import { needsModules } from '../helpers/needs.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('middlewares that hand a request over are no lock, and the threads that started are no limit', {
  skip: needsModules('uvicorn', 'fastapi'),
}, async t => {
  const folder = makeTempFolder(t);
  const { url, pid } = await startAsgi(t, { app: 'middleware_app:app' });
  const load = path.join(FIXTURES, 'middleware-load.yaml');
  const args = ['test', load, '--profile', '--pid', `${pid}`];
  const { exit, stderr } = await runLoadflame(folder, args, { TARGET: url });
  assert.ok([0, 6].includes(exit ?? -1), stderr);
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  /** @type {import('../../lib/run/facts/report.d.ts').Report} */
  const { profile, bottleneck } = JSON.parse(
    readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8'),
  );
  assert.ok(profile?.waits && bottleneck, 'the run has samples of waiting requests');
  assert.equal(profile.waits.kinds.find(({ id }) => id === 'lock')?.share.value ?? 0, 0);
  assert.equal(profile.waits.slots, null);
  assert.ok((profile.waits.poolThreads ?? 0) >= 2);
  assert.ok(!['lock', 'pool', 'consumer', 'slots'].includes(bottleneck.id), bottleneck.id);
  for (const { id, inUse, capacity } of bottleneck.resources)
    assert.ok((inUse ?? 0) <= (capacity ?? Infinity), id);
});

test('a deployment’s own middleware of Starlette around an installed application is no place of its statements', {
  skip: needsModules('starlette'),
}, t => {
  const app = [
    'from starlette.applications import Starlette',
    'from starlette.responses import PlainTextResponse',
    'from starlette.routing import Route',
    'from tools import load',
    'async def orders(request):',
    '    await load("orders")  # the line of the view',
    '    return PlainTextResponse("")',
    'app = Starlette(routes=[Route("/orders", orders)])',
  ];
  const middleware = [
    'from starlette.middleware.base import BaseHTTPMiddleware',
    'class Timing(BaseHTTPMiddleware):',
    '    async def dispatch(self, request, call_next):',
    '        return await call_next(request)',
  ];
  const interpreter = findPython(['starlette']);
  for (const kind of ['Timing(app)', 'Timing(Timing(Plain(app)))'])
    assert.deepEqual(
      placesOfAsgi(t, kind, { app, middleware, interpreter }),
      ['orders shop/app.py: await load("orders")  # the line of the view'],
      kind,
    );
});
