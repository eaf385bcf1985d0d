import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';

const TEXTS = path.join(import.meta.dirname, '../calls-text.json');
const FUZZ = path.join(FIXTURES, 'companion_calls_fuzz.py');
const SQLITE = path.join(FIXTURES, 'companion_sqlite_fuzz.py');

test('statements lose values and comments, and the length of their lists; in doubt all but their beginning', () => {
  const program = `
import json, sys
from loadflame_companion import normalise
print(json.dumps([normalise(raw, system) for system, raw, _ in json.load(open(sys.argv[1]))]))`;
  const cases = JSON.parse(readFileSync(TEXTS, 'utf8'));
  const told = python(['-c', program, TEXTS]);
  for (const [index, [system, raw, text]] of cases.entries())
    assert.equal(told[index], text, `${system}: ${raw}`);
});

test('statements of one shape are the same without values, where none of them is in doubt', () => {
  const program = `
import json, sys
from loadflame_companion import SHAPE, normalise, outline_of
glue = ["'", '"', "\\x60", "\\\\", "$", "$1", "-", "--", "/*", "*/", "[", "]", "(", ")", "?", ":a", "%s", ",", "1", "e-5", "'x'", "''", "IN (", ""]
known, shared, outlined, wrong = {}, 0, 0, []
for system, raw, _ in json.load(open(sys.argv[1])):
    for at in range(0, len(raw), 7):
        for one in glue:
            text = raw[:at] + one + raw[at + 1 :]
            key, plain = (system, "?".join(SHAPE.findall(text))), normalise(text, system)
            other, first = known.setdefault(key, (plain, text))
            shared += first != text
            if other != plain and not (plain.endswith("...") or other.endswith("...")):
                wrong.append([text, first])
            outline = outline_of(text)
            if outline is not None:
                other, first = known.setdefault((system, outline, "outline"), (plain, text))
                outlined += first != text
                if other != plain:
                    wrong.append([text, first])
print(json.dumps({"shared": shared, "outlined": outlined, "wrong": wrong}))`;
  const { shared, outlined, wrong } = python(['-c', program, TEXTS]);
  assert.deepEqual(wrong, []);
  assert.ok(shared > 300, `${shared}`);
  assert.ok(outlined > 100, `${outlined}`);
});

test('no secret in a statement or an address reaches the header, even where the statement is broken', () => {
  const { shown, count, example } = python([FUZZ, '1', '1500']);
  assert.deepEqual({ shown, count }, { shown: [], count: 0 });
  assert.match(example, /"text":"GET api\.example:8443\//);
});

test('what SQLite takes for a value although it is in double quotes is never shown', () => {
  const { shown, executed } = python([SQLITE, '1', '1500']);
  assert.deepEqual(shown, []);
  assert.ok(executed > 800, `${executed}`);
});
