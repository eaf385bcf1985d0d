import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatP } from '../../../lib/base/format.js';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import { textWidth } from '../../../lib/report/print/terminal-text.js';
import { wordComparison } from '../../../lib/text/comparison.js';
import { wordReport } from '../../../lib/text/index.js';
import { alternate, variantReport } from '../../experiment/compare/variant-report.js';
import { hostileReport } from '../../fixtures/reports/extreme-reports.js';
import { loadOnlyReport } from '../../fixtures/reports/reports.js';
import {
  printComparison,
  summarizeComparison,
  summarizeRun,
} from '../../helpers/print-documents.js';
import { withoutCode } from '../../helpers/without-code.js';

const HOSTILE = '\u001b[31m|<b>`*_[x](http://x.example)\n# no @all \u202e';

async function hostileComparison() {
  const { before, after } = alternate(4, { latency: 2 });
  for (const report of [...before, ...after]) {
    report.run.id = `${report.run.id} ${HOSTILE}`;
    for (const endpoint of report.load?.endpoints ?? []) endpoint.name += HOSTILE;
  }
  const labels = { before: HOSTILE, after: 'b' };
  return wordComparison(await buildComparison(before, after, { labels }));
}

test('columns stand under each other, at any width, with and without colour', async () => {
  const { before, after } = alternate(4, { latency: 2, auth: 0.3 });
  const comparison = wordComparison(await buildComparison(before, after));
  for (const width of [80, 100, 140]) {
    const plain = printComparison(comparison, { width });
    const painted = printComparison(comparison, { width, color: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
    assert.equal(painted.replace(/\u001b\[\d+m/g, ''), plain);
    const rows = plain.split('\n').filter(line => /worse|better/.test(line));
    assert.ok(rows.length > 3);
    const table = rows.filter(line => /^ {2}(p95|p99|Median) /.test(line));
    assert.equal(new Set(table.map(line => line.search(/worse|better/))).size, 1, table.join('\n'));
    for (const line of plain.split('\n')) assert.ok(textWidth(line) <= Math.max(100, width), line);
  }
});

test('text from outside cannot control the terminal', async () => {
  const text = printComparison(await hostileComparison(), { width: 100 });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test('text from outside becomes neither Markdown nor HTML', async () => {
  const text = summarizeComparison(await hostileComparison());
  const outside = text.replace(/(?<!\\)(`+)(?!`).+?(?<!`)\1(?!`)/g, '');
  assert.doesNotMatch(outside, /(?<!\\)<b>|(?<!\\)\]\(|@all|(?<!\\)`|http:\/\//);
  assert.doesNotMatch(text, /^# no/m);
  const tables = text.split('\n').filter(line => line.startsWith('|'));
  assert.ok(tables.length > 8);
  const rules = tables.filter(line => line.startsWith('| ---')).length;
  const widths = tables.map(line => line.split(/(?<!\\)\|/).length);
  const changes = widths.filter((width, index) => width !== widths[index - 1]).length;
  assert.ok(changes <= rules, 'every row has the columns of its table');
});

test('a run alone has its summary for a pull request, hostile or without a profile', () => {
  const hostile = summarizeRun(wordReport(hostileReport()));
  assert.doesNotMatch(withoutCode(hostile), /(?<!\\)<img|(?<!\\)<script/);
  assert.match(summarizeRun(wordReport(loadOnlyReport())), /^### .*\n[\s\S]*\| requests \|/);
  const full = summarizeRun(wordReport(variantReport(1, { noise: 0 })));
  assert.match(full, /\| auth/i);
  assert.match(full, /#### Findings/);
});

test('p-values are short and never 0', () => {
  assert.deepEqual([1, 0.9999, 0.995, 0.9949, 0.3434, 0.0286, 0.0021, 0.00001].map(formatP), [
    '1',
    '1',
    '1',
    '.99',
    '.34',
    '.029',
    '.002',
    '< .001',
  ]);
});

test('categories name their measure, which is a share if CPU time is unknown', async () => {
  const { before, after } = alternate(4, { latency: 2 });
  for (const [index, { cpu, profile }] of [...before, ...after].entries()) {
    if (cpu) cpu.basis = 'samples-upper-bound';
    for (const { share } of profile?.categories ?? []) share.value *= index < 4 ? 1 : 1.5;
  }
  const { verdict } = wordComparison(await buildComparison(before, after));
  const text = verdict.text.sentences.find(sentence => /categor/.test(sentence)) ?? '';
  assert.match(text, /share of CPU of .* \+50\.0 %/);
  assert.doesNotMatch(text, /CPU per request/);
});
