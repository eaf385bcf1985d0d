import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { renderStudyHtml } from '../../../lib/report/study/render-html.js';
import { findViolations } from '../../helpers/find-violations.js';
import { contentStudy, ingressStudy, taskStudy } from '../../helpers/synthetic-study/examples.js';
import { judgeSpec } from '../../helpers/synthetic-study/judge-spec.js';
import { hostileStudy } from '../study/hostile-study.js';
import { findUnreadable, preparePages } from './prepare-pages.js';

/** @import { StudyReport } from '../../../lib/text/study-report.d.ts' */

const { skip, folder, openFile } = preparePages();
const HOST = { platform: 'linux x64', cpus: 2, cpuModel: 'EPYC', memoryBytes: 8e9 };

let files = 0;
/** @param {StudyReport} report @param {Parameters<typeof openFile>[1]} [look] */
async function openStudy(report, look) {
  const file = path.join(folder, `study ${++files} #%.html`);
  writeFileSync(file, renderStudyHtml(report));
  const opened = await openFile(file, look);
  await opened.page.waitForSelector('html[data-ready]');
  return opened;
}

/** With all that a study may show: a host, and a profile of one variant. */
function wholeStudy() {
  const report = judgeSpec(contentStudy);
  report.study.host = HOST;
  const [variant] = report.variants;
  if (variant)
    variant.why = {
      folder: 'runs/profile-1',
      step: 16,
      categories: [
        { id: 'template', label: 'template', color: '#cc79a7', share: of(0.6), cpuMs: 1.5 },
        { id: 'database', label: 'database', color: '#0072b2', share: of(0.4), cpuMs: 1 },
      ],
      cause: null,
      sentences: ['60 % of the workers’ CPU is the template.'],
    };
  return report;
}

/** @param {number} value */
const of = value => ({ value, low: value - 0.02, high: value + 0.02 });

/** @param {import('puppeteer-core').Page} page @param {string} selector */
const textsOf = (page, selector) =>
  page.$$eval(selector, all => all.map(({ textContent }) => textContent ?? ''));

test('the page shows its sections in order, draws every chart and requests nothing', {
  skip,
}, async () => {
  const { page, problems, requests } = await openStudy(wholeStudy(), { width: 1440 });
  const sections = await page.$$eval('main > section', all => all.map(({ id }) => id));
  assert.deepEqual(sections, [
    'summary',
    'capacity',
    'load',
    'variants',
    'scaling',
    'bottlenecks',
    'resources',
    'why',
    'comparisons',
    'cells',
    'measuring',
  ]);
  const charts = await page.$$eval('.chart-area', all =>
    all.map(area => {
      const canvas = area.querySelector('canvas');
      const data = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
      return { isDrawn: data?.some(value => value > 0), about: area.getAttribute('aria-label') };
    }),
  );
  assert.equal(charts.length, 2);
  for (const { isDrawn, about } of charts) {
    assert.ok(isDrawn);
    assert.ok((about ?? '').length > 20);
  }
  assert.deepEqual({ problems, requests }, { problems: [], requests: [] });
  await page.close();
});

test('shows how bursts are done', { skip }, async () => {
  const { steps: _steps, ...bursts } = taskStudy;
  const report = judgeSpec({ ...bursts, model: 'burst', steps: [500] });
  const { page, problems } = await openStudy(report, { width: 1440 });
  assert.equal((await textsOf(page, '#drains tbody tr')).length, 4);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the keyboard removes a variant from the charts and restores it', { skip }, async () => {
  const { page } = await openStudy(wholeStudy(), { width: 1440 });
  const shown = () => page.$$eval('#load .chart:first-child .read', all => all.length);
  assert.equal(await shown(), 6);
  await page.focus('.pick');
  await page.keyboard.press('Space');
  assert.equal(await page.$eval('.pick', button => button.ariaPressed), 'false');
  assert.equal(await shown(), 5);
  await page.keyboard.press('Enter');
  assert.equal(await shown(), 6);
  await page.close();
});

