import assert from 'node:assert/strict';
import { python } from '../../helpers/companion.js';
import { test } from '../../helpers/quiet.js';

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
