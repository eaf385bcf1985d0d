/** What a page folds when it opens, and how a reader gets to it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { fullReport } from '../../fixtures/reports/reports.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */

const { skip, openReport } = preparePages();

/** @param {Page} page @param {string} selector */
const isOpen = (page, selector) =>
  page.$eval(selector, own => /** @type {HTMLDetailsElement} */ (own).open);

/** @param {Page} page */
const readHeight = page => page.evaluate(() => document.documentElement.scrollHeight);

test('small paths and passed checks are one row each, which the keyboard opens', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport());
  const titles = await page.$$eval('details.more > summary', all =>
    all.map(({ textContent }) => textContent?.replaceAll('\u00a0', ' ')),
  );
  assert.ok(
    titles.some(title => /^\d+ checks passed$/.test(title ?? '')),
    titles.join(', '),
  );
  const passed = '#quality details.more';
  assert.equal(await isOpen(page, passed), false);
  await page.focus(`${passed} > summary`);
  await page.keyboard.press('Enter');
  assert.equal(await isOpen(page, passed), true);
  const texts = await page.$$eval(`${passed} .tag`, all => all.map(own => own.textContent));
  assert.deepEqual([...new Set(texts)], ['OK']);
  await page.close();
});

test('a link opens what it leads to, also from another page and with a selection', {
  skip,
}, async () => {
  const first = await openReport(fullReport());
  assert.equal(await isOpen(first.page, '#load > details'), false);
  await first.page.click('nav a[href="#load"]');
  assert.equal(await isOpen(first.page, '#load > details'), true);
  await first.page.close();
  const selected = await openReport(fullReport(), { fragment: 'time=20-62' });
  await selected.page.click('nav a[href="#run"]');
  assert.equal(await isOpen(selected.page, '#run > details'), true);
  await selected.page.close();
  const linked = await openReport(fullReport(), { fragment: 'run' });
  assert.equal(await isOpen(linked.page, '#run > details'), true);
  await linked.page.evaluate(() => {
    location.hash = 'load';
  });
  await linked.page.waitForSelector('#load > details[open]');
  await linked.page.close();
});

test('a link to a part that is folded itself opens the folds around it', { skip }, async () => {
  const { page } = await openReport(fullReport());
  await page.$eval('#quality details.more li', own => {
    own.id = 'inside';
    document.querySelector('nav a')?.setAttribute('href', '#inside');
  });
  await page.click('nav a');
  assert.equal(await isOpen(page, '#quality details.more'), true);
  await page.close();
});

test('paper shows everything, and the screen is as before afterwards', { skip }, async () => {
  const { page } = await openReport(fullReport());
  await page.click('#run > details > summary');
  const [height, closed] = [await readHeight(page), await page.$$('details:not([open])')];
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal((await page.$$('details:not([open])')).length, 0);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal((await page.$$('details:not([open])')).length, closed.length);
  assert.equal(await isOpen(page, '#run > details'), true);
  assert.equal(await readHeight(page), height);
  await page.close();
});
