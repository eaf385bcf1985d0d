/** `npm run test:slow servers`: what frameworks call the route of a request is what its response names. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readRoute } from '../../lib/load/metrics/server-side.js';
import { startAsgi } from '../helpers/asgi.js';
import { needsModules } from '../helpers/needs.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion/loadflame_companion.py');
const ROUTES = {
  '/posts/archive': '/posts/archive',
  '/posts/hello-world': '/posts/:id',
  '/posts/other-thing?page=2': '/posts/:id',
  '/users/7/notes': '/users/:id/notes',
  '/docs/a/b/c': '/docs/*',
  '/docs/one': '/docs/*',
  '/shop/items/red': '/shop/items/:id',
  '/nothing/here': null,
};
const PAGES = {
  '/': '/*',
  '/posts/archive/': '/posts/archive/',
  '/posts/hello-world/': '/*',
  '/posts/other-thing/': '/*',
};
/** One that only leaves values: the name of a single segment is that of any. */
const VALUES = {
  ...ROUTES,
  '/posts/archive': null,
  '/docs/one': '/docs/:id',
  '/nothing/here': '/nothing/:id',
};

const APPS = [
  { app: 'flask', server: 'gunicorn', modules: ['flask'] },
  { app: 'django', server: 'gunicorn', modules: ['django'] },
  { app: 'falcon', server: 'gunicorn', modules: ['falcon'] },
  { app: 'pyramid', server: 'gunicorn', modules: ['pyramid'] },
  { app: 'wagtail', server: 'gunicorn', modules: ['wagtail'], routes: PAGES },
  { app: 'starlette', server: 'uvicorn', modules: ['starlette'] },
  { app: 'fastapi', server: 'uvicorn', modules: ['fastapi'] },
  { app: 'litestar', server: 'uvicorn', modules: ['litestar'] },
  { app: 'django', server: 'uvicorn', modules: ['django'] },
  { app: 'falcon', server: 'uvicorn', modules: ['falcon'] },
  { app: 'aiohttp', server: 'aiohttp.web', modules: [], args: [] },
  { app: 'other', server: 'uvicorn', modules: [], routes: VALUES },
];

for (const { app, server, modules, routes = ROUTES, ...more } of APPS) {
  const skip = needsModules(server, ...modules);
  test(`responses of ${app} under ${server} name their route`, { skip }, async t => {
    const isWsgi = server === 'gunicorn';
    const { url } = await startAsgi(t, {
      ...{ server, modules },
      args: more.args ?? (isWsgi ? ['-c', COMPANION, '-w', '1'] : ['--factory']),
      app: `route_apps:make_${app}${isWsgi ? '()' : ''}`,
      env: { LOADFLAME: '1', ...(!isWsgi && { ASGI: '1' }) },
    });
    /** @type {Record<string, string | null>} */
    const named = {};
    for (const at of Object.keys(routes)) {
      const response = await fetch(url + at);
      await response.text();
      const timing = response.headers.get('server-timing');
      assert.match(timing ?? '', /companion;desc=/, at);
      named[at] = readRoute(timing);
    }
    assert.deepEqual(named, routes);
    // A path that a worker knows is named by its route from the start.
    const again = await fetch(url + Object.keys(routes)[1]);
    assert.equal(readRoute(again.headers.get('server-timing')), Object.values(routes)[1]);
  });
}
