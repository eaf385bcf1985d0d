import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { python } from '../../helpers/companion.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const APP = `
import sqlite3
import jinja2
import loadflame_companion as companion
database = sqlite3.connect(":memory:")
pages = jinja2.Environment(loader=jinja2.PackageLoader("shop"))
def render(name, **values):
    return pages.get_template(name).render(**values)
def app(environ, start_response):
    body = render("list.html", execute=database.execute)
    start_response("200 OK", [])
    return [body.encode()]
def ask():
    told = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
    companion.Companion(app, "00000000.1")(environ, lambda _, headers: told.extend(headers))
    print(dict(told)["Loadflame-Calls"])
`;

test('a statement that a template sends has the line of the template, not that of its compiled code or of the call that renders it', t => {
  for (const name of ['src', 'site-packages']) {
    const folder = path.join(makeTempFolder(t), name);
    mkdirSync(path.join(folder, 'shop/templates'), { recursive: true });
    writeFileSync(path.join(folder, 'shop/__init__.py'), '');
    writeFileSync(path.join(folder, 'shop/app.py'), APP);
    writeFileSync(
      path.join(folder, 'shop/templates/list.html'),
      [
        '<ul>',
        '{% for one in range(6) %}',
        '',
        '  <li>{{ one }}',
        '    {{ execute("SELECT 1") }}',
        '{% endfor %}',
      ].join('\n'),
    );
    const { calls, named } = python(['-c', 'from shop.app import ask\nask()'], {
      PYTHONPATH: `${COMPANION}:${folder}`,
    });
    assert.deepEqual(
      calls.map((/** @type {any[]} */ [id, n]) => [n, named[id].file, named[id].line]),
      [[6, 'shop/templates/list.html', 5]],
    );
  }
});
