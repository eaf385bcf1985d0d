/** What source and stacks show of loops: work, copies and searches in each turn, and elements that are made in vain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mark } from './mark-source.js';

test('a loop that adds to a copy, or takes from one, copies the collection in each turn', () => {
  const loop = (/** @type {string} */ line, head = 'for part in parts:') =>
    mark(`def make(parts, text, seen):\n    data = b""\n    ${head}\n        ${line}`);
  for (const line of [
    'text = text[end_of(text):]',
    'data += part.body',
    'data = data + part.body',
    'seen = seen.union(part.ids)',
    'seen = list(seen)',
    'seen.append(part); show(list(seen))',
    'seen[part.id] = dict(seen)',
  ]) {
    assert.deepEqual(loop(line), ['4 copy'], line);
    assert.deepEqual(loop(line, 'while parts:'), ['4 copy'], line);
  }
  for (const line of [
    'part = part[2:]',
    'total += part.size',
    'show(part.copy())',
    'show(seen[:])',
  ])
    assert.deepEqual(loop(line), [], line);
  const both = 'row = {**base}\n        row = {**row, "id": part.id}';
  assert.deepEqual(loop(both), [], 'a new one in each turn');
  assert.deepEqual(mark('def make(text):\n    text = text[2:]'), []);
});

test('a whole collection that is gone through in each turn is the same work, unless the loop changes it', () => {
  const each = (/** @type {string} */ element) =>
    mark(`def make(items, sizes):\n    return [${element} for item in items]`);
  for (const element of ['item.size / max(sizes)', 'item.id in set(sizes)', 'item.n / sum(items)'])
    assert.deepEqual(each(element), ['2 turn'], element);
  for (const element of ['max(item.sizes)', 'max(item.size, 1)', 'len(sizes)', 'set(item)'])
    assert.deepEqual(each(element), [], element);
  for (const element of ['{one.id: one for one in sizes}[item]', 'sum(key(n) for n in sizes)'])
    assert.deepEqual(each(element), ['2 turn'], element);
  for (const element of ['[n for n in sizes]', '[n + item for n in sizes]', '[n.id for n in item]'])
    assert.deepEqual(each(element), [], element);
  const loop = (/** @type {string} */ last) =>
    mark(
      `def make(items, seen):\n    for item in items:\n        most = sum(seen)\n        ${last}`,
    );
  assert.deepEqual(loop('show(item, most)'), ['3 turn']);
  assert.deepEqual(loop('seen.append(item)'), []);
  assert.deepEqual(loop('seen[item] = 1'), []);
});

test('what is called for its effect, and a loop that waits for something, is no same work', () => {
  const loop = (/** @type {string} */ line, head = 'for item in items:') =>
    mark(`def make(items, out):\n    ${head}\n        ${line}`);
  assert.deepEqual(loop('out.begin_row()'), []);
  assert.deepEqual(loop('out[item] = ast.Name(items)'), [], 'an object of its own');
  assert.deepEqual(loop('groups = defaultdict(list)'), []);
  assert.deepEqual(loop('out[item] = item.price.quantize(Decimal("0.01"))'), []);
  assert.deepEqual(loop('out.append(rates_of(items))'), ['3 turn']);
  assert.deepEqual(loop('state = ask(out)', 'while items:'), []);
});

test('a loop whose turns differ by an attribute, a state or a closure does not do the same', () => {
  const loop = (/** @type {string[]} */ ...body) =>
    mark(
      ['def make(rows, form):', '    for row in rows:', ...body.map(own => `        ${own}`)].join(
        '\n',
      ),
    );
  const shown = 'out.append(render(form))';
  assert.deepEqual(loop(shown, 'out.append(row)'), ['3 turn']);
  for (const change of [
    'form.row = row',
    'form.number += 1',
    'form.fields["row"] = row',
    'form.feed(row)',
    'fill(form, row)',
    'del form[0]',
    'setattr(form, "row", row)',
    'form = other = row',
  ])
    assert.deepEqual(loop(change, shown), [], change);
  assert.deepEqual(loop('other = form = row', 'out.append(render(form))'), []);
  assert.deepEqual(loop('out.append(render(locals()))'), []);
  for (const head of ['for _ in range(rows):', 'while rows:'])
    assert.deepEqual(
      mark(`def make(rows, stream):\n    ${head}\n        out.append(parse_node(stream))`),
      [],
      head,
    );
  assert.deepEqual(
    mark('def make(n, tokens):\n    return [node_of(tokens) for _ in range(n)]'),
    [],
  );
  const closure = (/** @type {string} */ define) =>
    mark(
      `def make(rows):\n    row = None\n    ${define}\n    for row in rows:\n        out.append(show())`,
    );
  for (const define of ['def show():\n        return fmt(row)', 'show = lambda: fmt(row)'])
    assert.deepEqual(closure(define), [], define);
  const state = (/** @type {string} */ line) =>
    mark(
      `    @property\n    def text(self):\n        return parse(self.row)\n\n    def make(self, rows):\n        for row in rows:\n            ${line}\n            out.append(self.text)`,
      [],
      [8, 3],
    );
  assert.deepEqual(state('pass'), ['1 turn', '2 turn', '3 turn']);
  for (const line of ['self.row = row', 'self.next_row(row)'])
    assert.deepEqual(state(line), ['1 again', '2 again', '3 again'], line);
});

