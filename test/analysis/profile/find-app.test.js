import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { addLibraries } from '../../../lib/analysis/profile/find-app.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();
const FLASK = 'Flask.wsgi_app (flask/app.py:15);Flask.dispatch_request (flask/app.py:20)';
const DJANGO =
  'BaseHandler._get_response (django/core/handlers/base.py:197);APIView.dispatch (rest_framework/views.py:515)';
const LIST = `${DJANGO};ListModelMixin.list (rest_framework/mixins.py:46)`;

/**
 * The libraries among these modules, by stacks that each have the same samples.
 * @param {Parameters<typeof addLibraries>[2]} manifest @param {...string} stacks
 */
const librariesOf = (manifest, ...stacks) =>
  [
    ...addLibraries(
      rules,
      parseRaw(stacks.map(stack => `${stack} 50\n`).join('')),
      manifest,
    ).installed.difference(rules.installed),
  ].sort();

test('an installed application is what no other package needs, and all that it needs are libraries', () => {
  const modules = { needed: ['purify', 'flex_fields'], unneeded: ['shop', 'gunicorn'] };
  const view = `${FLASK};show (shop/views.py:4)`;
  const all = librariesOf({ modules }, view, `${view};clean (purify/filters.py:9)`);
  assert.deepEqual(all, ['flex_fields', 'purify']);
});

test('of two packages that none needs, the one without a view is a library', () => {
  const modules = { needed: [], unneeded: ['shop', 'purify'] };
  const view = `${FLASK};show (shop/views.py:4)`;
  assert.deepEqual(librariesOf({ modules }, view, `${view};clean (purify/filters.py:9)`), [
    'purify',
  ]);
  // A hook of Django's is called where views are.
  const hook = `${DJANGO.split(';')[0]};Purify.process_view (purify/middleware.py:3)`;
  assert.deepEqual(librariesOf({ modules }, view, hook), ['purify']);
});

test('with code that is not installed, packages are libraries, even if only generic views are sampled', () => {
  const modules = { needed: [], unneeded: ['purify'] };
  const own = `${LIST};OrderSerializer.names (orders/serializers.py:8)`;
  assert.deepEqual(librariesOf({ modules }, `${own};clean (purify/filters.py:9)`), ['purify']);
});

test('a file of a deployment around an installed application makes it no library', () => {
  const modules = { needed: [], unneeded: ['shop'] };
  const around = 'Timing.__call__ (deploy_wsgi.py:4)';
  const generic = `${around};${LIST};OrderSerializer.names (shop/serializers.py:8)`;
  assert.deepEqual(librariesOf({ modules }, generic), []);
});

test('an application stays one where a plug-in needs it, or where a library has the only views that are seen', () => {
  const modules = { needed: ['shop'], unneeded: ['shop_plugin'] };
  const view = `${FLASK};show (shop/views.py:4)`;
  const plugged = `${FLASK};more (shop_plugin/views.py:4)`;
  assert.deepEqual(librariesOf({ modules }, view, view, plugged), []);
  const builder = `${FLASK};ModelApi.get_list (shop/api.py:4);Cost.total (shop_plugin/models.py:7)`;
  assert.deepEqual(librariesOf({ modules }, builder), []);
});

test('views of a library are none of the application where others have at least as many samples', () => {
  const modules = { needed: ['schema_views'], unneeded: ['shop'] };
  const [own, other] = [
    `${FLASK};show (shop/views.py:4)`,
    `${FLASK};schema (schema_views/views.py:9)`,
  ];
  assert.deepEqual(librariesOf({ modules }, own, own, other), ['schema_views']);
});

test('without a known framework, a package that no other needs stays the application', () => {
  const modules = { needed: ['purify'], unneeded: ['shop'] };
  const stack = 'Router.call (unknown_router.py:9);show (shop/views.py:4)';
  assert.deepEqual(librariesOf({ modules }, stack), ['purify']);
});

test('older recordings have only the names of packages', () => {
  const packages = { shop: '1.0', 'pure-html': '2', flask: '3' };
  const view = `${FLASK};show (shop/views.py:4)`;
  assert.deepEqual(librariesOf({ packages }, view, `${view};clean (pure_html/filters.py:9)`), [
    'pure_html',
  ]);
  assert.deepEqual(librariesOf({}, view), []);
});

test('a torn stack makes no package an application', () => {
  const modules = { needed: [], unneeded: ['shop', 'purify'] };
  const view = `${FLASK};show (shop/views.py:4)`;
  const stacks = Array.from({ length: 120 }, () => view);
  assert.deepEqual(librariesOf({ modules }, ...stacks, `${FLASK};clean (purify/filters.py:9)`), [
    'purify',
  ]);
});
