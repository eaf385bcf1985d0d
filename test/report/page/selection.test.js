import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */
/** @import { Selection } from '../../../lib/run/facts/sample-table.d.ts' */

const { skip, openReport } = preparePages();

/** What Node counts of the same table. @param {Selection} selection */
async function countInNode(selection) {
  const { profile } = fullReport();
  assert.ok(profile);
  return selectSamples(await unpackSampleTable(profile.table), selection);
}

/** @param {Page} page @param {string} selector */
const readText = (page, selector) =>
  page.$eval(selector, element =>
    /** @type {HTMLElement} */ (element).innerText.replaceAll('\u00a0', ' '),
  );

/** Drags over windows of the timeline. @param {Page} page @param {number} from @param {number} to */
async function brush(page, from, to) {
  const box = await (await page.$('.brush'))?.boundingBox();
  assert.ok(box);
  const at = (/** @type {number} */ window) => box.x + (box.width * (window + 0.5)) / 31;
  await page.mouse.move(at(from), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(at((from + to) / 2), box.y + 40);
  await page.mouse.move(at(to - 1), box.y + 42);
  await page.mouse.up();
}

/** @param {Page} page @param {string} name */
const pressName = (page, name) =>
  page.evaluate(text => {
    const buttons = [...document.querySelectorAll('button.name')];
    /** @type {HTMLElement} */ (buttons.find(button => button.textContent === text)).click();
  }, name);

/** The address follows the selection a little later. @param {Page} page @param {RegExp} expected */
async function waitForAddress(page, expected) {
  await page
    .waitForFunction(
      source => new RegExp(source).test(location.href),
      { timeout: 20_000 },
      expected.source,
    )
    .catch(() => assert.match(page.url(), expected));
  return page.url();
}

/** Samples of all, of the flamegraph and of the CPU time. @param {Page} page */
async function readTotals(page) {
  const amount = await readText(page, '.amount');
  const cpu = await readText(page, '#hot-paths .lede');
  const flame = await readText(page, '#flamegraph');
  return {
    amount: Number(/^([\d,]+) of [\d,]+ samples/.exec(amount)?.[1]?.replaceAll(',', '')),
    cpu: Number(/^[\d,]+/.exec(cpu)?.[0]?.replaceAll(',', '')),
    flame: Number(
      /([\d,]+) (?:of [\d,]+ )?(?:active )?samples/.exec(flame)?.[1]?.replaceAll(',', ''),
    ),
  };
}

test('a brush over the timeline leaves the samples, requests and times of exactly that range', {
  skip,
}, async () => {
  const { page, problems } = await openReport(fullReport());
  const before = await readText(page, '#endpoints tbody tr');
  await brush(page, 10, 16);
  const { total } = await countInNode({ windows: { from: 10, to: 16 } });
  assert.deepEqual(await readTotals(page), { amount: total, cpu: total, flame: total });
  const { timeline } = fullReport();
  const requests = timeline?.load?.requests.slice(10, 16).reduce((sum, n) => sum + n, 0);
  assert.match(await readText(page, '.amount'), new RegExp(` · ${requests} requests$`));
  const column = await page.$$eval('#endpoints tbody td:nth-child(2)', cells =>
    cells.reduce((sum, cell) => sum + Number(cell.textContent), 0),
  );
  const counted = timeline?.load?.endpoints
    .flatMap(endpoint => endpoint.requests.slice(10, 16))
    .reduce((sum, n) => sum + n, 0);
  assert.equal(column, counted);
  assert.notEqual(await readText(page, '#endpoints tbody tr'), before);
  await waitForAddress(page, /#t=20-32$/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the sliders at the ends of the brush select with the keyboard, and Escape selects all again', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport());
  await page.focus('.slider-from');
  for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowRight');
  await page.focus('.slider-to');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await waitForAddress(page, /#t=10-14$/);
  assert.match(
    await page.$eval('.slider-to', slider => slider.getAttribute('aria-valuetext') ?? ''),
    /^14 s after the start, \d\d:\d\d:\d\d UTC$/,
  );
  const { total } = await countInNode({ windows: { from: 5, to: 7 } });
  assert.equal((await readTotals(page)).flame, total);
  await page.keyboard.press('Escape');
  await waitForAddress(page, /^[^#]*$/);
  await page.focus('.slider-read');
  await page.keyboard.press('ArrowRight');
  assert.match(
    await page.$eval('.slider-read', slider => slider.getAttribute('aria-valuetext') ?? ''),
    /^2 s after the start.*: Requests sent [\d.]+\/s; Latency p99 [\d.]+ ms, p95/,
  );
  await page.close();
});

test('time, worker, endpoint, category and search combine, and a link restores them all', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport());
  await brush(page, 4, 25);
  await pressName(page, 'GET /api/v1/appointments/');
  await pressName(page, 'POST /api/v1/appointments/draft');
  await page.$$eval('#pick-category label', labels => {
    labels.find(label => label.textContent === 'auth')?.click();
  });
  await page.$eval('#pick-worker input', box => /** @type {HTMLElement} */ (box).click());
  const selection = {
    windows: { from: 4, to: 25 },
    endpoints: [0, 2],
    categories: [0],
    workers: [0],
  };
  const { total } = await countInNode(selection);
  assert.ok(total > 0);
  const totals = { amount: total, cpu: total, flame: total };
  assert.deepEqual(await readTotals(page), totals);
  const amount = await readText(page, '.filters');
  const url = await waitForAddress(
    page,
    /#t=8-50&worker=\d+&endpoint=.*&endpoint=.*&category=auth$/,
  );
  await page.close();

  const again = await openReport(fullReport(), { fragment: url.split('#')[1] ?? '' });
  assert.deepEqual(await readTotals(again.page), totals);
  assert.equal(await readText(again.page, '.filters'), amount);
  await again.page.evaluate(() => {
    location.hash = `${location.hash}&without=ssl`;
  });
  await again.page.waitForSelector('.search-range .chip');
  const without = await countInNode({ ...selection, search: { text: 'ssl', without: true } });
  assert.ok(without.total > 0 && without.total < total);
  assert.equal((await readTotals(again.page)).flame, without.total);
  assert.match(await readText(again.page, '.filters'), /everything but “ssl”/);
  await again.page.click('.reset');
  await waitForAddress(again.page, /^[^#]*$/);
  await again.page.close();
});

test('the keyboard selects a time range, and the bar shows it', { skip }, async () => {
  const { page } = await openReport(fullReport());
  await page.focus('.slider-from');
  for (let step = 0; step < 10; step++) await page.keyboard.press('ArrowRight');
  const { total } = await countInNode({ windows: { from: 10, to: 31 } });
  assert.deepEqual(await readTotals(page), { amount: total, cpu: total, flame: total });
  await waitForAddress(page, /#t=20-62$/);
  assert.match(await readText(page, '.time-range'), /^Time 20 s to 62 s \(/);
  await page.close();
});

test('a list of a filter stays inside the window wherever its button is, and scrolls', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport(), { width: 900, height: 420 });
  for (const block of /** @type {const} */ (['end', 'start'])) {
    await page.$eval('.filters', (bar, where) => bar.scrollIntoView({ block: where }), block);
    await page.$eval('[popovertarget=pick-endpoint]', button =>
      /** @type {HTMLElement} */ (button).click(),
    );
    await page.waitForFunction(() => document.querySelector('#pick-endpoint')?.clientHeight);
    const list = await page.$eval('#pick-endpoint', element => {
      const { top, bottom } = element.getBoundingClientRect();
      const last = element.querySelector('label:last-child');
      last?.scrollIntoView({ block: 'nearest' });
      const end = last?.getBoundingClientRect().bottom ?? Infinity;
      return { isInside: top >= 0 && bottom <= innerHeight, isReached: end <= innerHeight };
    });
    assert.deepEqual({ block, ...list }, { block, isInside: true, isReached: true });
    await page.keyboard.press('Escape');
  }
  await page.close();
});

test('a link to a section keeps the selection in the address', { skip }, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'category=database' });
  await page.click('nav a[href="#quality"]');
  // It stays: nothing comes that could be waited for.
  await setTimeout(450);
  assert.match(page.url(), /#category=database$/);
  const top = await page.$eval('#quality', element => element.getBoundingClientRect().top);
  assert.ok(top < 900, `${top}`);
  await page.close();
});
