import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignColumns } from '../../lib/report/print/terminal-text.js';

test('names that would look alike when cut are shown in full', () => {
  const rows = [
    ['', 'CPU', 'of all'],
    ['get (app/resources/theq/citizens_of_offices/detail.py)', '4 ms', '12 %'],
    ['get (app/resources/theq/citizens_of_offices/list.py)', '12 ms', '30 %'],
    ['post (app/resources/theq/service_requests/detail.py)', '3 ms', '5 %'],
  ];
  const lines = alignColumns(rows, 56).map(line => line.replace(/ {3,}/, '  '));
  assert.deepEqual(lines, [
    '  CPU  of all',
    '  get (app/resources/theq/citizens_of_offices/detail.py)',
    '  4 ms    12 %',
    '  get (app/resources/theq/citizens_of_offices/list.py)',
    '  12 ms    30 %',
    '  post (app/resources/theq/service_reque…  3 ms     5 %',
  ]);
});
