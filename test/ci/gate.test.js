/** The comment of a gate, from facts that a stranger wrote. */
import assert from 'node:assert/strict';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { parse } from '@textlint/markdown-to-ast';
import { FILE, readGate, renderGate } from '../../ci/gate.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';
import { judge, makeTries } from '../helpers/tries.js';

const RUN = 'https://github.example/shop/api/actions/runs/88';
const BASE = {
  schema: 'loadflame-gate/1',
  exitCode: 5,
  base: 'a1b2c3d4e5f6',
  head: 'f6e5d4c3b2a1',
};
/** What becomes markup on GitHub or GitLab unless it is escaped. */
const TRICKS = [
  '![x](https://evil.test/i.png) <img src=x> <https://evil.test> [x](https://evil.test) https://evil.test',
  'closes #1, fixes shop/api#2, GH-3, !4, see 0123456789abcdef, @team, a@evil.test, www.evil.test, ~bug',
  '&#64;team &lt;b&gt; &#x40;team closes &#35;1 <!-- x --> <details><summary>',
  'a\r# head\r\n## head\r\r/merge\n/close\n```\n~~~\n<script>\u2028# head\u2029# head\u0085# head',
  '`@team` `` `a`` @team` \\`@team\\` | @team | `|` @team `',
  '\u202eevil\u2066\u200f @\u200bteam \u200b@team #\u200b1\u001b[31m\u001b]8;;https://evil.test\u0007',
  '/merge',
  '- [ ] @team\n1. x\n> y\n=====\n---\n***',
];

/** @type {any} */
let facts;
const untilEnd = endWithFile();
before(async () => {
  const { slow } = await makeTries(untilEnd);
  const comparison = await judge(slow);
  const [warning] = [{ id: 'partial-runs', severity: 'warn', facts: { runs: ['run-1'] } }];
  const script = {
    id: 'other-script',
    severity: 'bad',
    facts: { values: [{ name: 'a', sha256: 'b' }] },
  };
  facts = {
    ...BASE,
    output: '',
    comparison: {
      ...comparison,
      warnings: [warning, script],
      differences: [{ of: 'setting', name: 'PROFILER', before: 'none', after: 'auto' }],
      flame: { unit: 'ms' },
      thresholds: [],
    },
  };
});

/** Writes facts and reads them as the second job does. @param {import('node:test').TestContext} t @param {unknown} written */
function read(t, written) {
  const folder = makeTempFolder(t);
  writeFileSync(
    path.join(folder, FILE),
    typeof written === 'string' ? written : JSON.stringify(written),
  );
  return readGate(folder);
}

