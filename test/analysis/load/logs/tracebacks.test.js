import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceback } from '../../../../lib/analysis/load/logs/tracebacks.js';

/** @param {[file: string, line: number, name: string][]} frames */
const raise = frames =>
  [
    '[ERROR] Exception on /trip/ [GET]',
    'Traceback (most recent call last):',
    ...frames.flatMap(([file, line, name]) => [
      `  File "${file}", line ${line}, in ${name}`,
      '    x',
    ]),
    "ValueError: time data '01/02/2026' does not match format",
  ].join('\n');
const SITE = '/srv/.venv/lib/python3.11/site-packages';

test('the place of an exception is the line of an application that is installed as a package', () => {
  const own = raise([
    [`${SITE}/flask/app.py`, 1511, 'wsgi_app'],
    [`${SITE}/moneybook/web.py`, 703, 'list_bills'],
    [`${SITE}/sqlalchemy/orm/query.py`, 12, 'all'],
    ['/usr/lib/python3.11/_strptime.py', 349, '_strptime'],
  ]);
  assert.equal(readTraceback(own)?.place, 'list_bills (moneybook/web.py:703)');
});

test('a package that others need is no application, unless there is no other', () => {
  const needed = new Set(['purify', 'moneybook']);
  const frames = /** @type {[string, number, string][]} */ ([
    [`${SITE}/moneybook/web.py`, 703, 'list_bills'],
    [`${SITE}/purify/filters.py`, 9, 'clean'],
  ]);
  assert.equal(readTraceback(raise(frames))?.place, 'clean (purify/filters.py:9)');
  const known = readTraceback(raise(frames), new Set(['purify']));
  assert.equal(known?.place, 'list_bills (moneybook/web.py:703)');
  assert.equal(readTraceback(raise(frames), needed)?.place, 'clean (purify/filters.py:9)');
});

test('code that is not installed comes first, and a library where there is no other', () => {
  const both = raise([
    ['/srv/api/views.py', 3, 'trip'],
    [`${SITE}/moneybook/web.py`, 703, 'list_bills'],
  ]);
  assert.equal(readTraceback(both)?.place, 'trip (api/views.py:3)');
  const none = raise([[`${SITE}/flask/app.py`, 1511, 'wsgi_app']]);
  assert.equal(readTraceback(none)?.place, 'wsgi_app (flask/app.py:1511)');
});
