import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { build, rules } from '../built-profiles.js';

const SITE = '/opt/python3.12/lib/python3.12/site-packages';
const VIEW = [
  'Flask.wsgi_app (flask/app.py:1500)',
  'history (/srv/shop/views.py:30)',
  'render_template (flask/templating.py:150)',
  'Template.render (jinja2/environment.py:1290)',
  'root (<template>:20)',
];
const CALL = 'Context.call (jinja2/runtime.py:303)';
const OWN = 'static_url (/srv/shop/views.py:24)';

/** @param {string[]} stack of half of the CPU, all through the run */
function analyse(stack) {
  const stackOf = (/** @type {string[]} */ own) =>
    own.map(frame => frame.replace(/\((?![/<])/, `(${SITE}/`));
  const rows = [0, 1, 2, 3, 4, 5].flatMap(segment => [
    [segment, 2, stackOf(VIEW), 60],
    [segment, 2, stackOf(stack), 60],
  ]);
  const profile = build(/** @type {any} */ (rows));
  const { causes } = analyseProfile({ profile, rules, workersMs: 7200, requests: 360 });
  return causes.find(({ id }) => id === 'called-by-template');
}

test('what a template calls is a cause, with the line of the function and of the view', () => {
  const found = analyse([...VIEW, CALL, OWN, 'Flask.url_for (flask/app.py:1106)']);
  assert.equal(found?.share.value, 0.5);
  assert.equal(found?.severity, 'warn');
  const [place] = found?.places ?? [];
  assert.deepEqual([place?.function, place?.line], ['static_url', 24]);
  assert.deepEqual([place?.view?.function, place?.view?.line], ['history', 30]);
});

test('url_for of a template itself is one, too', () => {
  const found = analyse([...VIEW, CALL, 'Flask.url_for (flask/app.py:1106)']);
  assert.deepEqual([found?.share.value, found?.places?.[0]?.function], [0.5, 'history']);
});

test('macros and filters of a template, and what a view calls itself, are none', () => {
  for (const stack of [
    [...VIEW, CALL, 'Macro.__call__ (jinja2/runtime.py:776)', 'macro (<template>:80)'],
    [
      ...VIEW,
      CALL,
      'Macro.__call__ (jinja2/runtime.py:776)',
      'macro (/srv/shop/templates/a.html:80)',
    ],
    [...VIEW, 'do_title (jinja2/filters.py:300)'],
    [...VIEW.slice(0, 2), OWN, 'Flask.url_for (flask/app.py:1106)'],
  ])
    assert.equal(analyse(stack), undefined, stack.at(-1));
});
