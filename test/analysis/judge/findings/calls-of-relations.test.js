import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../../helpers/words.js';
import { factsOf, find, findAll } from './find-calls.js';

/** @import { StatementParts } from '../../../fixtures/reports/build-calls.js' */

const ORDERS = { name: 'GET /orders', requests: 190, perRequest: 20 };
const RELATION = { relation: 'Order.items' };

test('a relation that is loaded with a query per row is an N+1, with its line and the call that loads it at once', () => {
  const [finding] = find({ uses: [ORDERS], ...RELATION, meanMs: 0.6, most: 44 });
  assert.deepEqual(
    [finding?.id, finding?.severity, finding?.of],
    ['n-plus-one', 'warn', '0a1b2c3d'],
  );
  const words = wordsOf(finding);
  assert.equal(
    words.title,
    'N+1: GET /orders loads `Order.items` with 19 queries per request, 11.4 ms of 40 ms in the server.',
  );
  assert.equal(
    words.advice,
    'Load it with the query of the rows: `.options(selectinload(Order.items))`, or `joinedload(Order.items)` for a relation to one row.',
  );
  assert.equal(
    words.gain,
    'One query for all rows would save up to 10.8 ms of the 40 ms in the server per request.',
  );
  assert.deepEqual(words.evidence, [
    {
      label: 'statement',
      value: 'SELECT items.id, items.name, items.price FROM items WHERE items.order_id = ?',
    },
    { label: 'sent from', value: 'list_orders (shop/views.py:34)' },
    {
      label: 'GET /orders',
      value:
        '19 per request on average, all in 95.0 % of its requests; 11.4 ms of 40 ms in the server',
    },
    { label: 'each execution', value: '0.60 ms on average' },
    { label: 'the most in one request', value: '44' },
  ]);
});

test('relations that a page loads of the same rows are one finding, with the sums of all and the call for each', () => {
  const ofRow = (/** @type {string} */ id, /** @type {string} */ relation, more = {}) =>
    buildStatement({ id, relation, uses: [ORDERS], meanMs: 0.5, ...more });
  const statements = [
    ofRow('a', 'Order.items'),
    ofRow('b', 'Order.customer', {
      line: 40,
      alsoFrom: [{ file: 'shop/views.py', line: 52, function: null }],
    }),
    ofRow('c', 'Item.product'),
    ofRow('d', 'Order.notes', { uses: [{ ...ORDERS, name: 'GET /other' }] }),
  ];
  const found = findAll(factsOf(buildCalls(statements))).filter(({ id }) => id === 'n-plus-one');
  assert.deepEqual(found.map(({ of }) => of).sort(), ['a', 'c', 'd']);
  const words = wordsOf(found.find(({ of }) => of === 'a'));
  assert.equal(
    words.title,
    'N+1: GET /orders loads `Order.items` and `Order.customer` with 38 queries per request, 19 ms of 40 ms in the server.',
  );
  const each = (words.evidence ?? []).filter(({ label }) => label.startsWith('Order.'));
  assert.deepEqual(each, [
    {
      label: 'Order.items',
      value:
        '19 per request, from shop/views.py:34: `.options(selectinload(Order.items))`, or `joinedload(Order.items)` for a relation to one row.',
    },
    {
      label: 'Order.customer',
      value:
        '19 per request, from shop/views.py:40 and shop/views.py:52: `.options(selectinload(Order.customer))`, or `joinedload(Order.customer)` for a relation to one row.',
    },
  ]);
  assert.match(
    words.gain ?? '',
    /^One query for all rows of each would save up to 18.1 ms of the 40 ms/,
  );
});

test('a relation that is asked for by two statements is named once', () => {
  const of = (/** @type {string} */ id) =>
    buildStatement({ id, relation: 'Example.project', uses: [ORDERS], meanMs: 0.5 });
  const [found] = findAll(factsOf(buildCalls([of('a'), of('b')])));
  assert.match(wordsOf(found).title, /loads `Example\.project` with 38 queries per request/);
});

test('an N+1 that several lines send has all of them', () => {
  const alsoFrom = [35, 36, 37].map(line => ({ file: 'shop/views.py', line, function: null }));
  const [finding] = find({ uses: [ORDERS], ...RELATION, alsoFrom });
  const { value } = wordsOf(finding).evidence.find(own => own.label === 'sent from') ?? {};
  assert.equal(
    value,
    'list_orders (shop/views.py:34), the module (shop/views.py:35), the module (shop/views.py:36) and 1 other',
  );
});

