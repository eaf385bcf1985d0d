import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { placeRuns } from '../../../lib/cli/read-runs.js';
import { buildComparison } from '../../../lib/experiment/compare/build-comparison.js';
import { renderCompareHtml } from '../../../lib/report/compare/render-html.js';
import { wordComparison } from '../../../lib/text/comparison.js';
import { alternate, variantReport } from '../../experiment/compare/variant-report.js';
import { findViolations } from '../../helpers/find-violations.js';
import { findUnreadable, preparePages } from './prepare-pages.js';

/** @import { WordedComparison } from '../../../lib/text/worded-comparison.d.ts' */

const { skip, folder, openFile } = preparePages();
const HOSTILE = '<img src=x onerror=alert(1)></script><script>alert(2)</script>';

/** @param {WordedComparison} comparison @param {Parameters<typeof openFile>[1]} [look] */
async function openComparison(comparison, look) {
  const file = path.join(folder, 'compare #%.html');
  writeFileSync(file, renderCompareHtml(comparison));
  const opened = await openFile(file, look);
  await opened.page.waitForSelector('main');
  return opened;
}

async function changedComparison() {
  const { before, after } = alternate(4, { auth: 0.2, throughput: 1.3, latency: 1.2 });
  const comparison = wordComparison(await buildComparison(before, after));
  comparison.thresholds = [
    {
      expression: 'http.p95 < 400ms',
      metric: 'http.p95',
      category: null,
      place: 'thresholds.yaml:2',
      endpoint: null,
      status: 'fail',
      value: null,
      missing: null,
      limit: 400,
      unit: 'ms',
      isRegression: false,
      text: '512 ms',
    },
  ];
  return comparison;
}

test('the page shows verdict, tables, both sides and the differential flamegraph, and asks for nothing', {
  skip,
}, async () => {
  const { page, problems, requests } = await openComparison(await changedComparison(), {
    width: 1440,
  });
  const sections = await page.$$eval('main > section', all => all.map(({ id }) => id));
  assert.deepEqual(sections, [
    'summary',
    'environment',
    'thresholds',
    'overall',
    'categories',
    'packages',
    'endpoints',
    'flamegraph',
    'runs',
    'method',
  ]);
  const rows = await page.$$eval('#categories tbody tr', all =>
    all.map(row => [...row.children].map(cell => cell.textContent)),
  );
  const auth = rows.find(([name]) => /auth/i.test(name ?? ''));
  assert.match(auth?.join(' ') ?? '', /−(79|80)\.\d\s% .*better.*\.029$/);
  assert.equal(await page.$$eval('#runs tbody tr', all => all.length), 8);
  assert.deepEqual({ problems, requests }, { problems: [], requests: [] });
  await page.close();
});

test('each measure of endpoints opens to its table', { skip }, async () => {
  const { page } = await openComparison(await changedComparison());
  const titles = await page.$$eval('#endpoints summary', all => all.map(one => one.textContent));
  assert.ok(titles.includes('p99 by endpoint'), titles.join());
  assert.equal(await page.$$eval('#endpoints details table', all => all.length), titles.length);
  await page.close();
});

test('links a run if its page exists, relative to the comparison', { skip }, async () => {
  const own = path.join(folder, 'a b#c');
  mkdirSync(own);
  writeFileSync(path.join(own, 'report.html'), '');
  const { before, after } = alternate(1);
  const folders = { before: [own], after: [path.join(folder, 'second')] };
  const comparison = wordComparison(
    await buildComparison(before, after, { places: placeRuns(folders, folder) }),
  );
  const { page } = await openComparison(comparison);
  const links = await page.$$eval('#runs a', all => all.map(link => link.getAttribute('href')));
  assert.deepEqual(links, ['./a%20b%23c/report.html']);
  await page.close();
});

test('a phone and paper show every table whole', { skip }, async () => {
  const { page } = await openComparison(await changedComparison(), { width: 390 });
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await page.setViewport({ width: 700, height: 1000 });
  await page.emulateMediaType('print');
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await page.close();
});

test('hostile names stay text', { skip }, async () => {
  const { before, after } = alternate(1);
  for (const report of [...before, ...after]) {
    report.run.id = `${HOSTILE}${report.run.startedAtMs}`;
    for (const endpoint of report.load?.endpoints ?? []) endpoint.name += HOSTILE;
  }
  const labels = { before: HOSTILE, after: 'after' };
  const comparison = wordComparison(await buildComparison(before, after, { labels }));
  comparison.warnings.push({ id: 'not-alternated', severity: 'warn', facts: {}, text: HOSTILE });
  comparison.differences.push({ of: 'package', name: HOSTILE, before: HOSTILE, after: HOSTILE });
  const { page, problems, requests } = await openComparison(comparison);
  for (const selector of [
    '#runs tbody th',
    '#endpoints tbody th',
    '#caveats li',
    '#environment li',
  ]) {
    const texts = await page.$$eval(selector, all => all.map(element => element.textContent ?? ''));
    assert.ok(
      texts.some(text => text.includes(HOSTILE)),
      selector,
    );
  }
  assert.equal(await page.$$eval('img', all => all.length), 0);
  assert.deepEqual({ problems, requests }, { problems: [], requests: [] });
  await page.close();
});

test('axe finds nothing serious, and a phone needs no scroll bar at the side', {
  skip,
}, async () => {
  const few = wordComparison(await buildComparison([variantReport(1)], [variantReport(2)]));
  for (const [comparison, look] of /** @type {const} */ ([
    [await changedComparison(), { width: 1440 }],
    [await changedComparison(), { width: 390, dark: true }],
    [few, { width: 390 }],
  ])) {
    const { page } = await openComparison(comparison, look);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), look.width);
    assert.deepEqual(await findViolations(page), [], JSON.stringify(look));
    await page.close();
  }
});