/** @param {string} markdown */
function assertHarmless(markdown) {
  /** @type {any[]} */
  const nodes = [];
  const visit = (/** @type {any} */ node) => {
    nodes.push(node);
    node.children?.forEach(visit);
  };
  visit(parse(markdown));
  const links = nodes.filter(({ type }) => /Link|Image|Html|Reference|Definition/i.test(type));
  assert.deepEqual(
    links.map(({ type, url }) => `${type} ${url}`),
    [`Link ${RUN}`],
  );
  for (const { type, value, children } of nodes) {
    if (type === 'Header')
      assert.match(
        children[0].value,
        /^(?:❌ Head|❌ Branch|Decision|Caveats|Endpoints|The database|Why runs|Environment|✅|⚠️|❔|❌|Thresholds|Predicted)/,
      );
    // What GitHub and GitLab find in the finished text, outside of code.
    if (type === 'Str' && value !== '')
      assert.doesNotMatch(
        value,
        /@\w|[#!%&$]\d|[~%]["\w]|\b[A-Z]{2,}-\d|:\/\/|[wW]{3}\.|(?<![a-z0-9])(?=.{0,64}[a-f])[0-9a-f]{7,}(?![a-z0-9])/,
      );
  }
  assert.doesNotMatch(markdown, /[\p{Cc}--\n]|\p{Bidi_Control}/v);
  // GitLab executes such lines, also where a block of code seems to end.
  assert.doesNotMatch(markdown, /^\/\w/m);
}

/**
 * The places of all texts and numbers, once for each place in lists.
 * @param {any} value @param {(string | number)[]} [at] @returns {(string | number)[][]}
 */
function listPlaces(value, at = []) {
  if (value === null || typeof value !== 'object') return [at];
  if (Array.isArray(value)) return value.length > 0 ? listPlaces(value[0], [...at, 0]) : [];
  return Object.entries(value).flatMap(([key, own]) => listPlaces(own, [...at, key]));
}

/** @param {any} value @param {(string | number)[]} at @param {unknown} put */
function replaceAt(value, at, put) {
  const copy = structuredClone(value);
  let place = copy;
  for (const key of at.slice(0, -1)) place = place[key];
  place[at.at(-1) ?? ''] = put;
  return copy;
}

/**
 * @param {import('node:test').TestContext} t @param {unknown} written
 * @returns {string | null} null: refused by name
 */
function render(t, written) {
  try {
    return renderGate(read(t, written), RUN);
  } catch (error) {
    assert.match(/** @type {Error} */ (error).message, /^(?:gate\.json: |its schema is )/);
    return null;
  }
}

test('the comment has the decision, the commits and the way to the artifact', t => {
  const markdown = renderGate(read(t, facts), RUN);
  assert.match(markdown, /^### ❌ Branch is worse than main: p95 \+\d/);
  assert.match(markdown, /noise: in 12 min this machine shows changes of CPU per request from 7 %/);
  assert.match(markdown, /most changed endpoint: GET \/a/);
  assert.ok(markdown.includes('`a1b2c3d4e5` → `f6e5d4c3b2`. The artifact of [this run]'));
  assertHarmless(markdown);
});

test('no text in the facts becomes a heading, image, link, mention, reference or command', t => {
  const places = listPlaces(facts).filter(at => render(t, replaceAt(facts, at, 'plain text')));
  assert.ok(places.length > 15, `${places.length} places take any text`);
  for (const trick of TRICKS) {
    const all = places.reduce((value, at) => replaceAt(value, at, trick), facts);
    for (const written of [all, { ...BASE, comparison: null, output: `${trick}\n${trick}` }])
      assertHarmless(render(t, written) ?? assert.fail(trick));
  }
});

test('facts of another type are refused by name, or shown', t => {
  const others = ['x', null, 1e300, -1, [], {}, true, '__proto__'];
  // Two of them in each place are enough for a second or two.
  const refused = listPlaces(facts).flatMap((at, index) =>
    [0, 3].filter(more => {
      const put = others[(index + more) % others.length];
      return render(t, replaceAt(facts, at, put)) === null;
    }),
  );
  assert.ok(refused.length > 100, `${refused.length} refused`);
  const without = { ...facts, comparison: { ...facts.comparison, measures: [] } };
  assert.throws(
    () => renderGate(read(t, without), RUN),
    /^Error: gate\.json: its parts contradict/,
  );
});

test('refuses what is no JSON, of another version, too large, or a link', t => {
  const cases = /** @type {[unknown, RegExp][]} */ ([
    ['{', /JSON/],
    ['null', /its schema is missing/],
    [{ ...facts, schema: 'loadflame-gate/2' }, /its schema is "loadflame-gate\/2", not/],
    [{ ...facts, comparison: { ...facts.comparison, changes: {} } }, /^gate\.json: comparison/],
    ['['.repeat(100_000), /nested/],
  ]);
  for (const [written, message] of cases) assert.throws(() => read(t, written), { message });
  const folder = makeTempFolder(t);
  assert.throws(() => readGate(folder), { message: 'there is no gate.json' });
  const file = path.join(folder, FILE);
  writeFileSync(file, '');
  truncateSync(file, 20 * 2 ** 20);
  assert.throws(() => readGate(folder), { message: 'it has 20 MB, and 8 at most are read' });
  const linked = makeTempFolder(t);
  symlinkSync('/proc/self/environ', path.join(linked, FILE));
  assert.throws(() => readGate(linked), { message: 'gate.json is not a regular file' });
});

test('a long comment ends after a whole line', t => {
  const name = '`@team '.repeat(300);
  const differences = Array.from({ length: 8 }, () => ({
    of: 'package',
    name,
    before: name.repeat(2),
    after: name.repeat(2),
  }));
  const long = { ...facts, comparison: { ...facts.comparison, differences } };
  const markdown = renderGate(read(t, long), RUN);
  assert.ok(markdown.length < 65_536);
  assert.match(markdown, /\n… \(the artifact has the rest\)\n/);
  assertHarmless(markdown);
  const output = `${'x'.repeat(100_000)}\n`.repeat(50);
  assert.ok(renderGate({ ...facts, comparison: null, output }, RUN).length < 10_000);
});
