/** The companion's modules, and the one file that is made of them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { joinCompanion } from '../../lib/cli/commands/companion.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');

/** @param {string} program */
const python = program =>
  execFileSync(PYTHON, ['-B', '-c', program], { cwd: COMPANION, maxBuffer: 2 ** 24 }).toString();

test('what runs in a clone is what `loadflame companion` copies', () => {
  const program = 'import loadflame_companion as own; print(own.join_modules(), end="")';
  assert.equal(python(program), joinCompanion());
});

test('modules.txt lists each module once', () => {
  const names = readFileSync(path.join(COMPANION, 'modules.txt'), 'utf8').trim().split('\n');
  const files = globSync('**/*.py', { cwd: path.join(COMPANION, 'loadflame') });
  assert.deepEqual(names.map(name => `${name}.py`).toSorted(), files.toSorted());
});

test('tracebacks of a clone show lines of the joined file', () => {
  const program = `
import linecache, loadflame_companion as own
line = own.normalise.__code__.co_firstlineno
print(linecache.getline(own.normalise.__code__.co_filename, line), end="")`;
  assert.equal(python(program), 'def normalise(raw, system):\n');
});

// A name that another module defines is found in the joined file without its import, and in a module alone is not.
test('each module imports what it uses, from modules before it only', () => {
  const program = `
import builtins, dis, importlib, json, re, sys, types
def read_globals(code, own):
    made = {one.argval for one in dis.get_instructions(code) if one.opname == "STORE_NAME"}
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and one.argval not in made:
            if not hasattr(builtins, one.argval) and one.argval not in own:
                yield one.argval
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from read_globals(one, own)
before, problems = set(), []
for name in open("modules.txt").read().split():
    path = "loadflame/%s.py" % name
    module = importlib.import_module("loadflame." + name.replace("/", "."))
    text = open(path).read()
    problems += [[name, used] for used in read_globals(compile(text, path, "exec"), set(vars(module)))]
    imported = re.findall(r"^from (\\.+)([\\w.]+) import", text, re.MULTILINE)
    for dots, other in imported:
        folder = name.split("/")[:-1][: -len(dots) + 1 or None]
        if "/".join([*folder, *other.split(".")]) not in before:
            problems.append([name, other])
    unused = [one for line in re.findall(r"^from \\.[\\w.]+ import (.*)", text, re.MULTILINE)
        for one in line.split(", ") if len(re.findall(r"\\b%s\\b" % one, text)) < 2]
    problems += [[name, "unused", one] for one in unused]
    before.add(name)
print(json.dumps(problems))`;
  assert.deepEqual(JSON.parse(python(program)), []);
});

test('no module defines a name that another one has: in the joined file both would be one', () => {
  const program = `
import ast, json
known, twice = {}, []
for name in open("modules.txt").read().split():
    body = ast.parse(open("loadflame/%s.py" % name).read()).body
    made = [one for part in body if type(part) in (ast.Assign, ast.AnnAssign, ast.AugAssign) for one in ast.walk(part)]
    names = {one.id for one in made if type(one) is ast.Name and type(one.ctx) is ast.Store}
    names |= {part.name for part in body if hasattr(part, "name")}
    twice += [[one, known[one], name] for one in sorted(names & known.keys())]
    known.update(dict.fromkeys(names, name))
print(json.dumps(twice))`;
  assert.deepEqual(JSON.parse(python(program)), []);
});
