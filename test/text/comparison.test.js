import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildComparison } from '../../lib/experiment/compare/build-comparison.js';
import { wordComparison } from '../../lib/text/comparison.js';
import { alternate } from '../experiment/compare/variant-report.js';
import { printComparison, summarizeComparison } from '../helpers/print-documents.js';

/** @import { Report } from '../../lib/run/facts/report.d.ts' */

/** @param {{before: Report[], after: Report[]}} sides */
const compare = async ({ before, after }) => wordComparison(await buildComparison(before, after));

test('the headline names the largest changes, and a sentence the parts of the CPU', async () => {
  const { headline, sentences } = (await compare(alternate(4, { auth: 0.2, throughput: 1.3 })))
    .verdict.text;
  assert.match(headline, /^After is better: throughput \+\d+\.\d %/);
  assert.match(sentences.join(' '), /auth −(79|80)\.\d % \(−8\d\.\d … −\d\d\.\d %\)/);
});

test('without a valid run the headline says why', async () => {
  const { before, after } = alternate(1);
  for (const { reliability } of before)
    Object.assign(reliability, {
      level: 'invalid',
      reasons: [
        {
          id: 'invalid',
          level: 'bad',
          facts: { reason: { id: 'no-response', facts: { requests: 1240, error: null } } },
        },
      ],
    });
  const { headline } = (await compare({ before, after })).verdict.text;
  assert.match(headline, /no run of “before” is valid\. None of 1,240/);
});

test('doubtful runs are counted in the headline, and say what is doubtful', async () => {
  const { before, after } = alternate(4);
  for (const report of after)
    report.reliability = {
      level: 'doubtful',
      reasons: [{ id: 'torn', level: 'warn', facts: { records: 2 } }],
    };
  const { after: side, verdict } = await compare({ before, after });
  assert.match(side.runs[0]?.reasons[0]?.text ?? '', /^2 records were left out/);
  assert.match(verdict.text.headline, /^Of 8 runs, 4 are doubtful\. /);
});

test('what makes runs incomparable comes before what changed', async () => {
  const sides = alternate(4, { latency: 0.5, throughput: 1.5, auth: 0.1 });
  for (const { run } of sides.after)
    Object.assign(run, { script: { name: 'other.yaml', sha256: 'ab'.repeat(32) } });
  assert.match(
    (await compare(sides)).verdict.text.headline,
    /^Not comparable: the runs have different scripts\. After is better: p95 −/,
  );
});

test('packages that differ come before the figures; without a list of each run they are not compared', async () => {
  const sides = alternate(2);
  for (const { run } of sides.before) run.packages = { flask: '3.0.0', sqlalchemy: '2.0.30' };
  for (const { run } of sides.after) run.packages = { flask: '3.0.0', sqlalchemy: '2.0.31' };
  const printed = printComparison(await compare(sides));
  assert.match(
    printed,
    /1 of 2 packages differs\. A dependency that changed is the first suspect\./,
  );
  assert.ok(
    printed.indexOf('package sqlalchemy: 2.0.30 → 2.0.31') < printed.indexOf('The whole run'),
  );
  delete sides.after[0]?.run.packages;
  assert.match(printComparison(await compare(sides)), /Packages are not compared/);
});

test('rows that one side names differently are neither gone nor new', async () => {
  const sides = alternate(2);
  const rename = (/** @type {Report[]} */ runs, /** @type {string[]} */ names) => {
    for (const { load } of runs)
      for (const [at, name] of names.entries()) Object.assign(load?.endpoints[at] ?? {}, { name });
  };
  const hostile = 'GET /weather/<img src=x>\u001b[31m`|';
  rename(sides.before, ['GET /weather/oslo', 'GET /weather/rome', hostile]);
  rename(sides.after, ['GET /weather/:weather', 'GET /a', 'GET /b']);
  const comparison = await compare(sides);
  const printed = printComparison(comparison).replace(/\s+/g, ' ');
  assert.match(
    printed,
    /named differently after: GET \/weather\/oslo, GET \/weather\/rome.* are part of GET \/weather\/:weather there, neither gone nor new\./,
  );
  assert.ok(!printed.includes('\u001b'));
  assert.doesNotMatch(summarizeComparison(comparison), /(?<!\\)<img/);
});

test('names and versions of packages stay text', async () => {
  const { before, after } = alternate(1);
  const hostile = 'a|b <img src=x>\u001b[31m@team\n# x';
  for (const { run } of before) run.packages = { [hostile]: '1' };
  for (const { run } of after) run.packages = { [hostile]: hostile };
  const comparison = await compare({ before, after });
  const printed = printComparison(comparison);
  assert.ok(printed.includes('<img src=x>') && !printed.includes('\u001b[31m'));
  assert.ok(!printed.includes('\n# x'));
  const markdown = summarizeComparison(comparison);
  assert.match(markdown, /package a/);
  assert.ok(!markdown.includes('\u001b'));
  assert.doesNotMatch(markdown, /(?<!\\)<img|\n# x|@team/);
});

test('parts of the CPU by package are a sentence of their own', async () => {
  const sides = alternate(4, { auth: 0.2 });
  const exact = (/** @type {number} */ value) => ({ value, low: value, high: value });
  for (const [index, { profile }] of [...sides.before, ...sides.after].entries()) {
    assert.ok(profile);
    const share = 0.3 + index / 100;
    const agent = { name: 'sentry_sdk', kind: /** @type {const} */ ('observability'), samples: 90 };
    const costs = { share: exact(share), cpuMsPerRequest: exact(10 * share) };
    profile.packages = index < 4 ? [{ ...agent, ...costs }] : [];
  }
  const { sentences } = (await compare(sides)).verdict.text;
  assert.match(sentences.join(' '), /By package: .*sentry_sdk/);
});
