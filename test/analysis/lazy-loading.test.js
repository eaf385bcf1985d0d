import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRelations } from '../../lib/analysis/analyse-run.js';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { nameCalls } from '../../lib/analysis/hotpath/name-calls.js';
import { findCauses } from '../../lib/analysis/judge/findings/code.js';
import { buildProfileReport } from '../../lib/analysis/profile/profile-report.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { recordsOf } from '../helpers/records.js';
import { wordsOf } from '../helpers/words.js';

const VIEW = 'handle_request (gunicorn/workers/sync.py:176);wsgi_app (flask/app.py:1511)';
const TOUCH = 'InstrumentedAttribute.__get__ (sqlalchemy/orm/attributes.py:575)';
const LOOK = '_LazyLoader._load_for_state (sqlalchemy/orm/strategies.py:1013)';
const SEND = '_LazyLoader._emit_lazyload (sqlalchemy/orm/strategies.py:1180)';

/** As SQLAlchemy 2.1 was recorded; four in ten stacks only look whether the object is there. */
const STACKS = [
  `${VIEW};list_orders (shop/views.py:34);names_of_items (shop/orders.py:28);${TOUCH};${LOOK};${SEND} 9`,
  `${VIEW};list_orders (shop/views.py:36);${TOUCH};${LOOK};${SEND} 3`,
  `${VIEW};list_orders (shop/views.py:36);${TOUCH};${LOOK} 8`,
  `${VIEW};list_orders (shop/views.py:40) 80`,
];

test('reports relations that are loaded lazily with their query, line and view', async () => {
  const profile = parseRaw(`${STACKS.join('\n')}\n`);
  const { report } = buildProfileReport({ profile, rules: await loadRules(), source: 'raw' });
  const cause = report.causes.find(({ id }) => id === 'lazy-loading');
  assert.equal(cause?.share.value, 0.12);
  assert.deepEqual(cause?.places, [
    {
      ...{ function: 'names_of_items', file: 'shop/orders.py', line: 28, share: 0.75 },
      view: { function: 'list_orders', file: 'shop/views.py', line: 34 },
    },
    { function: 'list_orders', file: 'shop/views.py', line: 36, view: null, share: 0.25 },
  ]);
  assert.doesNotMatch(JSON.stringify(cause?.evidence), /__get__/);
});

test('stacks alone call no lazy load one by one, and counts of one per request make it a remark', async () => {
  const profile = parseRaw(`${STACKS.join('\n')}\n`);
  const { report } = buildProfileReport({ profile, rules: await loadRules(), source: 'raw' });
  const wordsWith = (/** @type {ReturnType<typeof buildCalls> | null} */ calls) => {
    const counted = nameRelations({ profile: report }, calls);
    const [finding] = findCauses(/** @type {any} */ (counted)).filter(
      ({ of }) => of === 'lazy-loading',
    );
    const { title, detail } = wordsOf(finding);
    return { severity: finding?.severity, text: `${title} ${detail}` };
  };
  const alone = wordsWith(null);
  assert.equal(alone.severity, 'warn');
  assert.match(
    alone.text,
    /^A relation or column is loaded lazily, in `names_of_items` \(shop\/orders\.py:28\): 12 % .* stacks do not count queries\.$/,
  );
  assert.doesNotMatch(JSON.stringify(report), /one by one/);
  const statements = (/** @type {number} */ most) => [
    buildStatement({ file: 'shop/orders.py', line: 28, relation: 'Item.product', most }),
    buildStatement({ file: 'shop/views.py', line: 36, relation: 'Order.shop', most: 1 }),
  ];
  const single = wordsWith(buildCalls(statements(1)));
  assert.equal(single.severity, 'info');
  assert.match(single.text, /no request sends the same one twice\.$/);
  assert.equal(wordsWith(buildCalls(statements(4))).severity, 'warn');
  assert.equal(
    wordsWith(buildCalls(statements(1).slice(1))).severity,
    'warn',
    'a place was not counted',
  );
});

/** A line on the way to a relation, as it is written down. @param {string} name @param {number} line @param {boolean} repeats @param {string[]} touches */
const touch = (name, line, repeats, touches) => ({
  ...{ kind: 'touch', function: name, line, repeats, touches },
  file: name === 'names_of_items' ? 'shop/orders.py' : 'shop/views.py',
});

test('a relation that a view loads once is not one by one, and one in a loop is named', async () => {
  const rules = await loadRules();
  const records = [
    touch('list_orders', 34, false, ['orders']),
    touch('names_of_items', 28, true, ['product']),
    touch('list_orders', 36, false, ['shop']),
  ];
  const profile = nameCalls(parseRaw(`${STACKS.join('\n')}\n`), recordsOf('calls', records), rules);
  const { report } = buildProfileReport({ profile, rules, source: 'raw' });
  const cause = report.causes.find(({ id }) => id === 'lazy-loading');
  assert.equal(cause?.share.value, 0.09);
  const [place, ...others] = cause?.places ?? [];
  assert.deepEqual(
    [place?.function, place?.line, place?.touches, place?.view?.function, others],
    ['names_of_items', 28, ['product'], 'list_orders', []],
  );
  // The companion knows what is loaded there, and the attribute may be a schema's.
  const at = { file: 'shop/orders.py', line: 28 };
  const calls = buildCalls([buildStatement({ ...at, relation: 'Item.product_row' })]);
  const counted = nameRelations({ profile: report }, calls).profile.causes;
  assert.deepEqual(counted[0]?.places?.[0]?.touches, ['Item.product_row']);
  assert.deepEqual(nameRelations({ profile: report }, null).profile, report);
});

test('what a serializer touches for each of its rows may be in a loop', async () => {
  const rules = await loadRules();
  const relation =
    'ForwardManyToOneDescriptor.__get__ (django/db/models/fields/related_descriptors.py:249);QuerySet.get (django/db/models/query.py:633)';
  const text = `BaseHandler._get_response (django/core/handlers/base.py:197);OrderList.list (shop/api.py:8);ListSerializer.to_representation (rest_framework/serializers.py:716);get_attribute (rest_framework/fields.py:457);${relation} 60\n`;
  const records = [{ kind: 'touch', function: 'OrderList.list', file: 'shop/api.py', line: 8 }];
  const profile = nameCalls(
    parseRaw(text),
    recordsOf(
      'calls',
      records.map(one => ({ ...one, repeats: false, touches: ['data'] })),
    ),
    rules,
  );
  const { report } = buildProfileReport({ profile, rules, source: 'raw' });
  const cause = report.causes.find(({ id }) => id === 'lazy-loading');
  assert.match(cause?.advice ?? '', /select_related.*fields of its serializer/);
  const generic = parseRaw(text.replace('OrderList.list (shop/api.py:8);', ''));
  const { causes } = buildProfileReport({ profile: generic, rules, source: 'raw' }).report;
  assert.deepEqual(
    causes
      .find(({ id }) => id === 'lazy-loading')
      ?.places?.map(place => `${place.function} ${place.file}:${place.line}`),
    ['get_attribute rest_framework/fields.py:457'],
  );
});
