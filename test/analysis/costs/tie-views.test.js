import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tieByName } from '../../../lib/analysis/costs/tie-by-name.js';
import { tieViews } from '../../../lib/analysis/costs/tie-views.js';
import { createRandom } from '../../../lib/math/random.js';

/** @param {string} text `view (file)` per line, `→ endpoint` where they belong together */
function readTable(text) {
  return text
    .trim()
    .split('\n')
    .map(line => {
      const [, name = '', file = '', endpoint = ''] =
        /^\s*(\S+) \((\S+)\)\s*→\s*(.*?)\s*$/.exec(line) ?? [];
      return { view: { function: name, file }, endpoint };
    });
}

for (const [api, text] of Object.entries({
  'functions named for what they do': `
    list_citizens (api/resources/citizens.py) → GET /api/v1/citizens/
    list_appointments (api/resources/appointments.py) → GET /api/v1/appointments/
    create_appointment (api/resources/appointments.py) → POST /api/v1/appointments/
    update_appointment (api/resources/appointments.py) → PUT /api/v1/appointments/:id/
    delete_appointment (api/resources/appointments.py) → DELETE /api/v1/appointments/:id/
    create_draft (api/resources/drafts.py) → POST /api/v1/appointments/draft
    delete_draft (api/resources/drafts.py) → DELETE /api/v1/appointments/draft/:id/
    list_categories (api/resources/lookups.py) → GET /api/v1/categories/
    list_exam_types (api/resources/lookups.py) → GET /api/v1/exam_types/
    get_health (api/resources/health.py) → GET /api/v1/health`,
  'methods of resources': `
    CitizenList.get (app/resources/citizen/citizen_list.py) → GET /api/v1/citizens/
    CitizenList.post (app/resources/citizen/citizen_list.py) → POST /api/v1/citizens/
    CitizenDetail.get (app/resources/citizen/citizen_detail.py) → GET /api/v1/citizens/:id/
    CitizenDetail.put (app/resources/citizen/citizen_detail.py) → PUT /api/v1/citizens/:id/
    ServiceList.get (app/resources/service_list.py) → GET /api/v1/services/`,
  'words that a rule groups': `
    rate_list (api/rates.py) → GET /api/rates/
    rate_detail (api/rates.py) → GET /api/rates/:currency`,
  'before Python 3.11, told apart by their modules': `
    get (api/orders.py) → GET /orders
    post (api/orders.py) → POST /orders
    get (api/invoices.py) → GET /invoices`,
}))
  test(`views are tied to endpoints by name: ${api}`, () => {
    const rows = readTable(text);
    const endpoints = rows.map(({ endpoint }) => endpoint).toSorted();
    const ties = tieByName(
      rows.map(({ view }) => view),
      endpoints,
    );
    assert.deepEqual(
      rows.map((_, index) => endpoints[ties.get(index) ?? -1]),
      rows.map(({ endpoint }) => endpoint),
    );
  });

test('names that fit two endpoints, or none, tie nothing', () => {
  const view = (/** @type {string} */ name) => ({ function: name, file: 'shop/main.py' });
  assert.equal(
    tieByName([view('get_report')], ['GET /report/daily', 'GET /report/weekly']).size,
    0,
  );
  assert.equal(tieByName([view('handle')], ['GET /users', 'GET /orders']).size, 0);
  assert.equal(tieByName([view('delete_user')], ['GET /users', 'POST /users']).size, 0);
  assert.equal(tieByName([], ['GET /users']).size, 0);
  assert.equal(tieByName([view('list_users')], []).size, 0);
});

test('a view without a name that tells is tied by its CPU over time; where that says nothing, not at all', () => {
  const random = createRandom(7);
  const windows = 60;
  const rate = () => Array.from({ length: windows }, () => Math.round(5 + random() * 60));
  const rates = { a: rate(), b: rate() };
  const view = {
    function: 'handle',
    file: 'shop/main.py',
    samples: 0,
    perWindow: Float64Array.from(rates.b, requests => Math.round(requests * 0.5 + random() * 4)),
  };
  view.samples = view.perWindow.reduce((sum, own) => sum + own, 0);
  const total = (/** @type {number[]} */ values) => values.reduce((sum, own) => sum + own, 0);
  const endpoints = [
    { name: 'GET /alpha', perWindow: rates.a, requests: total(rates.a) },
    { name: 'GET /beta', perWindow: rates.b, requests: total(rates.b) },
  ];
  const [ties = []] = tieViews([view], endpoints);
  const beta = ties.find(({ endpoint }) => endpoint === 1);
  assert.equal(beta?.basis, 'least-squares');
  assert.ok(Math.abs(beta.perRequest - 0.5) < 0.1, JSON.stringify(ties));
  assert.ok(beta.doubt > 0 && beta.doubt < 0.5);
  const few = { ...view, samples: 30, perWindow: view.perWindow.map(own => (own > 20 ? 1 : 0)) };
  assert.deepEqual(tieViews([few], endpoints), [[]]);
  const same = endpoints.map(endpoint => ({ ...endpoint, perWindow: rates.b }));
  assert.ok(tieViews([view], same)[0]?.every(({ doubt }) => doubt <= 0.5));
});
