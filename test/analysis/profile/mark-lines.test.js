/** What source shows of the work at a line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mark } from './mark-source.js';

const PLAIN = 'def make():\n    return sorted(ROOT)';
const METHOD = '    def to_dict(self):\n        return {"id": self.id}';
const ORM = '/opt/python3.12/lib/python3.12/site-packages/sqlalchemy/orm/loading.py';

test('a function without arguments, and a method with nothing but its object, may do the same work each time', () => {
  assert.deepEqual(mark(PLAIN), ['1 again', '2 again']);
  assert.deepEqual(mark(METHOD), ['1 again', '2 again']);
  assert.deepEqual(mark(`    @property\n${METHOD}`), ['1 again', '2 again', '3 again']);
  assert.deepEqual(mark(METHOD, [ORM]), [], 'a row of a database');
  assert.deepEqual(mark(PLAIN, [ORM]), ['1 again', '2 again']);
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
    'return sorted(ROOT.rglob("*"))',
    'return [name for _, _, names in os.walk(ROOT) for name in names]',
    'return json.loads(FILE.read_text())',
    'return list(POOL.map(part, PARTS))',
    'KEPT["all"] = sorted(ROOT)\n    return KEPT["all"]',
  ])
    assert.deepEqual(mark(`def make(self):\n    ${body}`), [], body);
  for (const source of [
    'def make(item):\n    return item',
    'def make(item):\n    gc.collect()\n    return item',
    'def make(self, item=None):\n    return item',
    'async def make():\n    return await load()',
    'def make(item):\n    def run():\n        return item\n    return retry(run, item)',
    '@app.get("/")\ndef make(item):\n    return sorted(item)',
    `${PLAIN}\n${'    # more\n'.repeat(300)}`,
  ])
    assert.deepEqual(mark(source), [], source);
});

test('a call takes nothing from the request if it has none of the names that the function gets or sets', () => {
  const view = (/** @type {string} */ line) =>
    mark(`@app.get("/<day>")\ndef make(day, limit=5):\n    table = day + 1\n    ${line}`);
  for (const line of [
    'rates = parse(TABLE, sep=";")',
    'return sum(read_all(ROOT / "day"))',
    'parse(sorted(x.day for x in DAYS))',
  ])
    assert.deepEqual(view(line), ['4 constant'], line);
  for (const line of [
    'rates = parse(TABLE, day)',
    'rates = parse(TABLE, day=day)',
    'rates = parse(f"{day}")',
    'rates = parse(table)',
    'rows = connection.execute("SELECT name FROM rate")',
    'line = STREAM.read(1000)',
    'rates = parse(TABLE, now())',
    'rates = await parse(TABLE)',
    'return jsonify(RATES)',
    'total = len(TABLE) * 31',
    'os.fsync(JOURNAL.fileno())',
  ])
    assert.deepEqual(view(line), [], line);
});

test('what reaches out of the process takes more than its arguments, however far below it does', () => {
  const app = (/** @type {string} */ body) =>
    mark(
      `def show(day):\n    return ask("list")\n\ndef ask(command):\n    reply = exchange(command)\n    return reply\n\ndef exchange(command):\n    ${body}`,
      [],
      [2, 5, 9],
    );
  assert.deepEqual(app('return sorted(command)'), ['2 constant']);
  for (const body of [
    'with socket.socket(socket.AF_UNIX) as s: return receive(s)',
    'return sock.recv(100)',
    'return pathlib.Path(command).read_text()',
    'return subprocess.run(command)',
    'return randint(1, 6) + sum(command)',
  ])
    assert.deepEqual(app(body), [], body);
  const line = (/** @type {string} */ text) => mark(`def show(day):\n    ${text}`);
  assert.deepEqual(line('return parse(TABLE)'), ['2 constant']);
  assert.deepEqual(line("return (day * Decimal('1.19')).quantize(PLACES)"), []);
  assert.deepEqual(line('return parse(TABLE).get(day)'), ['2 constant']);
  // A call whose result is dropped is there for its effect.
  for (const text of ['reserve()', 'STOCK.reserve()']) assert.deepEqual(line(text), [], text);
  for (const text of [
    'return urlopen(ADDRESS)',
    'return check_output(COMMAND)',
    'return choice(ALL)',
  ])
    assert.deepEqual(line(text), [], text);
});

test('a library that a line calls may reach out of the process, too', () => {
  const source = 'def show(day):\n    return load(TABLE)\n\ndef make():\n    return sorted(ROOT)';
  const below = (/** @type {string} */ file) => mark(source, [file], [2, 6]);
  const PYTHON = '/opt/python3.12/lib/python3.12';
  assert.deepEqual(below(`${PYTHON}/json/decoder.py`), ['2 constant', '4 again', '5 again']);
  for (const file of ['socket.py', 'ssl.py', 'subprocess.py', 'random.py', 'http/client.py'])
    assert.deepEqual(below(`${PYTHON}/${file}`), ['4 again', '5 again'], file);
});