test('what a line makes to change it is an object of its own in each turn', () => {
  const made = (/** @type {string} */ make, last = 'made["id"] = row.id') =>
    mark(`def make(rows, day):\n    for row in rows:\n        made = ${make}\n        ${last}`);
  assert.deepEqual(made('defaults_of(day)', 'show(made, row)'), ['3 turn']);
  for (const make of ['defaults_of(day)', 'copy.deepcopy(DEFAULTS)', 'DEFAULTS.copy()'])
    assert.deepEqual(made(make), [], make);
  assert.deepEqual(made('copy.deepcopy(DEFAULTS)', 'show(made)'), []);
});

test('a text that an attribute collects, a list that is searched by position, and exceptions are named where a loop calls', () => {
  const below = (/** @type {string} */ line) =>
    mark(
      `def make(rows, out):\n    for row in rows:\n        out.add(row)\n\ndef add(self, row):\n    ${line}`,
      [],
      [3, 6],
    );
  const once = (/** @type {string} */ line) => mark(`def add(self, row):\n    ${line}`);
  for (const [line, does] of [
    ['self.text += f"{row.id};"', 'copy'],
    ['self.places[row] = sorted(self.rows).index(row)', 'search'],
    ['raise NotANumber(row)', 'raise'],
    ['except ValueError:', 'raise'],
  ]) {
    assert.deepEqual(below(line ?? ''), [`6 ${does}`], line);
    assert.deepEqual(once(line ?? ''), [], line);
  }
  assert.deepEqual(below('self.total += row.price'), []);
});

test('what stacks show below a loop is done in each turn, however far, and also for an object', () => {
  const source = (/** @type {string} */ line) =>
    `def make(rows):\n    return [plain(row) for row in rows]\n\ndef plain(row):\n    shown = text_of(row)\n    return shown\n\ndef text_of(row):\n    ${line}\n    return zone`;
  const stack = [2, 5, 9];
  assert.deepEqual(mark(source('zone = zone_of("UTC")'), [], stack), ['9 turn']);
  assert.deepEqual(mark(source('zone = zone_of("UTC")')), ['9 constant'], 'no stack');
  for (const line of ['zone = zone_of(row)', 'zone = now()'])
    assert.deepEqual(mark(source(line), [], stack), [], line);
  const once = 'def show(row):\n    return text_of(row)\n\n';
  assert.deepEqual(mark(`${once}${source('zone = zone_of("UTC")')}`, [], [2, 12]), ['12 constant']);
  const object = (/** @type {string} */ use) =>
    mark(
      `    @property\n    def rates(self):\n        return parse(self.table)\n\n    def make(self, rows):\n        return [${use} for row in rows]`,
      [],
      [6, 3],
    );
  assert.deepEqual(object('self.rates[row]'), ['1 turn', '2 turn', '3 turn']);
  assert.deepEqual(object('row.rates'), ['1 again', '2 again', '3 again'], 'of each row');
});

test('what a loop calls is known although some stacks have another line, or another caller', () => {
  const loop = 'def make(rows):\n    for row in rows:\n        add(row)\n\n';
  const source = `${loop}def add(row):\n    zone = zone_of("UTC")\n    return row, zone`;
  const whole = Array(10).fill([3, 6]);
  assert.deepEqual(mark(source, [], ...whole, [6]), ['6 turn'], 'a torn stack');
  assert.deepEqual(mark(source, [], [2, 6], [1, 6]), ['6 turn'], 'the only line with its name');
  assert.deepEqual(mark(source, [], ...whole, [6], [6]), ['6 constant'], 'two of twelve');
  const again = source.replace('row, zone', 'row, zone\n\ndef show(row):\n    return add(row)');
  assert.deepEqual(mark(again, [], [3, 6], [10, 6]), ['6 constant'], 'also called elsewhere');
});

