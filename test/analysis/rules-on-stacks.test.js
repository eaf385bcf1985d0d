import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { describePath } from '../../lib/text/hot-path.js';
import { parseRaw } from '../helpers/parse-raw.js';

const rules = await loadRules();
const FLASK =
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500)';

/** @param {...string} stacks below Flask's frames, each with its samples */
function analyse(...stacks) {
  const text = stacks.map(stack => `${FLASK};${stack}\n`).join('');
  return analyseProfile({ profile: parseRaw(text), rules });
}

test('the sentence on a path has the share of that path, not of its category', () => {
  const { hotPaths, categories } = analyse(
    'login (shop/views.py:9);checkpw (bcrypt/__init__.py:90) 35',
    'login (shop/views.py:12);encode (jwt/api_jwt.py:80) 16',
    'rows (shop/views.py:30) 49',
  );
  assert.equal(categories.find(({ id }) => id === 'auth')?.samples, 51);
  const path = hotPaths.find(({ entry }) => entry.function === 'checkpw');
  assert.match(
    path ? describePath(path) : '',
    /^Auth in `checkpw` \(bcrypt\/__init__\.py\) takes 35 % /,
  );
});