test('a call in a loop that takes nothing from the element does the same in each turn', () => {
  const loop = (/** @type {string} */ line) =>
    mark(
      `def make(self, items, day):\n    for item in items:\n        price = item.price\n        ${line}\n    return rates_of(day)`,
    );
  assert.deepEqual(loop('rate = rates_of(day).get(item.currency)'), ['4 turn']);
  for (const line of [
    'rate = rates_of(item)',
    'rate = rates_of(price)',
    'chunk = body.read(day)',
    'self.show()',
  ])
    assert.deepEqual(loop(line), [], line);
  const inner = (/** @type {string} */ line) => mark(`def make(items, day):\n    ${line}`);
  assert.deepEqual(inner('return [rates_of(day)[item] for item in items]'), ['2 turn']);
  assert.deepEqual(inner('return [item for item in rates_of(day)]'), []);
});

test('a call in a nested comprehension takes the elements of all of its loops', () => {
  const make = (/** @type {string[]} */ ...own) =>
    mark(`def make(day, rows, names):\n    return [\n        ${own.join('\n        ')}\n    ]`);
  assert.deepEqual(make('[score(cell) for cell in row]', 'for row in rows'), []);
  assert.deepEqual(make('score(row, name)', 'for name in names', 'for row in rows'), []);
  assert.deepEqual(make('score(row)', 'for row in rows', 'for name in names'), []);
  const item = '{"tags": [label_of(row) for name in names],';
  assert.deepEqual(make(item, '"id": 1}', 'for row in rows'), []);
  assert.deepEqual(make('[score(day) for cell in row]', 'for row in rows'), ['3 turn']);
});

test('what differs between requests may be the same in each turn', () => {
  const loop = (/** @type {string} */ line) =>
    mark(`def make(items, user):\n    for item in items:\n        ${line}`);
  assert.deepEqual(loop('own = groups_of(user)'), ['3 turn']);
  assert.deepEqual(loop('own = groups_of(user, item)'), []);
  const inner = (/** @type {string} */ line) => mark(`def make(items, user):\n    ${line}`);
  assert.deepEqual(inner('return [item for item in items if is_admin(user)]'), ['2 turn']);
  assert.deepEqual(inner('return [item for item in groups_of(user)]'), []);
});

test('a function that a loop calls does the same with what the loop passes on', () => {
  const ask = (/** @type {string} */ line, call = 'may_read(user, one)') =>
    mark(
      `def readable(user, rows):\n    return [one for one in rows if ${call}]\n\ndef may_read(user, item):\n    ${line}`,
    );
  assert.deepEqual(ask('return item.group in groups_of(user)'), ['5 turn']);
  for (const line of [
    'return allows(user, item)',
    'return item.allows(user)',
    'yield groups_of(user)',
  ])
    assert.deepEqual(ask(line), [], line);
  const group = 'return item.group in groups_of(user)';
  for (const call of ['may_read(one.user, one)', 'other(user, one)', 'one.may_read(user)'])
    assert.deepEqual(ask(group, call), [], call);
  const both = '\n\ndef all(users, item):\n    return [may_read(user, item) for user in users]';
  assert.deepEqual(ask(`${group}${both}`), [], 'another loop goes through users');
});

test('what stands beside a comprehension is done once', () => {
  const line = (/** @type {string} */ text) => mark(`def make(rows, user):\n    ${text}`);
  assert.deepEqual(line('return [row for row in rows if may(user)], name_of(rows)'), ['2 turn']);
  for (const text of [
    'return name_of(user), [row.id for row in rows]',
    'return [row for row in rows if row.on], name_of(user)',
    'return show(name_of(user), any(row.on for row in rows))',
  ])
    assert.deepEqual(line(text), [], text);
});

test('a comprehension on several lines is a loop', () => {
  const rows = (/** @type {string} */ element, test = 'row.on') =>
    mark(
      `def make(rows, user):\n    return [\n        ${element}\n        for row in rows\n        if ${test}\n    ]`,
    );
  assert.deepEqual(rows('row.name', 'is_admin(user)'), ['5 turn']);
  assert.deepEqual(rows('name_of(user)'), ['3 turn']);
  assert.deepEqual(rows('name_of(row)', 'is_admin(row)'), []);
});

