import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { nameEndpoint } from '../../lib/base/config/endpoint-names.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { COMPANION } from '../helpers/joined-companion.js';
import names from './route-names.json' with { type: 'json' };

const TARGET = 'http://127.0.0.1:5000';

test('the load engine names requests as the table says', () => {
  for (const [method = '', path = '', name] of names) {
    assert.equal(nameEndpoint({ method, url: TARGET + path }, TARGET), name, `${method} ${path}`);
  }
});

test('the companion gives routes the same names', () => {
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from loadflame_companion import *
import loadflame_companion
print(json.dumps([loadflame_companion.name_route(*row[:2]) for row in json.load(sys.stdin)]))`;
  const told = JSON.parse(
    execFileSync(PYTHON, ['-B', '-c', program, COMPANION], {
      input: JSON.stringify(names),
    }).toString(),
  );
  for (const [index, [method, path, name]] of names.entries()) {
    assert.equal(told[index], name, `${method} ${path}`);
  }
});

// What Flask, Django, Starlette, Litestar, Falcon and Pyramid call a route; hostile and broken ones at the end.
const TEMPLATES = {
  '/posts/<slug>': '/posts/:id',
  'users/<int:pk>/notes/': '/users/:id/notes/',
  '/docs/<path:rest>': '/docs/*',
  '/files/<name>.<ext>': '/files/:id.:id',
  '/kinds/<any(a, b):kind>': '/kinds/:id',
  '^((?:[\\w\\-]+/)*)$': '/*',
  'blog/^(?P<slug>[-\\w]+)/$': '/blog/:id/',
  '^posts/(?P<pk>[^/.]+)\\.(?P<format>[a-z0-9]+)/?$': '/posts/:id.:id/',
  '^media/(?P<rest>.*)$': '/media/*',
  '/items/{item_id}': '/items/:id',
  '/items/{item:uuid}/parts': '/items/:id/parts',
  '/docs/{rest:path}': '/docs/*',
  '/years/{year:\\d{4}}/{month}': '/years/:id/:id',
  '/static/*subpath': '/static/*',
  '/café/{name}': '/caf%C3%A9/:id',
  '/a"b\r\nSet-Cookie: x=1/{y}': '/a%22b%0D%0ASet-Cookie:%20x=1/:id',
  [`/${'long/'.repeat(100)}`]: `/${'long/'.repeat(100)}`.slice(0, 200),
  '/{open': '/%7Bopen',
  '^((((': '/((((',
};

test('the routes of frameworks get one form, in characters that a header can have', () => {
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from loadflame_companion import name_template
print(json.dumps([name_template(one) for one in json.load(sys.stdin)]))`;
  const told = execFileSync(PYTHON, ['-B', '-c', program, COMPANION], {
    input: JSON.stringify(Object.keys(TEMPLATES)),
  });
  assert.deepEqual(JSON.parse(told.toString()), Object.values(TEMPLATES));
});

test('an absolute address in a request line is named by its path', () => {
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
from loadflame_companion import name_route
print([name_route("GET", one) for one in ("http://h:1/a/12?b", "http://h", "*")])`;
  assert.equal(
    execFileSync(PYTHON, ['-B', '-c', program, COMPANION]).toString().trim(),
    "['GET /a/:id', 'GET /', 'GET /']",
  );
});

test('clients that make up methods add no names past the limit', () => {
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
from loadflame_companion import MAX_PATHS, MAX_ROUTES, Frames
frames = Frames()
for number in range(15000):
    frames.of_route("M%d" % number, "/")
frames.of_route("GET", "/new")
print(len(frames.by_name) <= MAX_ROUTES + 8, len(frames.by_path) <= MAX_PATHS)
print("GET (other paths)" in frames.by_name, "OTHER (other paths)" in frames.by_name)`;
  assert.equal(
    execFileSync(PYTHON, ['-B', '-c', program, COMPANION]).toString().trim(),
    'True True\nTrue True',
  );
});