test('the advice for Django is `select_related` for a forward relation and `prefetch_related` for a reverse one', () => {
  const text = 'SELECT "items"."id" FROM "items" WHERE "items"."order_id" = ?';
  const django = { ...RELATION, text, uses: [ORDERS] };
  assert.match(wordsOf(find(django)[0]).advice ?? '', /`prefetch_related\('items'\)`/);
  const forward = {
    relation: 'Order.customer',
    text: 'SELECT "c"."id" FROM "c" WHERE "c"."id" = ? LIMIT ?',
  };
  assert.match(
    wordsOf(find({ ...django, ...forward })[0]).advice ?? '',
    /`select_related\('customer'\)`/,
  );
  // The other end of a OneToOneField, or `.all()[0]`: both ask for few rows by a foreign key.
  const single = {
    relation: 'Event.domain',
    text: 'SELECT "d"."id" FROM "d" WHERE "d"."event_id" = ? LIMIT ?',
  };
  assert.match(
    wordsOf(find({ ...django, ...single })[0]).advice ?? '',
    /`select_related\('domain'\)` for a one-to-one relation. `prefetch_related\('domain'\)` if/,
  );
});

test('the advice for Django suits what the loop asks of the relation', () => {
  const list = 'SELECT "items"."id", "items"."name" FROM "items"';
  const key = '"items"."order_id" = ?';
  const own =
    /`prefetch_related\(Prefetch\('items', queryset=…, to_attr='…'\)\)`, with the conditions/;
  const plain = /rows: `prefetch_related\('items'\)`\.$/;
  /** @type {[string, string, RegExp][]} */
  const cases = [
    ['all()', `${list} WHERE ${key}`, plain],
    [
      'all() of many to many',
      `${list} INNER JOIN "o" ON ("items"."id" = "o"."item_id") WHERE "o"."order_id" = ?`,
      plain,
    ],
    [
      'all() of a generic relation',
      `${list} WHERE ("items"."content_type_id" = ? AND "items"."object_id" = ?)`,
      plain,
    ],
    [
      'order_by(), or Meta.ordering',
      `${list} WHERE ${key} ORDER BY "items"."name" ASC`,
      /`prefetch_related\('items'\)`, or `prefetch_related\(Prefetch\(.* if the loop calls `\.order_by\(\)`\.$/,
    ],
    [
      'values_list() with one column',
      `SELECT "items"."code" FROM "items" WHERE ${key}`,
      /`prefetch_related\('items'\)`, and read the prefetched objects: `\.values_list\(\)` and .* query again\.$/,
    ],
    [
      'values_list() since Django 5.2',
      `SELECT "items"."code" AS "code", "items"."name" AS "name" FROM "items" INNER JOIN "o" ON ("items"."id" = "o"."item_id") WHERE "o"."order_id" = ?`,
      /`prefetch_related\('items'\)`, and read the prefetched objects: `\.values_list\(\)` and .* query again\.$/,
    ],
    ['filter()', `${list} WHERE (${key} AND "items"."price" > ?)`, own],
    [
      'exclude()',
      `${list} WHERE (${key} AND NOT ("items"."id" = ?)) ORDER BY "items"."id" ASC`,
      own,
    ],
    [
      'a subquery',
      `${list} WHERE (${key} AND EXISTS(SELECT ? AS "a" FROM "b" U0 WHERE U0."c" = ("items"."id") LIMIT ?))`,
      own,
    ],
    ['first()', `${list} WHERE ${key} ORDER BY "items"."id" ASC LIMIT ?`, own],
    ['a slice', `${list} WHERE ${key} LIMIT ?`, own],
    ['get(name=…)', `${list} WHERE (${key} AND "items"."name" = ?) LIMIT ?`, own],
    [
      'count()',
      `SELECT COUNT(*) AS "__count" FROM "items" WHERE ${key}`,
      /rows: `\.annotate\(…=Count\('items'\)\)`, or the aggregate of the statement\.$/,
    ],
    [
      'filter().aggregate()',
      `SELECT SUM("items"."price") AS "price__sum" FROM "items" WHERE (${key} AND "items"."price" > ?)`,
      /, with `filter=Q\(…\)`\.$/,
    ],
    [
      'distinct().count()',
      `SELECT COUNT(*) FROM (SELECT DISTINCT "items"."name" AS "col1" FROM "items" WHERE ${key}) subquery`,
      /rows: `\.annotate\(…=Count/,
    ],
    [
      'exists()',
      `SELECT ? AS "a" FROM "items" WHERE ${key} LIMIT ?`,
      /rows: `\.annotate\(…=Exists\(….filter\(…=OuterRef\('pk'\)\)\)\)`\.$/,
    ],
    [
      'filter().exists() of MySQL',
      'SELECT ? AS `a` FROM `items` WHERE (`items`.`order_id` = ? AND `items`.`price` > ?) LIMIT ?',
      /Exists\(.*, with the condition of the statement\.$/,
    ],
    [
      'a parent model',
      'SELECT "c"."person_ptr_id", "c"."id" FROM "c" WHERE "c"."person_ptr_id" = ? LIMIT ?',
      /`select_related\('items'\)`/,
    ],
  ];
  const path =
    ' If that query is of another model than `Order`, the name is the path to it, such as `…__items`.';
  for (const [name, text, expected] of cases) {
    const { advice } = wordsOf(find({ ...RELATION, text, uses: [ORDERS] })[0]);
    assert.ok(advice?.endsWith(path), name);
    assert.match(advice?.slice(0, -path.length) ?? '', expected, name);
  }
  const start = performance.now();
  const long = `SELECT "a"."b" FROM "a" WHERE ${'("a"."content_type_id" = ? AND '.repeat(40_000)}`;
  wordsOf(find({ ...RELATION, text: long, uses: [ORDERS] })[0]);
  assert.ok(performance.now() - start < 2000);
});

test('the query name of a reverse relation of Django lacks `_set`, its accessor does not', () => {
  const of = { relation: 'Queue.ticket_set', uses: [ORDERS] };
  const where = 'FROM "helpdesk_ticket" WHERE "helpdesk_ticket"."queue_id" = ?';
  const wordsIf = (/** @type {string} */ list) =>
    wordsOf(find({ ...of, text: `SELECT ${list} ${where}` })[0]);
  const counted = wordsIf('COUNT(*) AS "__count"');
  assert.match(counted.title, /^N\+1: GET \/orders counts `Queue\.ticket_set` with/);
  assert.match(counted.advice ?? '', /Count\('ticket'\)/);
  assert.match(
    wordsIf('"helpdesk_ticket"."id"').advice ?? '',
    /`prefetch_related\('ticket_set'\)`/,
  );
});

test('a relation whose parents come one by one is loaded with them, by no option for their query', () => {
  const lazy = {
    ...{ id: 'a', relation: 'BillVersion.transaction', uses: [ORDERS] },
    text: 'SELECT transaction.id FROM transaction WHERE transaction.id = ?',
  };
  const adviceBeside = (/** @type {StatementParts} */ other, own = lazy) => {
    const statements = [own, { id: 'b', line: 12, uses: [ORDERS], ...other }].map(buildStatement);
    const found = findAll(factsOf(buildCalls(statements))).find(({ of }) => of === 'a');
    return wordsOf(found).advice ?? '';
  };
  for (const table of ['bill_version', 'public.bill_versions', '"shop_billversion"']) {
    const text = `SELECT b.id FROM ${table} AS b WHERE b.bill_id = ? LIMIT ?`;
    const advice = adviceBeside({ text });
    assert.match(advice, /^The rows of `BillVersion` come one by one .*, from shop\/views\.py:12:/);
    assert.doesNotMatch(advice, /selectinload|--fix/);
    for (const other of [
      { text, uses: [{ ...ORDERS, perRequest: 1 }] },
      { text, uses: [{ ...ORDERS, name: 'GET /other' }] },
      { text: text.replace('LIMIT', 'AND b.id IN (?)'), rows: 100 },
    ])
      assert.match(adviceBeside(other), /selectinload/);
  }
  const tree = {
    ...{ id: 'a', relation: 'Category.children', uses: [ORDERS] },
    text: 'SELECT c.id FROM categories AS c WHERE c.parent_id = ?',
  };
  const parent = 'SELECT c.id FROM categories AS c WHERE c.id = ?';
  assert.match(adviceBeside({ text: parent, relation: 'Category.parent' }, tree), /selectinload/);
  const start = performance.now();
  adviceBeside({ text: `SELECT 1 ${'FROM ['.repeat(100_000)}` });
  adviceBeside({ text: `SELECT 1 FROM ${'s_'.repeat(200_000)}` });
  assert.ok(performance.now() - start < 2000);
});

test('a deferred column that the database calculates is no relation', () => {
  const text =
    'SELECT (SELECT count(packages.name) AS count_1 FROM packages WHERE packages.channel_name = channels.name) AS anon_1 FROM channels WHERE channels.name = ?';
  const relation = 'Channel.packages_count';
  const [finding] = find({
    text,
    relation,
    uses: [{ name: 'GET /orders', requests: 200, perRequest: 20 }],
  });
  assert.match(wordsOf(finding).advice ?? '', /`\.options\(undefer\(Channel\.packages_count\)\)`/);
  assert.doesNotMatch(JSON.stringify(wordsOf(finding)), /selectinload|lazy-loading/);
});

test('the advice for a deferred column names it, and no remedy for relations', () => {
  const column = { relation: 'Item.body', uses: [ORDERS] };
  const text = 'SELECT items.body AS items_body FROM items WHERE items.id = ?';
  const [finding] = find({ ...column, text });
  assert.equal(finding?.id, 'n-plus-one');
  const words = wordsOf(finding);
  assert.match(words.detail ?? '', /^The code reads the deferred column of/);
  assert.match(words.advice ?? '', /`\.options\(undefer\(Item\.body\)\)`/);
  assert.doesNotMatch(words.advice ?? '', /selectinload|--fix/);
  const relation = 'SELECT body.id, body.item_id, body.body FROM body WHERE ? = body.item_id';
  assert.match(
    wordsOf(find({ ...column, text: relation })[0]).advice ?? '',
    /selectinload\(Item\.body/,
  );
  const django = 'SELECT "items"."id", "items"."body" FROM "items" WHERE "items"."id" = ? LIMIT ?';
  assert.match(wordsOf(find({ ...column, text: django })[0]).advice ?? '', /out of `\.defer\(\)`/);
});
