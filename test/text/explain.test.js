import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Ajv } from 'ajv';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import {
  describeExplanation,
  explainRun,
  listNames,
  writeExplanation,
} from '../../lib/text/explain.js';
import { wordReport } from '../../lib/text/index.js';
import { buildSchema, EXPLANATION } from '../../scripts/write-schemas.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @import { WordedReport } from '../../lib/text/worded-report.d.ts' */

/** @type {WordedReport} */
let report;
before(async t => {
  const folder = writeRun(
    makeTempFolder(/** @type {any} */ (t)),
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
    verdict: { ...report.verdict, text: { headline: long, sentences: [] } },
  });
  const explanation = explainRun(odd);
  assert.ok(explanation);
  const text = writeExplanation(explanation).toString();
  assert.ok(Buffer.byteLength(text) <= 4096, String(Buffer.byteLength(text)));
  assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
  assert.ok(explanation.left > 0);
});
