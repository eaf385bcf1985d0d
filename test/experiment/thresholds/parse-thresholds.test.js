import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { LoadflameError } from '../../../lib/base/errors.js';
import {
  ALIASES,
  METRICS,
  parseThresholds,
  readThresholds,
} from '../../../lib/experiment/thresholds/read-thresholds.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const CATEGORIES = [
  { id: 'auth', label: 'auth' },
  { id: 'business', label: 'business logic' },
  { id: 'http-client', label: 'calls to other services' },
];

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

test('a category may be named by its id, or as reports name it', () => {
  const thresholds = parse(
    '- http-client.share < 10%\n- calls to other services.share < 10%\n- Business logic.cpuMsPerRequest < 2\n',
  );
  assert.deepEqual(
    thresholds.map(({ metric, category }) => `${category} ${metric}`),
    ['http-client share', 'http-client share', 'business cpuMsPerRequest'],
  );
});

test('a bare list is a file of thresholds, too', () => {
  assert.equal(parse('- p50 < 1s\n- ttfb.p95<200ms').length, 2);
});

/** A mistake → its line, what is wrong, what to write instead. @type {[string, number, RegExp, RegExp][]} */
const MISTAKES = [
  [
    '- http.p59 < 400ms',
    1,
    /unknown metric “http.p59”/,
    /did you mean http\.p\d+\? metrics are throughput, errors/,
  ],
  [
    '- atuh.share < 10%',
    1,
    /unknown category “atuh”/,
    /did you mean auth\.share\? categories are auth, business/,
  ],
  ['thresholds:\n  - p95 = 4', 2, /“p95 = 4” is not a threshold/, /one of < <= > >=/],
  ['- errors < 1', 1, /“1” is not a limit for errors/, /a percentage such as 1%/],
  ['- p95 < 10%', 1, /“10%” is not a limit for p95/, /a time such as 400ms/],
  ['- p95 < 4.5.1ms', 1, /is not a limit/, /a time/],
  ['- regression(p95) < 10ms', 1, /“10ms” is not a limit for a regression/, /percentage/],
  ['- regression(p95) > 10%', 1, /needs an upper limit/, /regression\(p95\) < 10%/],
  [
    '- regression(requests) < 10%',
    1,
    /regression\(requests\) is not possible/,
    /use one of throughput, errors/,
  ],
  ['- worker.memory < 5 apples', 1, /“5 apples” is not a limit/, /500MB/],
  [
    'threshold:\n  - p95 < 1s',
    1,
    /threshold is not a key of a thresholds file/,
    /did you mean thresholds\?/,
  ],
  [
    'endpoints:\n  GET /:\n    - worker.memory < 5GB',
    3,
    /no value per endpoint/,
    /move it to `thresholds:`/,
  ],
  [
    'endpoints:\n  GET /:\n    - regression(auth.cpuMsPerRequest) < 5%',
    3,
    /no value per endpoint/,
    /cpuMsPerRequest of the endpoint/,
  ],
  ['endpoints:\n  - GET /', 1, /endpoints is .* not allowed/, /give a map/],
  ['thresholds: p95 < 1s', 1, /thresholds is .* not allowed/, /give a list/],
  ['thresholds:\n  - p95: 5', 2, /thresholds\[1\] is .* not allowed/, /http\.p95 < 400ms/],
  ['thresholds:\n  - 5', 2, /thresholds\[1\] is 5, which is not allowed/, /http\.p95 < 400ms/],
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
        assert.match(error.message, new RegExp(`^thresholds\\.yaml:${line}(:\\d+)?: `));
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
  const names = [...METRICS.keys()];
  assert.equal(
    new Set([...names, ...Object.keys(ALIASES)]).size,
    names.length + Object.keys(ALIASES).length,
  );
  for (const name of Object.values(ALIASES)) assert.ok(names.includes(name), name);
});

test('docs/thresholds.md lists every category of the rules, and every metric', async () => {
  const docs = readFileSync(new URL('../../../docs/thresholds.md', import.meta.url), 'utf8');
  const { categories } = await loadRules(null);
  const [, list = ''] = docs.match(/^Write a category as its id.*\n\n(.+)$/m) ?? [];
  const ids = list.split(', ').map(id => id.replaceAll('`', ''));
  assert.deepEqual(ids.toSorted(), [...categories.keys()].toSorted());
  for (const name of METRICS.keys()) {
    const [first = '', ...rest] = name.replace('*.', '').split('.');
    assert.ok(docs.includes(first) && docs.includes(rest.at(-1) ?? first), name);
  }
});
