import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPythonLines } from '../../../lib/record/profiler/python-calls.js';

/** Calls per line. @param {...string} source lines */
function callsOf(...source) {
  const lines = readPythonLines(source.join('\n'));
  return source.map((_, index) => lines.get(index + 1)?.calls.join(' ') ?? '');
}

test('names a call as far as imports show, and a method of another object by itself', () => {
  assert.deepEqual(
    callsOf(
      'import orjson, os.path, json as j',
      'from lxml import (etree,',
      '  html as h)',
      'from .db import conn',
      'orjson.dumps(j.loads(x))',
      'os.path.join(a)',
      'etree.fromstring(h.parse(x))',
      'conn.execute(q)',
      'self.db.execute(q)',
      'get().close()',
      'PATTERN.match(x)',
    ).slice(4),
    [
      'orjson.dumps json.loads',
      'os.path.join',
      'lxml.etree.fromstring lxml.html.parse',
      'db.conn.execute',
      'execute',
      'get close',
      'match',
    ],
  );
});

test('places a call in the line of its name, however long the statement', () => {
  assert.deepEqual(callsOf('rows = db.execute(', '  "a(", (b(1),),', ').fetchall()'), [
    'execute',
    'b',
    'fetchall',
  ]);
});

test('strings, comments, definitions and keywords call nothing', () => {
  assert.deepEqual(
    callsOf(
      'def f(x, y=g(1)): # h()',
      '  """i()',
      '  j(\'""" + "k()"',
      "  if (x) and not (y): return 'l()'",
      '  s = r"\\\\"; m()',
      'class C(B): pass',
    ),
    ['g', '', '', '', 'm', ''],
  );
});

test('what a comprehension does for each element is marked', () => {
  assert.deepEqual(callsOf('[dict(r) for r in db.execute(q)]'), ['dict* execute']);
  assert.deepEqual(callsOf('[r[0] for r in db.execute(q)]'), ['execute']);
  assert.deepEqual(callsOf('[r[0] + 1 for r in db.execute(q)]'), ['<work>* execute']);
  assert.deepEqual(callsOf('[r for r in db.execute(q) if f(r)]'), ['execute f*']);
  assert.deepEqual(callsOf('sum(1 for _ in NUMBERS.finditer(text))'), ['sum finditer']);
  assert.deepEqual(callsOf('x = {k: f"{v}" for k, v in d.items()}'), ['<work>* items']);
  assert.deepEqual(callsOf('g([h(i) for i in a], j(b))'), ['g h* j']);
});

test('functions of the same file are Python', () => {
  assert.deepEqual(
    callsOf('db().execute(q)', 'def db(): pass', 'class Row: pass', 'Row(x.db())', 'db.commit()'),
    ['execute', '', '', 'db', 'commit'],
  );
});

test('`with lock:` calls `__enter__`; `with open():` keeps the name of the call', () => {
  assert.deepEqual(
    callsOf('with lock:', '  with self.stock.lock:', '    with a, b as c:', '      pass'),
    ['__enter__', '__enter__', '__enter__', ''],
  );
  assert.deepEqual(callsOf('with engine.connect() as own:', 'async with limit:'), [
    'connect',
    '__enter__',
  ]);
  assert.deepEqual(
    callsOf('def lock_of(self, key):', '  with lock_of(key):', '    with self.lock_of(key):'),
    ['', '__enter__', '__enter__'],
    'a function of the file has a frame of its own',
  );
});

test('what has no name is a call all the same', () => {
  assert.deepEqual(callsOf('table[x](db.execute(q))'), ['<call> execute']);
});

test('a line knows its function, and whether it is inside a loop', () => {
  const lines = readPythonLines(
    [
      'class A:',
      '    async def f(self):',
      '        for i in x:',
      '            if i:',
      '                self.g(i)',
      '            def h():',
      '                k()',
      '        self.l()',
    ].join('\n'),
  );
  const tell = (/** @type {number} */ line) => {
    const { scope, inLoop } = lines.get(line) ?? {};
    return `${scope} ${inLoop}`;
  };
  assert.deepEqual([3, 5, 7, 8].map(tell), ['f false', 'f true', 'h false', 'f false']);
});

test('a bracket that was none does not swallow the functions below it', () => {
  const lines = readPythonLines('x = (1\ndef f():\n    g()\n');
  const { scope, calls } = lines.get(3) ?? {};
  assert.deepEqual({ scope, calls }, { scope: 'f', calls: ['g'] });
});

test('a line says which attribute it goes on from, and whether it is gone through more than once', () => {
  const source = `def f(shop):
    for order in shop.orders:
        total = order.customer.country.name + order.tax
    return [x.owner.id for x in shop.staff], shop.rows.all()
`;
  const tell = ({ repeats = false, touches = [''] } = {}) => `${repeats} ${touches}`;
  assert.deepEqual(
    [2, 3, 4].map(line => tell(readPythonLines(source).get(line))),
    ['false orders', 'true customer,country', 'true owner,rows'],
  );
});

test('a statement that is only a call of a logger is known, with all its lines', () => {
  const source = [
    'log.debug("the node returned %s", json.dumps(result))',
    'self._logger.info(',
    '    f"total {total(rows)}",',
    ')',
    'math.log(build(x))',
    'found = log.debug(build(x))',
    'log.debug(build(x)) or find(x)',
    'log.error(build(x))',
    `${'log.'.repeat(9)}debug(${'('.repeat(9)}`,
  ];
  const lines = readPythonLines(source.join('\n'));
  const logs = source.map((_, at) => lines.get(at + 1)?.logs ?? null);
  const info = { method: 'info', from: 2 };
  assert.deepEqual(logs, [{ method: 'debug', from: 1 }, info, info, info, ...Array(5).fill(null)]);
});
