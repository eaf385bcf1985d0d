import assert from 'node:assert/strict';
import test from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import parse from 'csv-parse/lib/sync.js';
import { textWidth } from '../../../lib/report/print/terminal-text.js';
import { renderStudyCsv } from '../../../lib/report/study/render-csv.js';
import { printStudy, studyToMarkdown } from '../../helpers/print-documents.js';
import { contentStudy, ingressStudy, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';
import { withoutCode } from '../../helpers/without-code.js';
import { assertGolden } from '../golden.js';
import { HOSTILE, hostileStudy } from './hostile-study.js';

const content = judgeSpec(contentStudy);
const failing = judgeSpec({
  ...contentStudy,
  factors: { workers: ['1'], cache: ['off', 'redis'] },
  fate: ({ step, variant }) =>
    variant.includes('redis')
      ? step < 8
        ? 'Redis ended while it was started'
        : 'missing'
      : 'measured',
});

test('the text of a study in the terminal is unchanged', () => {
  assertGolden('study-content.txt', printStudy(content, { width: 100 }));
  assertGolden('study-failing.txt', printStudy(failing, { width: 80 }));
});

test('the Markdown of a study is unchanged', () => {
  assertGolden('study-content.md', studyToMarkdown(content));
});

test('every line fits the width, and colour changes nothing else', () => {
  for (const report of [
    content,
    failing,
    judgeSpec(taskStudy),
    judgeSpec(ingressStudy),
    judgeSpec({ ...contentStudy, isEmpty: true }),
    hostileStudy(),
  ]) {
    for (const width of [60, 80, 132]) {
      const painted = printStudy(report, { color: true, width });
      for (const line of painted.split('\n'))
        assert.ok(textWidth(line) <= width, `${textWidth(line)} > ${width}: ${line}`);
      assert.equal(stripVTControlCharacters(painted), printStudy(report, { width }));
    }
  }
});

test('always names the load model', () => {
  assert.match(
    printStudy(content, { width: 132 }),
    /Closed users: .*Steps of 1, 2, 4, 8, 16, 32 users/,
  );
  const open = { ...content, load: { ...content.load, model: 'open', unit: 'per second' } };
  for (const text of [
    printStudy(/** @type {typeof content} */ (open), { width: 132 }),
    studyToMarkdown(/** @type {typeof content} */ (open)),
  ])
    assert.match(text, /Open arrivals: they follow a schedule/);
});

test('hostile text cannot control the terminal or become Markdown markup', () => {
  const report = hostileStudy();
  assert.doesNotMatch(printStudy(report), /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<!\n)/u);
  const markdown = studyToMarkdown(report);
  assert.doesNotMatch(withoutCode(markdown), /(?<!\\)<(?:img|script|\/script)/);
  const tables = markdown.split('\n\n').filter(part => part.startsWith('| '));
  assert.ok(tables.length > 3);
  for (const table of tables) {
    const bars = table
      .trim()
      .split('\n')
      .map(line => line.split(/(?<!\\)\|/).length);
    assert.equal(new Set(bars).size, 1, 'a label must not end its cell');
  }
});

test('the CSV has a row for each cell, with the factors and the cores of every component', () => {
  const rows = parse(renderStudyCsv(content), { columns: true });
  assert.equal(rows.length, content.cells.length);
  const [first] = rows;
  const [cell] = content.cells;
  assert.equal(first.workers, '1');
  assert.equal(first.cache, 'off');
  assert.equal(first.load_model, 'closed');
  assert.equal(first.step_users, '1');
  assert.equal(Number(first['throughput (requests/s)']), cell?.throughputPerSec);
  const useOf = (/** @type {string} */ name) => cell?.components.find(one => one.name === name);
  assert.ok(Math.abs(Number(first.cores_postgres) - (useOf('postgres')?.cores ?? 0)) < 1e-5);
  assert.deepEqual(
    [Number(first.processes_workers), Number(first.rss_bytes_workers)],
    [useOf('workers')?.processes.mean, useOf('workers')?.rssBytes],
  );
  assert.match(renderStudyCsv(content), /^[^\n]+\r\n/);
});

test('a cell that failed is a row with its reason and empty figures', () => {
  const failed = parse(renderStudyCsv(failing), { columns: true }).find(
    (/** @type {Record<string, string>} */ { outcome }) => outcome === 'failed',
  );
  assert.equal(failed.reason, 'Redis ended while it was started');
  assert.equal(failed['throughput (requests/s)'], '');
});

test('escapes text that a spreadsheet would read as a formula, whatever its quotes', () => {
  const report = hostileStudy();
  for (const row of parse(renderStudyCsv(report)))
    for (const field of row) assert.doesNotMatch(field, /^\s*[=+\-@]/);
  const [row] = parse(renderStudyCsv(report), { columns: true });
  assert.ok(Object.values(row).some(field => String(field).startsWith(`'${HOSTILE.slice(0, 9)}`)));
  const negative = parse(renderStudyCsv(judgeSpec({ ...taskStudy, factors: { workers: ['1'] } })));
  assert.ok(negative.length > 1);
});
