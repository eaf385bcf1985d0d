import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { renderJunit } from '../../lib/report/render-junit.js';

/** @import { WordedThreshold } from '../../lib/text/thresholds.js' */

/** @param {Partial<WordedThreshold>} [own] @returns {WordedThreshold} */
const result = own => ({
  expression: 'http.p95 < 400ms',
  metric: 'http.p95',
  category: null,
  place: 'thresholds.yaml:3',
  endpoint: null,
  status: 'pass',
  value: null,
  missing: null,
  limit: 400,
  unit: 'ms',
  isRegression: false,
  text: '88 ms',
  ...own,
});
const RUN = { name: 'run', startedAtMs: 1795211103000, durationMs: 62_500, invalid: null };
const HOSTILE = ']]>"\'<!--&amp;\u0000\u001b[31m\ud800\ufffe</testcase>';

/**
 * Reads XML with a real parser and checks the rules of Ant's JUnit schema: required attributes, their
 * forms, and which elements stand where.
 * @param {string} xml
 * @returns {any} of the suite: attributes and cases
 */
function readJunit(xml) {
  const script = `
import sys, json, re, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
assert root.tag == 'testsuites' and not root.attrib, root.tag
assert [child.tag for child in root] == ['testsuite']
suite = root[0]
required = {'package', 'id', 'name', 'timestamp', 'hostname', 'tests', 'failures', 'errors', 'time'}
assert required <= set(suite.attrib) <= required | {'skipped'}, suite.attrib
assert re.fullmatch(r'[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}', suite.get('timestamp'))
tags = [child.tag for child in suite]
assert tags[0] == 'properties' and tags[-2:] == ['system-out', 'system-err'], tags
cases = suite[1:-2]
assert all(case.tag == 'testcase' for case in cases)
for case in cases:
    assert set(case.attrib) == {'name', 'classname', 'time'}, case.attrib
    assert len(case) <= 1
    for child in case:
        assert child.tag in ('failure', 'error', 'skipped')
        if child.tag != 'skipped': assert child.get('type')
for name in ('tests', 'failures', 'errors', 'skipped'): int(suite.get(name))
float(suite.get('time'))
print(json.dumps({'suite': suite.attrib, 'cases': [
  {'name': c.get('name'), 'outcome': c[0].tag if len(c) else 'pass',
   'message': c[0].get('message') if len(c) else None} for c in cases]}))`;
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: xml,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stderr}\n${xml}`);
  return JSON.parse(stdout);
}

test('passed, failed, uncertain and unknown thresholds are cases of their kinds', () => {
  const { suite, cases } = readJunit(
    renderJunit({
      ...RUN,
      results: [
        result(),
        result({ status: 'fail', text: '512 ms', endpoint: 'GET /a' }),
        result({ status: 'uncertain', text: 'near' }),
        result({ status: 'unknown', text: 'no profile' }),
      ],
    }),
  );
  assert.deepEqual(
    cases.map((/** @type {any} */ item) => item.outcome),
    ['pass', 'pass', 'failure', 'skipped', 'skipped'],
  );
  assert.equal(cases[2].name, 'GET /a: http.p95 < 400ms');
  assert.equal(cases[2].message, '512 ms (thresholds.yaml:3)');
  assert.deepEqual(
    [suite.tests, suite.failures, suite.errors, suite.skipped, suite.time],
    ['5', '1', '0', '2', '62.500'],
  );
});

test('a run that is not valid is an error', () => {
  const { suite, cases } = readJunit(
    renderJunit({ ...RUN, invalid: 'none of 5 requests was answered', results: [] }),
  );
  assert.equal(suite.errors, '1');
  assert.deepEqual(cases, [
    { name: 'the run is valid', outcome: 'error', message: 'none of 5 requests was answered' },
  ]);
});

test('hostile text stays text, and what XML does not allow is replaced', () => {
  const { suite, cases } = readJunit(
    renderJunit({
      ...RUN,
      name: HOSTILE,
      results: [result({ expression: HOSTILE, endpoint: HOSTILE, text: HOSTILE, status: 'fail' })],
    }),
  );
  const expected = ['\u0000', '\u001b', '\ud800', '\ufffe'].reduce(
    (text, character) => text.replaceAll(character, '\ufffd'),
    HOSTILE,
  );
  assert.equal(suite.name, expected);
  assert.equal(cases[1].name, `${expected}: ${expected}`);
  assert.ok(cases[1].message.startsWith(expected));
});
