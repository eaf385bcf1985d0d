import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { wordReport } from '../../lib/text/index.js';
import { describeSought } from '../../lib/text/sought.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';
import { fullReport } from '../fixtures/reports/reports.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { printRun } from '../helpers/print-documents.js';

test('the full report says how many causes were looked for, which are missing, and which need the companion', async () => {
  const rules = await loadRules();
  const view = 'Flask.wsgi_app (flask/app.py:1511);show (shop/views.py:3)';
  const stacks = `${view};deepcopy (copy.py:9) 50\n${view};TypeAdapter.__init__ (pydantic/type_adapter.py:9) 50\n`;
  const { sought, causes } = analyseProfile({ profile: parseRaw(stacks), rules });
  assert.equal(causes.length, 2);
  assert.equal(sought?.length, rules.causes.length + rules.counted.length);
  const report = fullReport();
  const print = (/** @type {object} */ more) => {
    const profile = { ...report.profile, causes, sought };
    const worded = wordReport(/** @type {any} */ ({ ...report, profile, findings: [], ...more }));
    return printRun(worded, { extent: 'full', width: 80 }).replace(/\s+/g, ' ');
  };
  const without = print({ calls: null });
  const { length } = rules.causes;
  assert.ok(
    without.includes(`${length} known causes were looked for, and ${length - 2} seen nowhere: `),
  );
  assert.match(without, /seen nowhere: [^.]*TLS context per request/);
  assert.doesNotMatch(
    without,
    /seen nowhere: [^.]*(?:deep copies|an object built for each request)/,
  );
  assert.match(
    without,
    / Only with the companion: N\+1 queries, .* and long garbage collections\./,
  );
  const all = length + rules.counted.length;
  const profile = { ...report.profile, causes, sought };
  const worded = wordReport(/** @type {any} */ ({ ...report, profile, findings: [] }));
  const findings = [{ id: 'n-plus-one' }];
  const calls = /** @type {any} */ ({});
  const say = (/** @type {object} */ more) =>
    JSON.stringify(describeSought(/** @type {any} */ ({ ...worded, ...more })));
  const withCalls = say({ calls, findings });
  assert.ok(withCalls.includes(`${all} known causes were looked for, and ${all - 3} seen nowhere`));
  assert.doesNotMatch(withCalls, /Only with the companion/);
  assert.match(withCalls, /database connection per request/);
  const call = { kind: 'connect', system: 'sqlite' };
  const opens = [{ id: 'repeated-call', facts: { call } }];
  const counted = say({ calls, findings: opens });
  assert.doesNotMatch(counted, /database connection per request/);
  assert.match(counted, /HTTP client per request/i);
  assert.doesNotMatch(print({ profile: { ...report.profile, causes } }), /were looked for/);
});

test('a cause that samples show, and that is too small for a finding, is not said to be seen nowhere', async () => {
  const rules = await loadRules();
  const view = 'FastAPI.__call__ (fastapi/applications.py:9);show (shop/views.py:3)';
  const stacks = `${view} 95\n${view};jsonable_encoder (fastapi/encoders.py:9) 5\n`;
  const { sought, causes } = analyseProfile({ profile: parseRaw(stacks), rules });
  assert.deepEqual(causes, []);
  const { profile, ...report } = wordReport(/** @type {any} */ ({ ...fullReport(), findings: [] }));
  const said = JSON.stringify(
    describeSought(/** @type {any} */ ({ ...report, profile: { ...profile, causes, sought } })),
  );
  assert.match(
    said,
    /too little, or too seldom, to name it: [^.]*by jsonable_encoder \(5\.0 %\)\./,
  );
  assert.doesNotMatch(said, /seen nowhere: [^.]*jsonable_encoder/);
});

test('a cause that was counted, and is too small for a finding, is not said to be missing', async () => {
  const rules = await loadRules();
  const stacks = 'Flask.wsgi_app (flask/app.py:1511);show (shop/views.py:3) 50\n';
  const { sought } = analyseProfile({ profile: parseRaw(stacks), rules });
  const worded = wordReport(/** @type {any} */ ({ ...fullReport(), findings: [] }));
  const print = (/** @type {string} */ text, name = 'GET /orders') => {
    const calls = buildCalls([buildStatement({ text, uses: [{ name, requests: 200 }] })]);
    const profile = /** @type {any} */ ({ ...worded.profile, sought });
    return JSON.stringify(describeSought({ ...worded, profile, calls, findings: [] }));
  };
  const [counted, written] = ['rows counted for each page', 'writes in requests that read'];
  assert.match(print('SELECT items.id FROM items'), new RegExp(`${counted}.*${written}`));
  assert.doesNotMatch(print('SELECT count(*) AS count_1 FROM items'), new RegExp(counted));
  const write = 'UPDATE users SET seen = ? WHERE id = ?';
  assert.doesNotMatch(print(write), new RegExp(written));
  assert.match(print(write, 'POST /orders'), new RegExp(written));
});

test('what the companion counted is not said to be seen nowhere, nor what a saturated CPU hides', async () => {
  const { causes, counted } = await loadRules();
  const sought = [...causes, ...counted].map(({ id, title }, at) => {
    return { id, title, isCounted: at >= causes.length, seen: 0 };
  });
  const worded = wordReport(/** @type {any} */ ({ ...fullReport(), findings: [] }));
  /** @param {object} more @param {object[]} findings @param {any[]} statements */
  const say = (more, findings = [], statements = []) => {
    const calls = { ...buildCalls(statements), ...more };
    const profile = { ...worded.profile, causes: [], sought };
    const report = /** @type {any} */ ({ ...worded, profile, calls, findings });
    const text = describeSought(report)?.text ?? '';
    const [missing = '', little = ''] = text.split(' Work of C code');
    return { missing, little };
  };
  /** @type {[string, RegExp][]} */
  const kinds = [
    ['thread', /threads started in requests/],
    ['import', /modules imported during requests/],
    ['tls', /TLS context per request/],
    ['lookup', /name look-up per request/],
    ['engine', /database engine per request/],
    ['compile', /templates compiled per request/],
  ];
  for (const [kind, title] of kinds) {
    assert.match(say({}).missing, title);
    const act = { id: 'a', kind, system: null };
    const seldom = say({ acts: [act] });
    assert.doesNotMatch(seldom.missing, title);
    assert.match(seldom.little, title);
    const named = say({ acts: [act] }, [{ id: 'act-per-request', facts: { act } }]);
    assert.doesNotMatch(named.missing + named.little, title);
  }
  const open = /transactions open during calls/;
  assert.match(say({}, [], [buildStatement({ most: 1 })]).missing, open);
  const service = buildStatement({ kind: 'http', openMs: 900, most: 1 });
  assert.doesNotMatch(say({}, [], [service]).missing, open);
  assert.match(say({}, [], [service]).little, open);
  const again = /repeated statements and connections/;
  assert.match(say({}, [], [service]).missing, again);
  assert.match(say({}, [], [{ ...service, most: 2 }]).little, again);
  const timed = /slow statements and calls, waits for a pool.* transactions open without need/;
  assert.match(say({}).missing, timed);
  const bound = say({ bound: { by: 'workers', cores: 1 } });
  assert.doesNotMatch(bound.missing, /slow statements|waits for a pool|open without need/);
  assert.match(bound.little, /Not known, because times of calls are upper bounds: slow statements/);
});
