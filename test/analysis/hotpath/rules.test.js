import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { compileGlob } from '../../../lib/analysis/hotpath/frame-pattern.js';
import { identifyFrame } from '../../../lib/analysis/hotpath/identify-frame.js';
import { fitAdvice, loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { parseRaw } from '../../helpers/parse-raw.js';

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

/** @param {import('../../../lib/run/facts/rules.d.ts').Rules} rules @param {string} stack */
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

test('frames that `except` names match no rule, whatever kind of rule it is', async () => {
  const rules = await load(`
frames:
  - {category: auth, files: ['**/shop/**'], except: [{functions: ['price*']}]}
waiting:
  - {id: rest, title: a rest, functions: ['rest*'], except: [{files: ['**/shop/**']}]}
`);
  assert.equal(categoryOf(rules, 'login (shop/a.py:1)'), 'auth');
  assert.equal(categoryOf(rules, 'price_of (shop/a.py:1)'), 'business');
  const [own] = rules.waiting;
  const identify = (/** @type {string} */ file) =>
    identifyFrame({ name: 'rest', file, line: 1 }, rules);
  assert.ok(own?.matches(identify('pool/a.py')) && !own.matches(identify('shop/a.py')));
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
    /mine\.yaml:3: invalid rules file: frames\[1\]\.fils is not a key/,
  ],
  [
    'an unknown key at the top',
    'frames: []\ncauzes: []\n',
    /mine\.yaml:2: invalid rules file: cauzes is not a key/,
  ],
  [
    'a kind that does not exist',
    'frames:\n  - category: auth\n    files: [x]\n    kind: boss\n',
    /mine\.yaml:4: invalid rules file: frames\[1\]\.kind is "boss", which is not allowed/,
  ],
  [
    'a category that does not exist',
    'frames:\n  - files: [x]\n    category: bogus\n',
    /mine\.yaml:3: invalid rules file: frames\[1\]\.category names "bogus", which is no category/,
  ],
  [
    'no pattern',
    'frames:\n  - category: auth\n',
    /mine\.yaml:2: invalid rules file: frames\[1\] lacks what it needs/,
  ],
  [
    'no category',
    'frames:\n  - files: [x]\n',
    /mine\.yaml:2: invalid rules file: frames\[1\] has no category/,
  ],
  [
    'text for a list',
    'frames:\n  - category: auth\n    files: x\n',
    /mine\.yaml:3: invalid rules file: frames\[1\]\.files is "x", which is not allowed/,
  ],
  [
    'a new category without colour',
    'categories:\n  - {id: x, label: x, strength: 1}\n',
    /mine\.yaml:2: invalid rules file: categories\[1\] lacks color/,
  ],
  [
    'a cause without advice',
    'causes:\n  - id: x\n    title: t\n',
    /mine\.yaml:2: invalid rules file: causes\[1\] lacks phrase/,
  ],
  [
    'a share above one',
    'causes:\n  - id: x\n    minShare: 5\n    title: t\n    phrase: p\n    fix: f\n    frames: [{files: [x]}]\n    explanation: e\n    advice: a\n',
    /mine\.yaml:3: invalid rules file: causes\[1\]\.minShare is 5, which is not allowed/,
  ],
  [
    'broken YAML',
    'frames:\n  - a: [\n',
    /mine\.yaml:\d+(:\d+)?: invalid rules file: the file cannot be read as YAML/,
  ],
  [
    'a list at the top',
    '- 1\n',
    /mine\.yaml:1: invalid rules file: the file is a list, which is not allowed/,
  ],
  [
    'an alias bomb',
    `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from(
      { length: 8 },
      (_, index) =>
        `b${index}: &b${index} [${Array(10)
          .fill(index ? `*b${index - 1}` : '*a')
          .join(',')}]`,
    ).join('\n')}\n`,
    /mine\.yaml:1:1: invalid rules file: the file cannot be read as YAML/,
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

test('a remark about less than a twentieth of the CPU is no cause', async () => {
  const { causes } = await loadRules();
  const small = causes.filter(
    own => own.inRequest && own.severity === 'info' && own.minShare < 0.05,
  );
  // It also marks the endpoints whose requests hand over tasks.
  assert.deepEqual(
    small.map(({ id }) => id),
    ['task-handed-over'],
  );
});

const LIBRARIES =
  /(?<![\w.-])(?:SQLAlchemy|Django|Flask|python-jose|PyJWT|httpx|requests\.[A-Z]|httplib2|aiohttp|boto3|Celery|gunicorn|RQ)/;
/** All their evidence is of the library that they name. */
const OF_ONE_LIBRARY = ['statement-compilation', 'statement-text', 'access-log', 'import-per-job'];

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

test('advice names the class of a client that is in the stacks, and none where that is not known', async () => {
  const rules = await loadRules();
  const adviceWith = (/** @type {string} */ stack) =>
    fitAdvice(rules, parseRaw(`${stack} 1\n`)).causes.find(
      ({ id }) => id === 'tls-context-per-request',
    )?.advice ?? '';
  const file = '(httpx/_client.py:1402)';
  const [awaited, plain, unknown] = ['AsyncClient.__init__', 'Client.__init__', '__init__'].map(
    name => adviceWith(`view (shop/app.py:1);${name} ${file}`),
  );
  assert.match(awaited ?? '', /`httpx\.AsyncClient`/);
  assert.doesNotMatch(awaited ?? '', /`httpx\.Client`/);
  assert.match(plain ?? '', /`httpx\.Client`/);
  assert.doesNotMatch(plain ?? '', /AsyncClient/);
  assert.match(unknown ?? '', /`httpx\.get`/);
  assert.doesNotMatch(unknown ?? '', /httpx\.\w*Client/);
  assert.doesNotMatch(adviceWith('Client.__init__ (shop/httpx_client.py:1)'), /httpx/);
});

test('a pool in the stacks is not advised as a remedy, and a hash of random keys is not to be made at log-in', async () => {
  const rules = await loadRules();
  const fixWith = (/** @type {string} */ frame, id = 'database-connection-per-request') =>
    fitAdvice(rules, parseRaw(`view (shop/app.py:1);${frame} 1\n`)).causes.find(
      cause => cause.id === id,
    )?.fix ?? '';
  assert.match(
    fixWith('QueuePool._do_get (sqlalchemy/pool/impl.py:170)'),
    /^let its pool keep more/,
  );
  assert.match(fixWith('NullPool._do_get (sqlalchemy/pool/impl.py:350)'), /^use a connection pool/);
  assert.match(
    fixWith('checkpw (bcrypt/__init__.py:3)', 'password-hash-per-request'),
    /random keys with SHA-256/,
  );
});
