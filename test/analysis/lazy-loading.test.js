import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProfileReport } from '../../lib/analysis/profile/profile-report.js';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { parseRaw } from '../helpers/parse-raw.js';

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

test('related rows that are loaded one by one are told with the query that is sent, the line and the view', async () => {
  const profile = parseRaw(`${STACKS.join('\n')}\n`);
  const { report } = buildProfileReport({ profile, rules: await loadRules(), source: 'raw' });
  const cause = report.causes.find(({ id }) => id === 'lazy-loading');
  assert.equal(cause?.share.value, 0.12);
  assert.deepEqual(cause?.places, [
    {
      ...{ function: 'names_of_items', file: 'shop/orders.py', line: 28, share: 0.75 },
      view: { function: 'list_orders', file: 'shop/views.py' },
    },
    { function: 'list_orders', file: 'shop/views.py', line: 36, view: null, share: 0.25 },
  ]);
  assert.doesNotMatch(JSON.stringify(cause?.evidence), /__get__/);
});
