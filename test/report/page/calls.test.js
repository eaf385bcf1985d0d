import assert from 'node:assert/strict';
import test from 'node:test';
import { packCalls } from '../../../lib/analysis/sample-table/pack.js';
import { buildCalls, buildStatement } from '../../fixtures/reports/build-calls.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { findUnreadable, openFolds, preparePages } from './prepare-pages.js';

/** @import { CallGroup } from '../../../lib/run/facts/calls.d.ts' */

const { skip, openReport } = preparePages();

const ENDPOINTS = ['GET /api/v1/appointments/', 'GET /api/v1/citizens/'];
const LONG = `SELECT ${Array.from({ length: 60 }, (_, column) => `orders.column_${column}`).join(', ')} FROM orders LEFT OUTER JOIN customers ON customers.id = orders.customer_id WHERE orders.status = ? ORDER BY orders.created_at DESC LIMIT ?`;

/** A run of `count` statements; in each second both endpoints of both workers have a request with the first ones. @param {number} count */
function manyStatements(count) {
  const report = fullReport();
  const statements = Array.from({ length: count }, (_, at) =>
    buildStatement({
      ...{ id: at.toString(16).padStart(8, '0'), line: at + 1, meanMs: 4 / (at + 1) },
      text: at % 7 === 1 ? LONG : `SELECT a FROM table_${at} WHERE id = ?`,
      ...(at === 2 && { text: "SELECT '<img src=x onerror=alert(1)>' FROM t" }),
      ...(at === 3 && { kind: /** @type {const} */ ('redis'), system: null, text: 'HGETALL' }),
      relation: at === 0 ? 'Order.items' : null,
      uses: ENDPOINTS.map(name => ({ name, requests: 100, perRequest: at === 0 ? 12 : 1 })),
    }),
  );
  const edgesMs = report.timeline?.edgesMs ?? [];
  const workers = (report.profile?.table.workers ?? []).map(pid => ({ id: `0a.${pid}`, pid }));
  /** @type {CallGroup[]} */
  const groups = edgesMs.slice(1).flatMap((_, window) =>
    workers.flatMap((_worker, worker) =>
      ENDPOINTS.map((_endpoint, endpoint) => ({
        ...{
          window,
          worker,
          endpoint,
          requests: 2,
          moreCount: 0,
          moreUs: 0,
          poolCount: 0,
          poolUs: 0,
        },
        rows: [0, 3].map(statement => ({
          statement,
          requests: 2,
          count: 2 * (worker + 1),
          us: 2000,
        })),
      })),
    ),
  );
  const calls = buildCalls(statements);
  return { ...report, calls: { ...calls, table: { edgesMs, workers, groups: packCalls(groups) } } };
}

/** @param {import('puppeteer-core').Page} page @param {string} selector */
const readText = (page, selector) =>
  page.$eval(selector, element =>
    /** @type {HTMLElement} */ (element).innerText.replaceAll('\u00a0', ' '),
  );

test('300 statements are readable on a screen, a phone and paper', { skip }, async () => {
  const { page, problems } = await openReport(manyStatements(300), { width: 1400 });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  assert.ok(height <= 5400, `${height} px`);
  assert.match(await readText(page, '#database'), /29\d smaller statements, \d+(\.\d)? % in all/);
  await openFolds(page, '#database');
  assert.deepEqual(await findUnreadable(page), { cut: [], tall: [] });
  const lines = await page.$$eval('#database .statement summary', all =>
    all.map(own => own.offsetHeight),
  );
  assert.ok(Math.max(...lines) < 30, `a long statement has one line: ${lines}`);
  const rows = await page.$$eval('#database tbody tr', found => found.length);
  assert.equal(rows, ENDPOINTS.length + 300);
  await page.setViewport({ width: 390, height: 900 });
  assert.deepEqual((await findUnreadable(page)).cut, []);
  const widths = await page.$$eval('#database tbody th', all =>
    all.filter(own => own.checkVisibility()).map(own => own.offsetWidth),
  );
  assert.ok(Math.min(...widths) > 300, `a statement is ${Math.min(...widths)} px wide`);
  const uses = await page.$$eval('#database .cards:has(.from) td:last-child', all =>
    all.filter(own => own.checkVisibility()).map(own => own.offsetWidth),
  );
  assert.ok(Math.min(...uses) > 300, `its endpoints have ${Math.min(...uses)} px`);
  await page.setViewport({ width: 700, height: 1000 });
  await page.emulateMediaType('print');
  assert.deepEqual((await findUnreadable(page)).cut, []);
  assert.deepEqual(problems, []);
  await page.close();
});

test('a statement shows its line and relation; a long one folds, and none becomes markup', {
  skip,
}, async () => {
  const { page } = await openReport(manyStatements(9));
  const text = await readText(page, '#database');
  assert.match(
    text,
    /SELECT a FROM table_0 WHERE id = \?\s+shop\/views\.py:1 · list_orders · Order\.items/,
  );
  assert.match(text, /'<img src=x onerror=alert\(1\)>'/);
  assert.match(text, /SELECT … FROM orders LEFT OUTER JOIN/);
  assert.doesNotMatch(text, /column_59/);
  assert.equal(await page.$('#database img'), null);
  await page.click('#database details.statement summary');
  assert.match(await readText(page, '#database'), /column_59/);
  await page.close();
});

test('the statements follow the selected worker, endpoint and time', { skip }, async () => {
  const { page } = await openReport(manyStatements(9));
  const select = async (/** @type {string} */ fragment) => {
    const title = await page.$eval('#database h2', heading => heading.textContent);
    await page.evaluate(hash => {
      location.hash = hash;
    }, fragment);
    await page.waitForFunction(
      before => document.querySelector('#database h2')?.textContent !== before,
      { timeout: 10_000 },
      title,
    );
    return readText(page, '#database');
  };
  assert.match(await readText(page, '#database'), /^Database: 24 statements per request/);
  const [first, second] = fullReport().profile?.table.workers ?? [];
  assert.match(
    await select(`worker=${first}`),
    /^Database: 1\.0 statements per request, 1\.0 ms; other calls 1\.0 ms\n/,
  );
  const text = await select(
    `worker=${second}&endpoint=${encodeURIComponent(ENDPOINTS[1] ?? '')}&t=5-10`,
  );
  assert.match(text, /^Database: 2\.0 statements per request, 1\.0 ms; other calls 1\.0 ms\n/);
  assert.doesNotMatch(text, /appointments/);
  assert.doesNotMatch(text, /table_5/, 'it was not executed then');
  await page.close();
});
