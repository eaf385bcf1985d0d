import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Ajv } from 'ajv';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import * as rules from '../../lib/analysis/judge/findings/calls.js';
import { describeCpu } from '../../lib/text/document/run-profile.js';
import {
  describeExplanation,
  explainRun,
  listNames,
  writeExplanation,
} from '../../lib/text/explain.js';
import { wordReport } from '../../lib/text/index.js';
import { buildSchema, EXPLANATION } from '../../scripts/write-schemas.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';
import { wordsOf } from '../helpers/words.js';

/** @import { WordedReport } from '../../lib/text/worded-report.d.ts' */

/** @param {any} own @returns {import('../../lib/run/facts/slow-requests.d.ts').SlowRequest} */
const buildSlow = own => ({
  ...{ startedAtMs: 0, status: 200, code: null, error: null, parts: [], blockers: [], calls: [] },
  ...{ worker: 'a', cause: null, ...own },
});

/** @type {WordedReport} */
let report;
const untilEnd = endWithFile();
before(async () => {
  const folder = writeRun(
    makeTempFolder(untilEnd),
    makeRun({
      companion: true,
      durationSec: 20,
      endpoints: [
        { name: 'GET /a', view: 'a', ratePerSec: 30, cpuMs: { 'auth:local': 12, business: 8 } },
        { name: 'GET /b', view: 'b', ratePerSec: 20, cpuMs: { business: 15, 'database:load': 5 } },
      ],
    }),
  );
  report = wordReport((await analyseRun(folder)).report);
});

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(buildSchema(EXPLANATION));

test('every explanation fits the schema and 4 kB', () => {
  for (const name of [undefined, ...listNames(report)]) {
    const explanation = explainRun(report, name);
    assert.ok(explanation && explanation.items.length > 0, name);
    assert.ok(validate(explanation), JSON.stringify(validate.errors));
    assert.ok(writeExplanation(explanation).length <= 4096);
    assert.ok(describeExplanation(explanation).includes(explanation.verdict));
  }
});

test('without a name, explains verdict, bottleneck, largest paths and all findings', () => {
  const { verdict, bottleneck, items = [] } = explainRun(report) ?? {};
  assert.equal(verdict, report.verdict.text.headline);
  assert.equal(bottleneck?.id, report.bottleneck?.id);
  const [path] = items;
  assert.equal(path?.kind, 'path');
  const entry = report.profile?.hotPaths[0]?.entry;
  assert.deepEqual(
    [path?.places[0]?.function, path?.places[0]?.file, path?.places[0]?.line],
    [entry?.function, entry?.file, entry?.line],
  );
  const names = report.findings.map(({ id, of }) => (id === 'cause' && of) || id);
  assert.deepEqual(
    items.filter(({ kind }) => kind === 'finding').map(({ name }) => name),
    names,
  );
});

test('finds an endpoint, a function by the end of its name, and a place', () => {
  const [endpoint] = explainRun(report, 'get /a')?.items ?? [];
  assert.equal(endpoint?.name, 'GET /a');
  const place = explainRun(report, 'GET /b')?.items[0]?.places[0];
  assert.ok(place);
  const heaviest = report.profile?.hotPaths[0]?.heaviest[0];
  assert.ok(heaviest);
  const at = `${heaviest.file}:${heaviest.line}`;
  for (const name of [heaviest.function, heaviest.function.split('.').at(-1), at])
    assert.ok(
      explainRun(report, name)?.items.some(({ places }) =>
        places.some(own => own.function === heaviest.function),
      ),
      name,
    );
});

