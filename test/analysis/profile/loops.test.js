/** Loops of the application that most of a path is spent in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCauses } from '../../../lib/analysis/judge/findings/code.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { markLines } from '../../../lib/analysis/profile/mark-lines.js';
import { describeFinding } from '../../../lib/text/findings.js';
import { describePath } from '../../../lib/text/hot-path.js';
import { build, REQUEST, rules } from '../built-profiles.js';

const SOURCE = [
  'def send(message):',
  '    for user in USERS:',
  '        flags = flags_of(user, message)',
  '        for word in user.words:',
  '            count(word, flags)',
  '    return show(titles(USERS), [one.shown(message) for one in USERS])',
];

/** @param {[line: number, called: string, samples: number][]} samples */
function findPath(samples) {
  const rows = [0, 1, 2, 3].flatMap(segment =>
    samples.map(([line, called, count]) => [
      segment,
      2,
      [...REQUEST, `send (/srv/chat/app.py:${line + 11})`, `${called} (/srv/chat/app.py:1)`],
      count,
    ]),
  );
  const profile = build(/** @type {any} */ (rows));
  const source = { function: 'send', file: '/srv/chat/app.py', from: 11, lines: SOURCE };
  const marked = markLines(profile, /** @type {any} */ ([source]), rules);
  const [path] = analyseProfile({ profile: marked, rules }).hotPaths;
  assert.ok(path);
  return path;
}

test('a path has the innermost loop with most of its samples', () => {
  const outer = findPath([
    [2, 'flags_of', 40],
    [4, 'count', 40],
    [5, 'titles', 10],
  ]);
  assert.deepEqual(outer.loop, { file: '/srv/chat/app.py', line: 12, over: 'USERS', part: 8 / 9 });
  const inner = findPath([
    [2, 'flags_of', 20],
    [4, 'count', 80],
  ]);
  assert.deepEqual(inner.loop, { ...outer.loop, line: 14, over: 'user.words', part: 1 });
});

test('a loop without an end is no loop over something', () => {
  const source = { function: 'work', file: '/srv/chat/app.py', from: 11 };
  const listIn = (/** @type {string} */ head) => {
    const rows = [[0, 2, [...REQUEST, 'work (/srv/chat/app.py:13)'], 9]];
    const lines = ['def work():', `    ${head}:`, '        handle(QUEUE.get())'];
    const profile = build(/** @type {any} */ (rows));
    const { frames } = markLines(profile, /** @type {any} */ ([{ ...source, lines }]), rules);
    return frames.at(-1)?.inLoops?.map(({ over }) => over);
  };
  assert.deepEqual(listIn('while True'), []);
  assert.deepEqual(listIn('while not DONE'), []);
  assert.deepEqual(listIn('while QUEUE'), ['']);
  assert.deepEqual(listIn('for at, one in enumerate(ALL[1:])'), ['enumerate(ALL[1:])']);
  assert.deepEqual(listIn(`for at in "${'a'.repeat(60)}"`), ['']);
  assert.deepEqual(listIn('for at in "`\u001b[31m`"'), ['']);
});

test('what a comprehension’s line does beside it is outside of the loop', () => {
  assert.equal(findPath([[5, 'titles', 50]]).loop, null);
  assert.equal(findPath([[5, 'shown', 50]]).loop?.line, 16);
});

test('the sentence of a path quotes the line that works itself, if it has no other than printable characters', () => {
  const said = (/** @type {string} */ text) => {
    const rows = [[0, 2, [...REQUEST, 'send (/srv/chat/app.py:12)'], 50]];
    const source = {
      function: 'send',
      file: '/srv/chat/app.py',
      from: 11,
      lines: ['def send():', text],
    };
    const profile = build(/** @type {any} */ (rows));
    const marked = markLines(profile, /** @type {any} */ ([source]), rules);
    const [path] = analyseProfile({ profile: marked, rules }).hotPaths;
    return path ? describePath(path) : '';
  };
  assert.match(
    said('    total = (total * 31) % 7'),
    /app\.py:12 \(`total = \(total \* 31\) % 7`\)\.$/,
  );
  assert.match(said(`    x = "${'a'.repeat(80)}"`), /app\.py:12 \(`x = "a{55}…`\)\.$/);
  for (const text of ['    x = "`<b>"', '    x = "\u001b[31m"', '    x = "\u202e"'])
    assert.match(said(text), /app\.py:12\.$/, text);
});

/** @param {number} line below 10 @param {string[]} lines of `send` @returns {string} the detail of its cause */
function describeCause(line, lines) {
  const rows = [0, 1, 2, 3, 4, 5].map(segment => [
    segment,
    2,
    [...REQUEST, `send (/srv/chat/app.py:${line + 10})`, 'rates_of (/srv/chat/rates.py:4)'],
    50,
  ]);
  const source = { function: 'send', file: '/srv/chat/app.py', from: 11, lines };
  const marked = markLines(build(/** @type {any} */ (rows)), /** @type {any} */ ([source]), rules);
  const { causes } = analyseProfile({ profile: marked, rules });
  const profile = /** @type {any} */ ({ causes });
  const [found] = findCauses(/** @type {any} */ ({ profile }));
  assert.ok(found);
  return describeFinding(found).detail ?? '';
}

test('a cause quotes the line that leads to it, and names the loop around it', () => {
  assert.match(
    describeCause(2, ['def send(day):', '    return [rates_of(day)[item] for item in ITEMS]']),
    / At \/srv\/chat\/app\.py:12: `return \[rates_of\(day\)\[item\] for item in ITEMS\]`\.$/,
  );
  assert.match(
    describeCause(3, [
      'def send(day):',
      '    for item in ITEMS:',
      '        print(rates_of(day)[item])',
    ]),
    / At \/srv\/chat\/app\.py:13: `print\(rates_of\(day\)\[item\]\)`, in the loop over `ITEMS`\.$/,
  );
});

test('what is slow in a repeated call comes before the repetition', () => {
  const inspect = 'stack (/opt/python3.12/lib/python3.12/inspect.py:1710)';
  const stack = [...REQUEST, 'send (/srv/chat/app.py:13)', 'caller (/srv/chat/app.py:20)', inspect];
  const rows = [0, 1, 2, 3, 4, 5].map(segment => [segment, 2, stack, 50]);
  const lines = ['def send(day):', '    for item in ITEMS:', '        print(caller(day), item)'];
  const source = { function: 'send', file: '/srv/chat/app.py', from: 11, lines };
  const marked = markLines(build(/** @type {any} */ (rows)), /** @type {any} */ ([source]), rules);
  const { causes } = analyseProfile({ profile: marked, rules });
  assert.deepEqual(
    causes.map(({ id, partOf }) => [id, partOf]),
    [
      ['stack-inspection', null],
      ['same-in-each-turn', 'stack-inspection'],
    ],
  );
});

test('the sentence of a path names the loop, and the advice that its time grows', () => {
  const path = findPath([[2, 'flags_of', 40]]);
  assert.match(
    describePath({ ...path, call: null }),
    /; about 100 % of it in the loop over `USERS` at \/srv\/chat\/app\.py:12\./,
  );
  const of = /** @type {const} */ ({ id: 'hot-path', of: null, severity: 'info' });
  assert.match(
    `${describeFinding({ ...of, facts: { path } }).advice}`,
    /^The time of a loop grows/,
  );
  const plain = describeFinding({ ...of, facts: { path: { ...path, loop: null } } });
  assert.doesNotMatch(`${plain.advice}`, /loop/);
});
