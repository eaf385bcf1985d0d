import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a text that differs each time is recalled by its shape, and what cannot be is summed in the end', () => {
  const program = `
import json
import loadflame_companion as companion
read, normalise = [], companion.normalise
companion.normalise = lambda raw, system: read.append(raw) or normalise(raw, system)
calls = {}
def execute(text, times=1500):
    read.clear()
    companion.READ.clear()
    for number in range(times):
        found = companion.find_call("sql", "postgresql", text(number))
        name = None if found is None else found.named
        calls[name] = calls.get(name, 0) + 1
    return len(read)
print(json.dumps([
    execute(lambda number: "SELECT a FROM t WHERE b = 'x%d' AND c = %d" % (number, number)),
    execute(lambda number: "SELECT a FROM t WHERE b IN (%s)" % ", ".join(map(str, range(number % 300 + 1)))),
    execute(lambda number: "INSERT INTO t VALUES %s" % ", ".join(["(%d, 'x')" % number] * (number % 300 + 1))),
    execute(lambda number: "SELECT a FROM t /*traceparent='00-%d'*/" % number),
    len(calls),
    execute(lambda number: "SELECT a FROM t -- %d" % number),
    execute(lambda number: "SELECT a FROM t%d" % number),
    len(calls), calls[None]]))`;
  assert.deepEqual(python(['-c', program]), [1, 1, 2, 1, 4, 200, 200, 205, 1300 + 1300]);
});

test('what Django asks SQLite to show a statement is no statement of the app', () => {
  const program = `
import json
import loadflame_companion as companion
texts = ["SELECT QUOTE(?)", "SELECT QUOTE(?), QUOTE(?)", "SELECT QUOTE(name) FROM t"]
print(json.dumps([companion.find_call("sql", "sqlite", text) is companion.SKIP for text in texts]))`;
  assert.deepEqual(python(['-c', program]), [true, true, false]);
});

test('what begins, ends or sets a transaction is no statement, unless it waits for SQLite’s write lock', () => {
  const control =
    'begin;BEGIN DEFERRED;BEGIN ISOLATION LEVEL SERIALIZABLE;START TRANSACTION;SAVEPOINT a;RELEASE SAVEPOINT a;ROLLBACK TO a;COMMIT;SET TRANSACTION READ ONLY;set session transaction isolation level read committed';
  const counted = 'begin immediate;BEGIN EXCLUSIVE;SET search_path TO a;RELEASED;SELECT 1';
  const program = `
import json
import sys
import loadflame_companion as companion
skipped = lambda text: companion.find_call("sql", "sqlite", text) is companion.SKIP
print(json.dumps([[text for text in one.split(";") if skipped(text)] for one in sys.argv[1:]]))`;
  assert.deepEqual(python(['-c', program, control, counted]), [control.split(';'), []]);
});

test('a function that calls the one it was given is no place: its caller is, also where a library calls it', t => {
  const folder = makeTempFolder(t);
  const files = {
    'site-packages/settings.py': [
      'def read(cache, database, relation):',
      '    return cache.get_or_set("key", lambda: database.execute("SELECT 1 AS " + relation))',
    ],
    'shop/__init__.py': [],
    'shop/cache.py': ['def get_or_set(key, default):', '    return default()'],
    'shop/app.py': [
      'import sqlite3',
      'import settings, loadflame_companion as companion',
      'from . import cache',
      'database = sqlite3.connect(":memory:")',
      'def app(environ, start_response):',
      '    [settings.read(cache, database, "event") for _ in range(6)]  # the line',
      '    start_response("200 OK", [])',
      '    return []',
      'def ask():',
      '    told = []',
      '    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}',
      '    companion.Companion(app, "00000000.1")(environ, lambda _, headers: told.extend(headers))',
      '    print(dict(told)["Loadflame-Calls"])',
    ],
  };
  for (const [name, lines] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), lines.join('\n'));
  }
  const { calls, named } = python(['-c', 'from shop.app import ask\nask()'], {
    PYTHONPATH: `${COMPANION}:${folder}:${folder}/site-packages`,
  });
  assert.deepEqual(
    calls.map((/** @type {any[]} */ [id, n]) => [n, named[id].file, named[id].line]),
    [[6, 'shop/app.py', 6]],
  );
});