test('a list is named if only a part of it is used, and not if all of it is', () => {
  const rest = (/** @type {string} */ last, make = 'rows = load(day).all()') =>
    mark(`def make(day, first):\n    ${make}\n    ${last}`);
  for (const last of [
    'return len(rows), rows[first : first + 10]',
    'return [row for row in rows if row.price > first]',
    'for row in rows[:10]: show(row)',
  ])
    assert.deepEqual(rest(last, 'rows = load(day).all()  # first'), ['2 part'], last);
  for (const last of [
    'return rows',
    'return rows[1:], first',
    'return rows[:-1]',
    'return [row.id for row in rows]',
    'return [row for row in rows if row.on], sum(rows)\n    rows.sort()',
    'return rows[:first]\n    show(rows[first:])',
  ])
    assert.deepEqual(rest(last), [], last);
  for (const make of ['rows = load(day)', 'rows = sorted(load(day).all())'])
    assert.deepEqual(rest('return rows[:first]', make), [], make);
  const own = 'return next(row for row in rows if row.id == first)';
  assert.deepEqual(rest(own), ['2 part', '3 search']);
  assert.deepEqual(rest(own, 'rows = load(first).all()'), ['3 search'], 'it may be chosen already');
  const loop = (/** @type {string} */ last) =>
    mark(
      `def make(users, day):\n    made = []\n    for user in users:\n        made.append(build(user, day))\n    ${last}`,
    );
  assert.deepEqual(loop('return [one for one in made if one.flags]'), ['4 part']);
  assert.deepEqual(loop('return made'), []);
});

test('rows that are only counted are made in vain, however the rest of the function counts them', () => {
  const count = (/** @type {string} */ load, end = 'return len(found)') =>
    mark(`def number_of(state):\n    found = ${load}\n    ${end}`);
  assert.deepEqual(count('Item.objects.filter(state=state)'), ['2 part', '3 part']);
  assert.deepEqual(count('session.scalars(select(Item)).all()', 'show(len(found))'), [
    '2 part',
    '3 part',
  ]);
  assert.deepEqual(count('state', 'return len(Item.objects.filter(on=found))'), ['3 part']);
  for (const end of ['return found.count()', 'return len(found), found[0]', 'return show(found)'])
    assert.deepEqual(count('Item.objects.filter(state=state)', end), [], end);
  assert.deepEqual(count('state.split(",")'), []);
});

test('a list is known by how its name gets it, and a set is not searched', () => {
  const loop = (/** @type {string} */ made, head = 'rows') =>
    mark(
      `def make(${head}, text):\n    known = ${made}\n    return [row for row in rows if row in known]`,
    );
  for (const made of ['text.split(",")', 'sorted(text)', 'query(text).all()', '[1, 2]'])
    assert.deepEqual(loop(made), ['3 search'], made);
  for (const made of [
    'text.split(",")[0]',
    'set(text.split(","))',
    '{1, 2}',
    'dict(text.items())',
    'text',
  ])
    assert.deepEqual(loop(made), [], made);
  const later =
    'def find(id):\n    for one in ROWS:\n        own = one["id"]\n        if own == id:\n            return one';
  assert.deepEqual(mark(later), ['2 search', '3 search', '4 search', '5 search']);
  assert.deepEqual(mark(later.replace('own == id', 'id == "x"')), []);
  const typed =
    'def make(rows, known: list[int]):\n    return [row for row in rows if row in known]';
  assert.deepEqual(mark(typed), ['2 search']);
  const any =
    'def make(rows, olds):\n    for row in rows:\n        if any(old.id == row.id for old in olds):';
  assert.deepEqual(mark(any), ['3 search']);
  const goesThrough =
    'def make(rows, words):\n    known = sorted(words)\n    return {row: sum(score(one, row) for one in known) for row in rows}';
  assert.deepEqual(mark(goesThrough), [], 'a loop in a loop');
});

test('what is done in a loop of a function without arguments is named beside that it is done again', () => {
  const source =
    'def every():\n    found = []\n    for group in GROUPS:\n        found = [*found, *group]\n    return found';
  assert.deepEqual(mark(source).at(-2), '4 copy,again');
});

test('a call that the function has made before is a repetition, unless it may differ or was not made', () => {
  const twice = (/** @type {string[]} */ ...body) =>
    mark(`def make(item, text):\n    ${body.join('\n    ')}`);
  assert.deepEqual(twice('a = url_of(item)', 'b = url_of(item) + text'), ['3 repeat']);
  assert.deepEqual(twice('made = {', '    "a": item.url(),', '    "b": item.url(),', '}'), [
    '4 repeat',
  ]);
  assert.deepEqual(twice('a = url_of(item)', 'if text:', '    b = url_of(item)'), ['4 repeat']);
  for (const body of [
    ['a = url_of(item, "a")', 'b = url_of(item, "b")'],
    ['a = url_of(item)', 'item = a', 'b = url_of(item)'],
    ['a = url_of(item)', 'item.append(a)', 'b = url_of(item)'],
    ['if text:', '    a = url_of(item)', 'else:', '    a = url_of(item)'],
    ['if text:', '    return url_of(item)', 'b = url_of(item)'],
    ['if text:', '    a = url_of(item)', 'b = url_of(item)'],
    ['show(item)', 'show(item)'],
    ['a = Url(item)', 'b = Url(item)'],
    ['a = item.read(text)', 'b = item.read(text)'],
    ['a = len(item)', 'b = len(item)'],
    ['a = await ask(item)', 'b = await ask(item)'],
  ])
    assert.deepEqual(twice(...body), [], body.join('; '));
});
