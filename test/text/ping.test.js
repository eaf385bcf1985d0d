import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { describePing, pickFew } from '../../lib/text/whole-request.js';

/** @param {number} totalMs @returns {any} */
const makeRequest = totalMs => ({
  ...{ scenario: '', method: 'GET', url: 'http://localhost/', status: 200, error: null },
  ...{ phases: { totalMs, firstByteMs: totalMs, bodyMs: 0, opening: null }, bytes: 10 },
  ...{ server: null, calls: null, checks: [], headers: {}, omittedHeaders: 0, body: '' },
});

test('each call has its line, also where names of files and statements are long', () => {
  const columns =
    'topic.id, topic.forum_id, topic.poster_id, topic.subject, topic.slug, topic.created';
  const calls = ['topic', 'post'].map((table, at) => ({
    ...{ kind: 'sql', system: 'sqlite', function: null, relation: null, n: [1, 1], ms: 1 },
    text: `SELECT ${columns} FROM ${table}`,
    ...{ file: 'forum/apps/forum_conversation/abstract_models.py', line: 288 + at },
  }));
  /** @type {any} */
  const report = { requests: [makeRequest(3)], typical: null, reported: 1, unnamed: 0, calls };
  for (const width of [80, 110]) {
    const text = printTerminal(describePing(report), { width });
    assert.match(text, /abstract_models\.py:288.*\n(?:.*\n)*.*abstract_models\.py:289/, text);
    assert.doesNotMatch(text, /also in/);
  }
});

test('the first request and the slowest are shown, in their order', () => {
  const times = [1, 9, 2, 8, 3, 7, 6].map(makeRequest);
  assert.deepEqual(
    pickFew(times).map(({ phases }) => phases.totalMs),
    [1, 9, 8, 7, 6],
  );
  assert.deepEqual(pickFew([]), []);
});