test('a list that is searched element by element is named, and a loop that uses each element is not', () => {
  const ONE =
    'def make(x, y):\n    for room in ROOMS:\n        if room["x"] == x and room["y"] == y:\n            return room';
  assert.deepEqual(mark(ONE), ['2 search', '3 search', '4 search'], 'with the jump back');
  assert.deepEqual(mark(ONE.replace('return room', 'total += room["n"]')), []);
  const JOIN =
    'def make(rows):\n    for a in rows:\n        for b in rows:\n            if a.id == b.parent:\n                show(b)';
  assert.deepEqual(mark(JOIN), ['3 search', '4 search']);
  const children = JOIN.replace('in rows:\n            if', 'in a.parts:\n            if');
  assert.deepEqual(mark(children), [], 'the parts of each');
  const loop = (/** @type {string} */ line) =>
    mark(`def make(items):\n    seen = []\n    for item in items:\n        ${line}`);
  for (const line of [
    'if item.id not in seen:',
    'own = [row for row in ROWS if row.item == item.id]',
    'first = waiting.pop(0)',
  ])
    assert.deepEqual(loop(line), ['4 search'], line);
  for (const line of [
    'if item.id in KNOWN:',
    'own = [row for row in item.rows if row.on]',
    'own = [row for row in item.rows if row.on == True]',
    'own = [x for x in seen]',
    'seen.append(item.id + 1)',
  ])
    assert.deepEqual(loop(line), [], line);
});

test('a list that a recursion filters, or a comprehension searches, is named', () => {
  const TREE =
    'def branch(nodes, id):\n    own = [node for node in nodes if node["parent"] == id]\n    return [branch(nodes, node["id"]) for node in own]';
  assert.deepEqual(mark(TREE), ['2 search']);
  assert.deepEqual(mark(TREE.replace('branch(nodes, node["id"])', 'node["id"]')), []);
  const ranks = (/** @type {string} */ line) => mark(`def ranks(scores):\n    return ${line}`);
  assert.deepEqual(ranks('{score: scores.index(score) for score in scores}'), ['2 search']);
  assert.deepEqual(ranks('[place.get(score) for score in scores]'), []);
});

test('a collection that grows by a copy in each turn is named, and a sum or a copy outside of a loop is not', () => {
  const loop = (/** @type {string} */ line) =>
    mark(`def make(items):\n    for item in items:\n        ${line}`);
  for (const line of [
    'rows = rows + [item.id]',
    'found = {**found, item.id: item}',
    'rows = [*rows, item]',
    'table = pd.concat([table, item.frame])',
    'found = dict(found, last=item)',
    'found = found | {item.id: item}',
  ])
    assert.deepEqual(loop(line), ['3 copy'], line);
  for (const line of [
    'total = total + item.price',
    'rows += [item.id]',
    'row = {**base, "id": item.id}',
    'table = pd.concat([item.a, item.b])',
  ])
    assert.deepEqual(loop(line), [], line);
  assert.deepEqual(mark('def make(rows, item):\n    rows = rows + [item]'), []);
  assert.deepEqual(mark('def make(lists):\n    every = sum(lists, [])'), ['2 copy']);
});

test('what is written and parsed again is named, and what comes from elsewhere is not', () => {
  const made = (/** @type {string} */ body) => mark(`def make(item, text):\n    ${body}`);
  for (const line of [
    'plain = json.loads(json.dumps(item))',
    'plain = json.loads(item.model_dump_json())',
    'plain = json.loads(serializers.serialize("json", item))',
    'plain = pickle.loads(pickle.dumps(item))',
  ])
    assert.deepEqual(made(line), ['2 parse-own'], line);
  assert.deepEqual(made('own = json.dumps(item)\n    plain = json.loads(own)'), ['3 parse-own']);
  for (const line of ['plain = json.loads(text)', 'plain = json.loads(item.body)'])
    assert.deepEqual(made(line), [], line);
});

test('a cache in a function keeps nothing, and one that a decorator returns does', () => {
  const source =
    'def make(items, day):\n    @lru_cache(maxsize=32)\n    def rates_of(day):\n        return read(day)\n\n    return [rates_of(item) for item in items]';
  assert.deepEqual(mark(source), ['2 cache', '3 cache', '4 cache']);
  assert.deepEqual(
    mark(source.replace('return [rates_of(item) for item in items]', 'return rates_of')),
    [],
  );
});

test('a source from outside takes linear time', () => {
  const startedUs = process.cpuUsage().user;
  const parts =
    ' |@property |self.a|def make(|return |for a in |a |(|a.|"\\|loads(|a(|= |for a in b if a == |a = a[|a[a:|list(a)|sum(a |.append(| #|A.|raise |: '.split(
      '|',
    );
  for (const text of [...parts, '\n', '\n for a in b:\n  if a == b:\n', '\n def a():'])
    for (const start of ['def make():\n', 'def make(x):\n    for a in b:\n'])
      mark(`${start}${text.repeat(20_000)}`.slice(0, 20_000));
  assert.ok(process.cpuUsage().user - startedUs < 5e6);
});

test('the lines of a caller are read once for each name, however many stacks have it', t => {
  const source = [
    'def all_of(ones):',
    '    for one in ones:',
    '        part(one)',
    'def part(one):',
    '    return part(one.next)',
  ].join('\n');
  const countSplits = (/** @type {number} */ stacks) => {
    const split = t.mock.method(String.prototype, 'split');
    mark(source, [], ...Array.from({ length: stacks }, () => [3, 5, 5, 5]));
    split.mock.restore();
    return split.mock.callCount();
  };
  assert.equal(countSplits(100), countSplits(1));
});
