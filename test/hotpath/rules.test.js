import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { classifyProfile } from '../../lib/hotpath/classify-profile.js';
import { compileGlob } from '../../lib/hotpath/frame-pattern.js';
import { fitAdvice, loadRules } from '../../lib/hotpath/load-rules.js';
import { parseRaw } from '../helpers/parse-raw.js';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loadflame-rules-'));
});
after(() => rm(folder, { recursive: true }));

/** @param {string} text */
async function load(text) {
  const file = join(folder, 'mine.yaml');
  await writeFile(file, text);
  return loadRules(file);
}

/** @param {import('../../lib/facts/rules.d.ts').Rules} rules @param {string} stack */
function categoryOf(rules, stack) {
  const profile = parseRaw(`${stack} 1\n`);
  const classes = classifyProfile(profile, rules);
  return classes.categories[classes.category[profile.rows.node[0] ?? 0] ?? 0]?.id;
}

test("a user's rules go first and may add a category", async () => {
  const rules = await load(`
categories:
  - {id: pricing, label: pricing, color: '#112233', strength: 65, order: 25}
frames:
  - category: pricing
    files: ['**/prices/**']
`);
  assert.equal(
    categoryOf(rules, 'f (shop/prices/a.py:1);all (sqlalchemy/orm/query.py:2)'),
    'pricing',
  );
  assert.equal(
    categoryOf(rules, 'f (shop/other/a.py:1);all (sqlalchemy/orm/query.py:2)'),
    'database',
  );
  assert.equal([...rules.categories.keys()].indexOf('pricing'), 2);
});

test("a user's entry for a known category changes only what it names", async () => {
  const rules = await load("categories:\n  - {id: auth, label: 'who are you'}\n");
  assert.equal(rules.categories.get('auth')?.label, 'who are you');
  assert.equal(rules.categories.get('auth')?.strength, 80);
});

test("a user's cause takes the place of ours with the same id", async () => {
  const rules = await load(`
causes:
  - id: logging
    title: ours
    phrase: logs
    fix: stop
    frames: [{files: ['logging/**']}]
    explanation: e
    advice: a
`);
  assert.deepEqual(
    rules.causes.filter(({ id }) => id === 'logging').map(({ title }) => title),
    ['ours'],
  );
});