test('every cell links to its own report below the folder of the study', { skip }, async () => {
  const report = wholeStudy();
  const [first] = report.cells;
  if (first) first.folder = '../../etc/a b#c';
  const { page } = await openStudy(report);
  const links = await page.$$eval('#cells a', all => all.map(link => link.getAttribute('href')));
  assert.equal(links.length, report.cells.length);
  assert.equal(links[0], './etc/a%20b%23c/report.html');
  assert.ok(links.slice(1).every(link => link?.startsWith('./runs/')));
  assert.deepEqual(await textsOf(page, '#why p a'), ['report at 16 users']);
  await page.close();
});

test('a single measurement has no interval, and an insignificant difference has a ~', {
  skip,
}, async () => {
  const once = judgeSpec({ ...ingressStudy, repeats: 1, durationSec: 2 });
  const { page } = await openStudy(once);
  const changes = await textsOf(page, '#comparisons tbody strong.call-none');
  assert.ok(changes.every(text => text.startsWith('~ ')));
  const measures = await textsOf(page, '#comparisons tbody td:last-child');
  assert.ok(measures.length > 0);
  for (const text of measures) assert.match(text, / at (?:\d+|the plateau \(\d+–\d+) users?/);
  await page.close();
});

test('refusals are sentences and not empty charts', { skip }, async () => {
  const empty = judgeSpec({ ...contentStudy, isEmpty: true });
  const { page, problems } = await openStudy(empty);
  assert.equal(await page.$$eval('.chart', all => all.length), 0);
  assert.notEqual((await textsOf(page, '.headline'))[0], '');
  assert.deepEqual(problems, []);
  await page.close();
});

test('if a queue sets the throughput, the bottleneck shows where work piles up', {
  skip,
}, async () => {
  const { page } = await openStudy(judgeSpec(taskStudy));
  assert.match((await textsOf(page, '#bottlenecks .item-text')).join(' '), /Work piles up before/);
  assert.match((await textsOf(page, '#variants caption')).join(), /tasks completed\/s/);
  await page.close();
});

test('open arrivals are labelled as open, on an axis of their rate', { skip }, async () => {
  const { page } = await openStudy(judgeSpec({ ...contentStudy, model: 'open' }));
  assert.match((await textsOf(page, '#load .lede'))[0] ?? '', /^Open arrivals/);
  assert.match((await textsOf(page, '#load .read-at'))[0] ?? '', /^At 32\/s/);
  await page.close();
});

test('hostile texts stay text', { skip }, async () => {
  const { page, problems, requests } = await openStudy(hostileStudy());
  for (const selector of [
    '.headline',
    '.pick',
    '#bottlenecks .item-text',
    '#cells tbody th',
    '#cells td',
  ])
    assert.ok(
      (await textsOf(page, selector)).some(text => text.includes('<img src=x')),
      selector,
    );
  assert.equal(await page.$$eval('img', all => all.length), 0);
  assert.deepEqual({ problems, requests }, { problems: [], requests: [] });
  await page.close();
});

test('axe finds nothing serious, and a phone needs no scroll bar at the side', {
  skip,
}, async () => {
  for (const [report, look] of /** @type {const} */ ([
    [wholeStudy(), { width: 1440 }],
    [hostileStudy(), { width: 390, dark: true }],
  ])) {
    const { page } = await openStudy(report, look);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), look.width);
    assert.deepEqual(await findViolations(page), [], JSON.stringify(look));
    await page.close();
  }
});

test('a phone and paper show every table and chart whole', { skip }, async () => {
  const { page } = await openStudy(wholeStudy(), { width: 390 });
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  // A4 with margins of 12 mm
  await page.setViewport({ width: 700, height: 1000 });
  await page.emulateMediaType('print');
  await page.waitForFunction(() => matchMedia('print').matches);
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  await page.close();
});

test('the verdict shows five sentences, and the others at a click', { skip }, async () => {
  const report = wholeStudy();
  const [line] = report.verdict.lines;
  assert.ok(line);
  report.verdict.lines = Array.from({ length: 7 }, (_, n) => ({ ...line, text: `Sentence ${n}.` }));
  const { page } = await openStudy(report);
  const shown = () =>
    page.$$eval('.verdict .sentences li', all => all.filter(li => li.checkVisibility()).length);
  assert.equal(await shown(), 5);
  await page.click('.verdict summary');
  assert.equal(await shown(), 7);
  await page.close();
});