test('explains a middleware by its CPU, and names its file', () => {
  const share = { value: 0.25, low: 0.2, high: 0.3 };
  const timing = {
    name: 'Timing',
    file: 'shop/timing.py',
    kind: /** @type {const} */ ('application'),
  };
  const cpuMsPerRequest = { value: 1.5, low: 1, high: 2 };
  const wrappers = [{ ...timing, samples: 50, share, cpuMsPerRequest }];
  const profile = /** @type {NonNullable<WordedReport['profile']>} */ (report.profile);
  const known = { ...report, profile: { ...profile, wrappers } };
  const [item] = explainRun(known, 'timing')?.items ?? [];
  assert.equal(item?.kind, 'middleware');
  assert.equal(item?.title, '25.0 % of the CPU, 1.5 ms per request');
  assert.deepEqual(
    item?.places.map(({ file }) => file),
    ['shop/timing.py'],
  );
  assert.ok(validate(explainRun(known, 'timing')));
  const table = JSON.stringify(describeCpu(known));
  assert.match(table, /CPU by middleware.*Timing \(shop\/timing\.py\)","25\.0 % ± 5\.0","1\.5 ms"/);
});

test('lists the slowest requests of all endpoints, or of one: all do not fit 4 kB', () => {
  const calls = [{ function: 'load_orders', file: 'shop/orders.py', line: 7 }];
  const slowest = ['GET /a', 'GET /b'].flatMap((endpoint, of) =>
    Array.from({ length: 20 }, (_, at) =>
      buildSlow({ endpoint, calls, phases: { totalMs: 1000 * (2 - of) - at } }),
    ),
  );
  const known = { ...report, slowest };
  const titlesOf = (/** @type {string} */ name) => {
    const explanation = explainRun(known, name);
    assert.ok(validate(explanation), JSON.stringify(validate.errors));
    const own = explanation?.items.filter(({ kind }) => kind === 'request') ?? [];
    return own.map(({ title }) => title);
  };
  assert.ok(titlesOf('slowest').every(title => title.startsWith('GET /a took')));
  const titles = titlesOf('slowest GET /b');
  assert.ok(titles.length >= 10, `${titles.length}`);
  assert.ok(titles.every(title => title.startsWith('GET /b took')));
});

test('a finding that is requested has the command that proves its fix, with the remedy', () => {
  const [first] = report.findings;
  assert.ok(first);
  const proof = { command: 'loadflame try --fix http-client:pooled', lacks: 'with a script' };
  const text = { ...first.text, proof: { ...proof, place: null, when: 'Now' } };
  const known = /** @type {WordedReport} */ ({ ...report, findings: [{ ...first, text }] });
  const name = (first.id === 'cause' && first.of) || first.id;
  const explanation = explainRun(known, name);
  assert.deepEqual(explanation?.items.find(({ kind }) => kind === 'finding')?.proof, proof);
  assert.ok(validate(explanation), JSON.stringify(validate.errors));
  assert.ok(explanation && describeExplanation(explanation).includes(`${proof.command}, with a`));
  assert.ok(!explainRun(known)?.items.some(item => 'proof' in item), 'all do not fit 4 kB');
});

test('a finding about files, imports and the like has its line, without its name being requested', () => {
  const [first] = report.findings;
  assert.ok(first);
  const act = { file: 'shop/rates.py', line: 13, function: null };
  const own = /** @type {any} */ ({
    ...{ ...first, id: 'act-per-request', severity: 'warn' },
    facts: { act, endpoints: [{ name: 'GET /rates' }] },
  });
  const [item] = explainRun({ ...report, profile: null, findings: [own] })?.items ?? [];
  assert.deepEqual(item?.places, [{ function: '', file: 'shop/rates.py', line: 13, share: null }]);
});

test('finds nothing for an unknown name', () => {
  assert.equal(explainRun(report, 'no_such_name'), null);
});

test('long names and control characters fit 4 kB of plain JSON', () => {
  const long = `\u001b[31m${'ü\u202e'.repeat(3000)}`;
  const paths = report.profile?.hotPaths.map(own => ({
    ...own,
    entry: { ...own.entry, function: long },
    text: long,
  }));
  const odd = /** @type {WordedReport} */ ({
    ...report,
    profile: { ...report.profile, hotPaths: paths },
    verdict: { ...report.verdict, text: { doubt: long, headline: long, sentences: [] } },
  });
  const explanation = explainRun(odd);
  assert.ok(explanation);
  const text = writeExplanation(explanation).toString();
  assert.ok(Buffer.byteLength(text) <= 4096, String(Buffer.byteLength(text)));
  assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
  assert.ok(explanation.left > 0);
});

test('finds lines of statements and of the source by the end of their path', () => {
  const own = withCalls();
  for (const [asked, kind] of [
    ['views.py:34', 'statement'],
    ['/srv/app/shop/views.py:34', 'statement'],
    ['views.py:12', 'source'],
  ]) {
    const { items = [] } = explainRun(own, asked) ?? {};
    assert.ok(
      items.some(item => item.kind === kind),
      asked,
    );
    assert.ok(
      items.every(item => validate({ ...explainRun(own, asked), items: [item] })),
      asked,
    );
  }
  assert.equal(explainRun(own, 'views.py:35'), null);
  assert.equal(explainRun(own, 'iews.py:34'), null);
});

test('explains an endpoint by its CPU per category, findings, statements and hottest lines', () => {
  const own = withCalls();
  const { items = [] } = explainRun(own, 'GET /a') ?? {};
  const [endpoint] = items;
  assert.match(endpoint?.title ?? '', /CPU [\d.]+ ms each, of its CPU (?:auth|business logic) \d/);
  assert.deepEqual(
    endpoint?.places.map(({ file, line, share }) => [file, line, share]),
    [
      ['shop/views.py', 13, 0.2],
      ['shop/views.py', 12, 0.1],
    ],
  );
  assert.deepEqual(
    items.filter(({ kind }) => kind !== 'endpoint').map(({ kind, name }) => [kind, name]),
    [
      ['finding', 'n-plus-one'],
      ['statement', 'shop/views.py:34'],
    ],
  );
  assert.ok(explainRun(own, 'GET /b')?.items.every(({ kind }) => kind === 'endpoint'));
});

/** The report with a repeated statement of GET /a, and the source of its view. @returns {WordedReport} */
function withCalls() {
  const uses = [{ name: 'GET /a', requests: 600, perRequest: 20 }];
  const calls = buildCalls([buildStatement({ uses, relation: 'Order.items' })]);
  const [view] = report.costs?.endpoints.find(({ name }) => name === 'GET /a')?.views ?? [];
  assert.ok(view && report.profile && report.costs);
  const [found] = Object.values(rules).flatMap(rule => rule({ ...report, calls }));
  assert.ok(found);
  const finding = { ...found, text: wordsOf(found) };
  const line = { text: '', cpuMs: null, waiting: 0 };
  const source = {
    ...{ function: view.function, file: 'shop/views.py', line: 11, lineCount: 4 },
    ...{ isChanged: false, share: 0.3, waiting: 0 },
    lines: [
      { ...line, line: 11, share: 0 },
      { ...line, line: 12, share: 0.1 },
      { ...line, line: 13, share: 0.2 },
    ],
  };
  const endpoints = report.costs.endpoints.map(own =>
    own.name === 'GET /a' ? { ...own, views: [{ ...view, file: 'shop/views.py' }] } : own,
  );
  return {
    ...{ ...report, calls, findings: [...report.findings, /** @type {any} */ (finding)] },
    costs: { ...report.costs, endpoints },
    profile: { ...report.profile, lines: [source] },
  };
}
