/** Installed applications behind a deployment’s own file, and the places of their statements. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { python } from './companion.js';
import { COMPANION } from './joined-companion.js';
import { makeTempFolder } from './temp-folder.js';

/**
 * Run a program that prints what responses report.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files by their path in a folder that is beside Python's path, or in it
 * @param {string[]} program
 * @param {string} [interpreter]
 * @returns places of statements: text, file and source line
 */
export function placesOf(t, files, program, interpreter) {
  const folder = makeTempFolder(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const sources = Object.entries(files);
  const PYTHONPATH = [COMPANION, folder, path.join(folder, 'site-packages')].join(':');
  const told = python(['-c', program.join('\n')], { PYTHONPATH }, interpreter);
  return told
    .flatMap((/** @type {any} */ { calls, late, named = {} }) =>
      [...calls, ...late[1]].flatMap(([id]) => named[id] ?? []),
    )
    .filter((/** @type {any} */ { kind }) => kind === 'sql')
    .map((/** @type {any} */ { text, file, line }) => {
      const [, source = ''] = sources.find(([name]) => file && name.endsWith(file)) ?? [];
      return `${text.split(' ').at(-1)} ${file}: ${source.split('\n')[line - 1]?.trim()}`;
    })
    .sort();
}

/** What an installed application is made of, without a framework. */
const PLAIN_APP = [
  'from tools import load',
  'async def app(scope, receive, send):',
  '    if scope["path"] == "/orders":',
  '        await load("orders")  # the line of the view',
  '    await send({"type": "http.response.start", "status": 200, "headers": []})',
  '    await send({"type": "http.response.body"})',
];
const TOOLS = [
  'import sqlite3',
  'database = sqlite3.connect(":memory:")',
  'async def load(name):',
  '    database.execute("SELECT 1 AS " + name)  # the line of a library',
];
const ASGI = `
import anyio, asyncio
from shop.app import app
from tools import load
class Limited:
    def __init__(self, app):
        self.app = app
    async def __call__(self, scope, receive, send):
        if scope["path"] == "/own":
            await asyncio.gather(load("own"))  # the deployment’s own work
        await asyncio.create_task(self.app(scope, receive, send))
class Plain(Limited):
    async def __call__(self, scope, receive, send):
        return await self.app({**scope}, receive, send)
class Grouped(Limited):
    async def __call__(self, scope, receive, send):
        async with anyio.create_task_group() as group:
            group.start_soon(self.app, scope, receive, send)

`;
const ASK_ASGI = [
  'import asyncio, loadflame_companion as companion',
  'from asgi import application',
  'async def ask(path):',
  '    async def send(message):',
  '        told.append(dict(message.get("headers", {})).get(b"loadflame-calls"))',
  '    async def receive():',
  '        return {"type": "http.request", "body": b"", "more_body": False}',
  '    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [], "client": ("127.0.0.1", 1)}',
  '    await companion.wrap(application)(scope, receive, send)',
  'told = []',
  'for path in ("/orders", "/own"):',
  '    asyncio.run(ask(path))',
  'print("[%s]" % ",".join(value.decode() for value in told if value))',
];

/**
 * @param {import('node:test').TestContext} t
 * @param {string} kind the application with its middleware
 * @param {object} [more]
 * @param {string[]} [more.app] the installed application
 * @param {string[]} [more.middleware] of the deployment
 * @param {string} [more.interpreter]
 */
export function placesOfAsgi(t, kind, { app = PLAIN_APP, middleware = [], interpreter } = {}) {
  const files = {
    'asgi.py': [ASGI, ...middleware, `application = ${kind}`].join('\n'),
    'site-packages/tools.py': TOOLS.join('\n'),
    'site-packages/shop/__init__.py': '',
    'site-packages/shop/app.py': app.join('\n'),
  };
  return placesOf(t, files, ASK_ASGI, interpreter);
}
