/** Which functions are said to do the same work in each request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSameCalls, findSameWork } from '../../../../lib/analysis/judge/findings/same-work.js';
import { createRecordCheck } from '../../../../lib/run/folder-shapes.js';

const SHARE = { value: 0.6, low: 0.5, high: 0.7 };
const VIEW = { function: 'show', file: 'app.py', line: 40 };

/**
 * @param {string} source of the function
 * @param {{name?: string, frame?: string, entry?: string, hasCaller?: boolean, hasRows?: boolean, part?: number, isCut?: boolean}} [more]
 */
function find(source, more = {}) {
  const { name = 'make', frame = name, entry = 'show', part = 0.9, isCut = false } = more;
  const lines = source.split('\n').map(text => ({ text }));
  const heaviest = [
    { function: entry, file: 'app.py', total: SHARE },
    { function: frame, file: 'app.py', total: { ...SHARE, value: SHARE.value * part } },
  ];
  const path = {
    ...{ share: SHARE, heaviest, entry: { ...VIEW, function: entry } },
    caller: more.hasCaller ? VIEW : null,
  };
  const lineCount = lines.length + Number(isCut);
  const sources = [{ function: name, file: 'app.py', line: 3, lines, lineCount }];
  const found = findSameWork(
    /** @type {any} */ (path),
    /** @type {any} */ (sources),
    more.hasRows ?? false,
  );
  return found && `${found.function}:${found.line}${found.isMethod ? ' of an object' : ''}`;
}

const PLAIN = 'def make():\n    return sorted(ROOT)';
const METHOD = '    def to_dict(self):\n        return {"id": self.id}';

test('a function without arguments, and a method with nothing but its object, may do the same work each time', () => {
  assert.equal(find(PLAIN), 'make:3');
  assert.equal(find(METHOD, { name: 'State.to_dict' }), 'State.to_dict:3 of an object');
  assert.equal(
    find(METHOD, { name: 'State.to_dict', frame: 'to_dict' }),
    'State.to_dict:3 of an object',
  );
  assert.equal(
    find(`    @property\n${METHOD}`, { name: 'State.to_dict' }),
    'State.to_dict:3 of an object',
  );
  assert.equal(find(PLAIN, { entry: 'make', hasCaller: true }), 'make:3');
});

test('what may differ between requests is no same work', () => {
  for (const body of [
    'return request.args',
    'return sorted(g.items)',
    'return time.time()',
    'yield 1\n    return 2',
    'global COUNT\n    return COUNT',
    'return session.get(User)',
    'self.count += 1\n    return self.count',
    'print(1)',
    'return',
  ])
    assert.equal(find(`def make(self):\n    ${body}`), null, body);
  for (const source of [
    'def make(item):\n    return item',
    'def make(self, item=None):\n    return item',
    'async def make():\n    return await load()',
    '@app.get("/")\ndef make():\n    return sorted(ROOT)',
  ])
    assert.equal(find(source), null, source);
});

test('neither a view, rows of a database, a small part of the path nor a source that is cut shows it', () => {
  assert.equal(find(PLAIN, { entry: 'make' }), null);
  assert.equal(find(METHOD, { name: 'Order.to_dict', hasRows: true }), null);
  assert.equal(find(PLAIN, { hasRows: true }), 'make:3');
  assert.equal(find(PLAIN, { part: 0.4 }), null);
  assert.equal(find(PLAIN, { isCut: true }), null);
});

test('a source from outside takes linear time', () => {
  const startMs = performance.now();
  for (const text of [' ', '@property ', 'self.a', 'def make(', 'return '])
    assert.equal(find(`def make(x):\n${text.repeat(200_000)}`), null);
  for (const text of ['return ', 'self.aaaaaa', ' ']) find(`def make():\n${text.repeat(200_000)}`);
  assert.ok(performance.now() - startMs < 5000);
});

/** @param {any[][]} lines @param {number} [share] */
function findCalls(lines, share = 0.4) {
  const heaviest = [
    { function: 'load', file: 'app.py', line: 3, total: { ...SHARE, value: share } },
  ];
  const profile = { hotPaths: [{ heaviest }], sameWork: { requests: 50, lines } };
  const found = findSameCalls(/** @type {any} */ ({ profile }));
  return found.flatMap(({ facts }) => /** @type {any} */ (facts).lines);
}

test('calls that repeat arguments and results are the same work, if the function takes much of the CPU', () => {
  const line = ['app.py', 'load', 'app.py', 9, 100, 2, 98, 0, 0];
  const [first] = findCalls([line]);
  assert.deepEqual([first.share, first.caller.line, first.kinds, first.same], [0.4, 9, 2, 98]);
  assert.equal(findCalls([['app.py', 'load', 'app.py', 9, 100, 2, 0, 0, 98]]).length, 1);
  for (const [text, other] of /** @type {[string, any[]][]} */ ([
    ['few calls', ['app.py', 'load', 'app.py', 9, 9, 1, 8, 0, 0]],
    ['mostly new arguments', ['app.py', 'load', 'app.py', 9, 100, 60, 40, 0, 0]],
    ['another result', ['app.py', 'load', 'app.py', 9, 100, 2, 97, 1, 0]],
    ['not compared', ['app.py', 'load', 'app.py', 9, 100, 0, 0, 0, 0]],
    ['another function', ['app.py', 'save', 'app.py', 9, 100, 2, 98, 0, 0]],
  ]))
    assert.equal(findCalls([other]).length, 0, text);
  assert.equal(findCalls([line], 0.04).length, 0);
});

test('a record of calls with another shape, as any server may send it, is refused where it is read', () => {
  const check = createRecordCheck('plans');
  const record = (/** @type {unknown} */ lines) =>
    check(/** @type {any} */ ({ t: 1, kind: 'same-work', requests: 3, lines }));
  const line = ['app.py', 'load', 'app.py', 9, 100, 2, 98, 0, 0];
  assert.ok(record([line]));
  for (const wrong of [
    null,
    {},
    'x',
    [1],
    [[]],
    [line.slice(1)],
    [[...line, 1]],
    [line.with(1, 5)],
    [line.with(4, '1')],
  ])
    assert.ok(!record(wrong), JSON.stringify(wrong));
});
