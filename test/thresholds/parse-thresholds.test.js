import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { LoadflameError } from '../../lib/errors.js';
import { ALIASES, METRICS } from '../../lib/thresholds/metrics.js';
import { parseThresholds, readThresholds } from '../../lib/thresholds/read-thresholds.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const CATEGORIES = ['auth', 'business', 'database'];

/** @param {string} text */
const parse = text => parseThresholds(text, 'thresholds.yaml', CATEGORIES);

test('a file with thresholds of the run and of endpoints is read', () => {
  const thresholds = parse(`# of the whole run
thresholds:
  - http.p95 < 400ms
  - auth.cpuMsPerRequest < 2
  - errors < 1%
  - regression(p95) < 10%
  - throughput >= 100/s
  - worker.memory <= 0.5GB
endpoints:
  GET /api/v1/services/:id:
    - p99 < 1.5s
  "*":
    - errors < 0.5%
`);
  const short = thresholds.map(
    ({ metric, category, endpoint, operator, limit, unit, isRegression, place }) =>
      `${place} ${endpoint ?? '-'} ${category ?? '-'} ${metric} ${isRegression ? 'regression ' : ''}${operator} ${limit} ${unit}`,
  );
  assert.deepEqual(short, [
    'thresholds.yaml:3 - - http.p95 < 400 ms',
    'thresholds.yaml:4 - auth cpuMsPerRequest < 2 ms',
    'thresholds.yaml:5 - - errors < 0.01 share',
    'thresholds.yaml:6 - - http.p95 regression < 0.1 share',
    'thresholds.yaml:7 - - throughput >= 100 perSec',
    'thresholds.yaml:8 - - worker.memory <= 500000000 bytes',
    'thresholds.yaml:11 GET /api/v1/services/:id - http.p99 < 1500 ms',
    'thresholds.yaml:13 * - errors < 0.005 share',
  ]);
});

test('a bare list is a file of thresholds, too', () => {
  assert.equal(parse('- p50 < 1s\n- ttfb.p95<200ms').length, 2);
});

/** A mistake → its line, what is wrong, what to write instead. @type {[string, number, RegExp, RegExp][]} */
const MISTAKES = [
  [
    '- http.p59 < 400ms',
    1,
    /“http.p59” is no metric/,
    /did you mean http\.p\d+\? there are http\.p50/,
  ],
  [
    '- atuh.share < 10%',
    1,
    /“atuh” in .* is no category/,
    /did you mean auth\.share\? there are auth, business/,
  ],
  ['thresholds:\n  - p95 = 4', 2, /“p95 = 4” is no threshold/, /one of < <= > >=/],
  ['- errors < 1', 1, /“1” is no limit for errors/, /a percentage such as 1%/],
  ['- p95 < 10%', 1, /“10%” is no limit for p95/, /a time such as 400ms/],
  ['- p95 < 4.5.1ms', 1, /is no limit/, /a time/],
  ['- regression(p95) < 10ms', 1, /“10ms” is no limit for a regression/, /percentage/],
  ['- regression(p95) > 10%', 1, /needs an upper limit/, /regression\(p95\) < 10%/],
  [
    '- regression(requests) < 10%',
    1,
    /regression\(requests\) is not known/,
    /use one of http\.p50/,
  ],
  ['- worker.memory < 5 apples', 1, /“5 apples” is no limit/, /500MB/],
  ['threshold:\n  - p95 < 1s', 1, /“threshold” is no key/, /did you mean thresholds\?/],
  [
    'endpoints:\n  GET /:\n    - worker.memory < 5GB',
    3,
    /not known per endpoint/,
    /move it to `thresholds:`/,
  ],
  [
    'endpoints:\n  GET /:\n    - regression(auth.cpuMsPerRequest) < 5%',
    3,
    /not known per endpoint/,
    /cpuMsPerRequest of the endpoint/,
  ],
  ['endpoints:\n  - GET /', 2, /does not name endpoints/, /one list per endpoint/],
  ['thresholds: p95 < 1s', 1, /no list of thresholds/, /write a list/],
  ['thresholds:\n  - p95: 5', 2, /this is no threshold/, /http\.p95 < 400ms/],
  ['thresholds:\n  - 5', 2, /this is no threshold/, /http\.p95 < 400ms/],
  ['', 1, /there are no thresholds/, /write a list/],
  ['thresholds: []', 1, /there are no thresholds/, /write a list/],
  ['endpoints:\n  *: [p95 < 1s]', 2, /./, /quotes/],
];

for (const [text, line, problem, change] of MISTAKES) {
  test(`${JSON.stringify(text)} is refused with its line and what to write`, () => {
    assert.throws(
      () => parse(text),
      error => {
        assert.ok(error instanceof LoadflameError, String(error));
        assert.equal(error.code, 'THRESHOLDS_INVALID');
        assert.match(error.message, new RegExp(`^thresholds\\.yaml:${line}: `));
        assert.match(error.message, problem);
        assert.match(error.hint, change);
        return true;
      },
    );
  });
}

test('a file that is not there is an error that names it', async t => {
  const file = path.join(makeTempFolder(t), 'none.yaml');
  await assert.rejects(readThresholds(file, { rulesFile: null }), error => {
    assert.ok(error instanceof LoadflameError);
    assert.equal(error.code, 'THRESHOLDS_UNREADABLE');
    assert.ok(error.message.includes(file));
    return true;
  });
});

test('categories are those of the rules', async t => {
  const file = path.join(makeTempFolder(t), 'thresholds.yaml');
  writeFileSync(file, '- auth.cpuMsPerRequest < 2\n- database.share < 50%\n');
  assert.equal((await readThresholds(file, { rulesFile: null })).length, 2);
});

test('names of metrics and their short forms are unique', () => {
  const names = METRICS.map(({ name, ofCategory }) => `${ofCategory ? '*.' : ''}${name}`);
  assert.equal(
    new Set([...names, ...Object.keys(ALIASES)]).size,
    names.length + Object.keys(ALIASES).length,
  );
  for (const name of Object.values(ALIASES)) assert.ok(names.includes(name), name);
});