for (const [what, text, message] of /** @type {[string, string, RegExp][]} */ ([
  [
    'an unknown key',
    'frames:\n  - category: auth\n    fils: [x]\n',
    /mine\.yaml:3: frames\[1\]\.fils is not a key/,
  ],
  ['an unknown key at the top', 'frames: []\ncauzes: []\n', /mine\.yaml:2: cauzes is not a key/],
  [
    'a kind that does not exist',
    'frames:\n  - category: auth\n    files: [x]\n    kind: boss\n',
    /mine\.yaml:4: frames\[1\]\.kind is "boss", which is not allowed/,
  ],
  [
    'a category that does not exist',
    'frames:\n  - files: [x]\n    category: bogus\n',
    /mine\.yaml:3: frames\[1\]\.category names "bogus", which is no category/,
  ],
  ['no pattern', 'frames:\n  - category: auth\n', /mine\.yaml:2: frames\[1\] lacks what it needs/],
  ['no category', 'frames:\n  - files: [x]\n', /mine\.yaml:2: frames\[1\] has no category/],
  [
    'text for a list',
    'frames:\n  - category: auth\n    files: x\n',
    /mine\.yaml:3: frames\[1\]\.files is "x", which is not allowed/,
  ],
  [
    'a new category without colour',
    'categories:\n  - {id: x, label: x, strength: 1}\n',
    /mine\.yaml:2: categories\[1\] lacks color/,
  ],
  [
    'a cause without advice',
    'causes:\n  - id: x\n    title: t\n',
    /mine\.yaml:2: causes\[1\] lacks phrase/,
  ],
  [
    'a share above one',
    'causes:\n  - id: x\n    minShare: 5\n    title: t\n    phrase: p\n    fix: f\n    frames: [{files: [x]}]\n    explanation: e\n    advice: a\n',
    /mine\.yaml:3: causes\[1\]\.minShare is 5, which is not allowed/,
  ],
  ['broken YAML', 'frames:\n  - a: [\n', /mine\.yaml:\d+(:\d+)?: the file cannot be read as YAML/],
  ['a list at the top', '- 1\n', /mine\.yaml:1: the file is a list, which is not allowed/],
  [
    'an alias bomb',
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from(
      { length: 8 },
      (_, index) =>
        `b${index}: &b${index} [${Array(10)
          .fill(index ? `*b${index - 1}` : '*a')
          .join(',')}]`,
    ).join('\n')}\n`,
    /mine\.yaml:1:1: the file cannot be read as YAML/,
  ],
])) {
  test(`a rules file with ${what} is refused with its line`, async () => {
    await assert.rejects(load(text), { code: 'RULES_INVALID', message });
  });
}

test('an empty rules file changes nothing', async () => {
  assert.equal((await load('')).frames.length, (await loadRules()).frames.length);
});

test('names a missing rules file', async () => {
  await assert.rejects(loadRules(join(folder, 'nothing.yaml')), {
    code: 'RULES_UNREADABLE',
    message: /nothing\.yaml/,
  });
});

for (const [glob, text, matches] of /** @type {[string, string, boolean][]} */ ([
  ['a/*.py', 'a/b.py', true],
  ['a/*.py', 'a/c/b.py', false],
  ['a/**', 'a/c/b.py', true],
  ['**/b.py', 'b.py', true],
  ['**/b.py', 'a/c/b.py', true],
  ['**/b.py', 'a/xb.py', false],
  ['<frozen importlib*>', '<frozen importlib._bootstrap>', true],
  ['[!_]*', '_x', false],
  ['[!_]*', 'x', true],
  ['a.b', 'axb', false],
  ['a(b', 'a(b', true],
])) {
  test(`the glob ${glob} ${matches ? 'matches' : 'does not match'} ${text}`, () => {
    assert.equal(compileGlob(glob).test(text), matches);
  });
}

test('our causes explain in sentences, their phrases fit into one, and categories differ in colour', async () => {
  const { categories, causes } = await loadRules();
  for (const { advice, explanation, phrase, fix } of causes) {
    for (const text of [advice, explanation]) assert.match(text, /[.)]$/, text);
    for (const text of [phrase, fix]) assert.doesNotMatch(text, /[.:]$/, text);
  }
  assert.equal(new Set([...categories.values()].map(({ color }) => color)).size, categories.size);
});

const LIBRARIES =
  /(?<![\w.-])(?:SQLAlchemy|Django|Flask|python-jose|PyJWT|httpx|requests\.[A-Z]|httplib2|aiohttp|boto3|Celery|gunicorn|RQ)/;
/** All their evidence is of the library that they name. */
const OF_ONE_LIBRARY = ['statement-compilation', 'access-log', 'import-per-job'];

test('a cause names a library only where frames of that are in the stacks', async () => {
  const rules = await loadRules();
  for (const { id, title, phrase, fix, explanation, advice } of rules.causes)
    if (!OF_ONE_LIBRARY.includes(id))
      assert.doesNotMatch([title, phrase, fix, explanation, advice].join(' '), LIBRARIES, id);
  const adviceWith = (/** @type {string} */ frame) =>
    fitAdvice(rules, parseRaw(`${frame} 1\n`)).causes.find(({ id }) => id === 'lazy-loading');
  assert.match(adviceWith('get (django/db/models/query.py:1)')?.fix ?? '', /select_related/);
  assert.match(adviceWith('all (sqlalchemy/orm/query.py:1)')?.advice ?? '', /\. SQLAlchemy has/);
});
