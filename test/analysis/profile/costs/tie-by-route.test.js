import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tieByRoute } from '../../../../lib/analysis/profile/costs/attribute.js';

/**
 * @param {string[]} texts `GET /items/<id> view`: routes as the source has them
 * @param {string[]} endpoints
 * @returns {Record<string, string>} endpoint by view
 */
function tie(texts, endpoints) {
  const routes = texts.map(text => {
    const [methods = '', path = '', name = ''] = text.split(' ');
    return { function: name, file: 'views.py', path, methods: methods.split('|') };
  });
  const views = [...new Set(routes.map(route => route.function))].map(name => ({
    function: name,
    file: 'views.py',
  }));
  const ties = tieByRoute(views, endpoints, routes);
  return Object.fromEntries(
    [...ties].map(([view, endpoint]) => [views[view]?.function, endpoints[endpoint]]),
  );
}

test('a view has the endpoint whose path its route is, behind any prefix', () => {
  const routes = ['GET /alerts search', 'POST /alert receive', 'GET /alert/<alert_id> look'];
  for (const prefix of ['', '/api', '/api/v1'])
    assert.deepEqual(
      tie(routes, [`GET ${prefix}/alerts`, `POST ${prefix}/alert`, `GET ${prefix}/alert/:id`]),
      {
        search: `GET ${prefix}/alerts`,
        receive: `POST ${prefix}/alert`,
        look: `GET ${prefix}/alert/:id`,
      },
    );
});

test('the longest route with the fewest variable parts has it', () => {
  assert.deepEqual(
    tie(
      ['GET /<name> page', 'GET /alerts/<id> one', 'GET /alerts/count count', 'GET /count bare'],
      ['GET /alerts/count', 'GET /alerts/:id'],
    ),
    { count: 'GET /alerts/count', one: 'GET /alerts/:id' },
  );
});

test('an ambiguous route matches no endpoint', () => {
  assert.deepEqual(tie(['GET /items a', 'GET /items b'], ['GET /v1/items']), {});
  assert.deepEqual(tie(['GET|POST /items a'], ['GET /items', 'POST /items']), {});
  assert.deepEqual(tie(['GET /items a'], ['POST /items', 'GET /other']), {});
});
