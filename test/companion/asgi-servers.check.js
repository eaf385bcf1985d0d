/** `npm run test:slow servers`: the companion under each ASGI server, and in Django. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startAsgi, TIMING, timingOf } from '../helpers/asgi.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SERVERS = [
  { server: 'uvicorn', args: ['--workers', '2', '--loop', 'asyncio', '--http', 'h11'] },
  { server: 'hypercorn' },
  { server: 'granian' },
  { server: 'gunicorn', args: ['-k', 'uvicorn_worker.UvicornWorker'], modules: ['uvicorn_worker'] },
  { server: 'gunicorn', args: ['-k', 'asgi'] },
];
for (const { server, args = [], modules = [] } of SERVERS) {
  const title = `the line in the app is enough under ${[server, ...args].join(' ')}`;
  test(title, { skip: needsModules(server, 'fastapi', ...modules) }, async t => {
    const { url } = await startAsgi(t, { server, args, modules: ['fastapi', ...modules] });
    const { timing, body } = await timingOf(`${url}/pid`);
    assert.equal(TIMING.exec(timing)?.[6], body);
    await timingOf(`${url}/plain/0`);
    assert.ok(Number((await timingOf(`${url}/plain/20`)).cpuMs) >= 20);
  });
}

test('gunicorn’s configuration wraps the app of a uvicorn worker, once', {
  skip: needsModules('gunicorn', 'uvicorn_worker', 'fastapi'),
}, async t => {
  const config = path.join(makeTempFolder(t), 'gunicorn.conf.py');
  writeFileSync(config, 'import loadflame_companion\n');
  const args = ['-c', config, '-k', 'uvicorn_worker.UvicornWorker'];
  const modules = ['fastapi', 'uvicorn_worker'];
  for (const app of ['companion_asgi:app', 'companion_asgi:bare']) {
    const { url } = await startAsgi(t, { server: 'gunicorn', args, modules, app });
    assert.match((await timingOf(`${url}/pid`)).timing, TIMING);
  }
});

test('Django’s views are measured, those in its thread, too', {
  skip: needsModules('uvicorn', 'django'),
}, async t => {
  const { url } = await startAsgi(t, { app: 'companion_django:app', modules: ['django'] });
  for (const name of ['plain', 'awaits']) {
    await timingOf(`${url}/${name}/0`);
    const { cpuMs, body } = await timingOf(`${url}/${name}/40`);
    assert.equal(body, 'ok');
    assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < 50, `${name}: ${cpuMs} ms of CPU`);
  }
});
