import assert from 'node:assert/strict';
import test from 'node:test';
import { selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { findViolations } from '../../helpers/find-violations.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */
/** @import { Selection } from '../../../lib/run/facts/sample-table.d.ts' */

const { skip, openReport } = preparePages();
const [EXTERNAL, DATABASE, OTHER] = [0, 1, 2];

/** What Node counts of the same idle samples. @param {Selection} selection */
async function countInNode(selection) {
  const table = fullReport().profile?.waits?.table;
  assert.ok(table);
  return selectSamples(await unpackSampleTable(table), selection);
}

/** @param {Page} page @param {string} [selector] */
const readText = (page, selector = '#flamegraph') =>
  page.$eval(selector, element =>
    /** @type {HTMLElement} */ (element).innerText.replaceAll('\u00a0', ' '),
  );

/** Samples that the picture says it shows. @param {Page} page */
const readShown = async page =>
  Number(/by ([\d,]+) idle sample/.exec(await readText(page))?.[1]?.replaceAll(',', ''));

/** What is told of the box that fills the width. @param {Page} page */
async function readTop(page) {
  await page.focus('#flamegraph canvas');
  await page.keyboard.press('Home');
  return readText(page, '.flame-details');
}

/** @param {Page} page @param {string} start of its label */
const press = (page, start) =>
  page.$$eval(
    '#flamegraph button',
    (buttons, label) => buttons.find(({ textContent }) => textContent?.startsWith(label))?.click(),
    start,
  );

/** The address, once it says so. @param {Page} page @param {RegExp} expected */
const waitForAddress = (page, expected) =>
  page.waitForFunction(
    source => new RegExp(source).test(location.href),
    { timeout: 20_000 },
    expected.source,
  );

test('the switch is reached with the keyboard, shows what waits, and the address keeps it', {
  skip,
}, async () => {
  const { page, problems } = await openReport(fullReport());
  assert.match(await readText(page), /active samples of the workers; waiting is excluded/);
  await page.focus('.flame-switch button');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const { total } = await countInNode({ categories: [EXTERNAL, DATABASE] });
  assert.equal(await readShown(page), total);
  assert.match(await readTop(page), new RegExp(`^all: ${total} idle samples `));
  const text = await readText(page);
  assert.match(text, /^Flamegraph\s+CPU\s+Waiting\s+0\.56 requests waiting at a time/);
  assert.match(text, /4\.0 % of those in the whole run were running/);
  assert.match(text, /At places that no rule names: 105 more samples inside requests/);
  assert.match(text, /calls to other services88\.8 %\s*database11\.2 %\s*CPU, or not known105/);
  assert.deepEqual(
    await page.$$eval('.flame-switch button', buttons =>
      buttons.map(button => button.getAttribute('aria-pressed')),
    ),
    ['false', 'true'],
  );
  await waitForAddress(page, /#flame=waiting$/);
  assert.equal(await page.$$eval('#flamegraph canvas', list => list.length), 1);
  assert.deepEqual(problems, []);
  await page.close();
});

test('time, worker, endpoint and search narrow what waits as they narrow what runs', {
  skip,
}, async () => {
  const name = 'GET /api/v1/citizens/';
  const fragment = new URLSearchParams({ t: '8-50', worker: '4311', endpoint: name });
  const { page } = await openReport(fullReport(), { fragment: `${fragment}&flame=waiting` });
  const scope = { windows: { from: 4, to: 25 }, workers: [0], endpoints: [1] };
  const kinds = { categories: [EXTERNAL, DATABASE] };
  const whole = await countInNode({ ...scope, ...kinds });
  assert.ok(whole.total > 3);
  assert.equal(await readShown(page), whole.total);
  const unnamed = await countInNode({ ...scope, categories: [OTHER] });
  const text = await readText(page);
  assert.match(
    text,
    unnamed.total > 0 ? new RegExp(`names: ${unnamed.total} more sample`) : /^(?!.*that no rule)/s,
  );
  assert.match(text, /A sample counts at the moment when its request began/);
  await page.type('#flamegraph input[type=search]', 'getaddrinfo');
  await press(page, 'Everything but');
  const without = await countInNode({
    ...scope,
    ...kinds,
    search: { text: 'getaddrinfo', without: true },
  });
  assert.ok(without.total < whole.total);
  assert.equal(await readShown(page), without.total);
  // the same search narrows what runs
  await press(page, 'CPU');
  assert.match(await readText(page, '.filters'), /everything but “getaddrinfo”/);
  assert.match(await readText(page), /active samples of the workers \(/);
  await page.close();
});

test('the legend names kinds of wait and narrows to them, also to what no rule names', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'flame=waiting&category=auth' });
  assert.match(await readText(page), /Categories of CPU do not narrow this picture/);
  await press(page, 'database');
  assert.equal(await readShown(page), (await countInNode({ categories: [DATABASE] })).total);
  await waitForAddress(page, /wait=database/);
  await press(page, 'database');
  await press(page, 'CPU, or not known');
  const { total } = await countInNode({ categories: [OTHER] });
  assert.equal(await readShown(page), total);
  const text = await readText(page);
  assert.match(text, /requests there at a time/);
  assert.doesNotMatch(text, /more samples? inside requests/);
  await page.click('.reset');
  await page.waitForFunction(() => !location.href.includes('wait='));
  assert.match(page.url(), /flame=waiting/);
  await page.close();
});

test('the zoom stays at the same function when the picture is switched', { skip }, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'flame=waiting&with=list_citizens' });
  await page.focus('#flamegraph canvas');
  await page.keyboard.press('ArrowDown');
  for (let step = 0; step < 40; step++) {
    if (/^list_citizens /.test(await readText(page, '.flame-details'))) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await press(page, 'CPU');
  assert.match(await readText(page, '.flame-details'), /^list_citizens .* 74 samples, 100/);
  await page.close();
});

test('finding a function from the hot paths shows where it runs', {
  skip,
}, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'flame=waiting' });
  await page.$$eval('#hot-paths button', buttons =>
    buttons.find(({ textContent }) => textContent === 'Find in flamegraph')?.click(),
  );
  const text = await readText(page);
  assert.match(text, /active samples of the workers/);
  assert.match(text, /[\d.]+ % of samples, \d+ function/);
  await page.close();
});

test('a run without idle samples has no switch, whatever the address says', { skip }, async () => {
  const report = fullReport();
  assert.ok(report.profile);
  report.profile.waits = null;
  const { page, problems } = await openReport(report, { fragment: 'flame=waiting' });
  assert.equal(await page.$('.flame-switch'), null);
  assert.match(await readText(page), /active samples of the workers/);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the picture of waiting is accessible, in the dark', { skip }, async () => {
  const { page } = await openReport(fullReport(), { fragment: 'flame=waiting', dark: true });
  assert.deepEqual(await findViolations(page), []);
  await page.close();
});
