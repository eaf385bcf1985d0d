import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { readPythonFunctions, redactPython } from '../../../lib/record/profiler/python-source.js';

const { redactText } = createRedactor(['knownS3cretValue']);
const R = '[redacted]';

/** @type {[behaviour: string, source: string, clean: string][]} */
const CASES = [
  ['a value that has a secret name', `SECRET_KEY = 'abc'`, `SECRET_KEY = '${R}'`],
  ['one with a type', `password: str = "abc"`, `password: str = "${R}"`],
  ['a default argument', `def f(token="abc", size="big"):`, `def f(token="${R}", size="big"):`],
  ['a number', `pin = 123456`, `pin = ${R}`],
  ['a field', `{"user": "bob", "password": "abc"}`, `{"user": "bob", "password": "${R}"}`],
  ['a subscript that is set', `h["api_key"] = "abc"`, `h["api_key"] = "${R}"`],
  ['what a name is compared with', `if token == "abc":`, `if token == "${R}":`],
  ['what is handed over with a name', `check(token, "abc")`, `check(token, "${R}")`],
  ['a default of the environment', `get("API_TOKEN", "abc")`, `get("API_TOKEN", "${R}")`],
  ['all parts of a text', `secret = ("ab"\n  "cd")`, `secret = ("${R}"\n  "${R}")`],
  ['all values of a list', `TOKENS = ["ab", "cd"]`, `TOKENS = ["${R}", "${R}"]`],
  ['bytes', `signing_key = b"abc"`, `signing_key = b"${R}"`],
  ['a user in an address', `u = "postgresql://bob:pw@db/x"`, `u = "postgresql://${R}@db/x"`],
  ['a value that a run knows', `x = f("knownS3cretValue")`, `x = f("${R}")`],
  ['a comment', `x = 1  # password: abc`, `x = 1  # password: ${R}`],
  ['what no word looks like', `f("sk9Live4T5y6U7i8O9pQwErTyU")`, `f("${R}")`],
  [
    'a key in several lines, whose number stays',
    `k = """-----BEGIN PRIVATE KEY-----\nAAAA\n"""\nx = 1`,
    `k = """${R}\n\n"""\nx = 1`,
  ],
];
for (const [behaviour, source, clean] of CASES)
  test(`takes out ${behaviour}`, () => assert.equal(redactPython(source, redactText), clean));

test('leaves names, code and plain texts as they are', () => {
  const source = `
password = request.json["password"]
token = headers["Authorization"].removeprefix("x-")
rows = db.execute("select id from users where name = :name")
return {"n": 12345, "state": "CA"}`;
  assert.equal(redactPython(source, redactText), source);
});

test('finds functions with their decorators, classes and what they are nested in', () => {
  const source = `import os
class Item:
    size = 1
    @app.get("/items")
    @cached
    def get(self):
        sql = """select
        1"""
        return sql

    async def put(self): ...

def create_app():
    def view():
        return 1
    return view
`;
  const found = readPythonFunctions(source, redactText);
  assert.deepEqual(
    found.map(({ function: name, from, lines }) => [name, from, from + lines.length - 1]),
    [
      ['Item.get', 4, 9],
      ['Item.put', 11, 11],
      ['create_app.view', 14, 15],
      ['create_app', 13, 16],
    ],
  );
  assert.equal(found[0]?.lines[0], '    @app.get("/items")');
});

test('is bounded by lines of a function and characters of a line', () => {
  const source = `def f():\n    x = '${'a'.repeat(9000)}'\n${'    y = 1\n'.repeat(2000)}`;
  const [own] = readPythonFunctions(source, redactText);
  assert.equal(own?.lines.length, 1000);
  assert.equal(Math.max(...(own?.lines.map(({ length }) => length) ?? [])), 300);
});

test('takes no longer for a line of blanks', () => {
  const source = `x = a:${' '.repeat(190)}"v"\n`.repeat(2000);
  const { user } = process.cpuUsage();
  redactPython(source, redactText);
  // 12 s, once.
  assert.ok(process.cpuUsage().user - user < 3e6);
});
