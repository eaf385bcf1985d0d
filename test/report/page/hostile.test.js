import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { renderHtml } from '../../../lib/report/render-html.js';
import { wordReport } from '../../../lib/text/index.js';
import { hostileReport } from '../../fixtures/reports/extreme-reports.js';
import { fullReport } from '../../fixtures/reports/reports.js';
import { preparePages } from './prepare-pages.js';

const { skip, folder, openFile, openReport } = preparePages();

test('markup in a frame, a URL, a body, a setting or a reason shows as text and runs nowhere', {
  skip,
}, async () => {
  const report = hostileReport();
  assert.ok(report.bottleneck);
  const { bottleneck } = report;
  report.verdict.points.push({ id: 'bottleneck', facts: { bottleneck } });
  const { page, problems, requests } = await openReport(report);
  for (const selector of [
    '.banner li:last-child',
    '.sentences',
    '#errors .item pre',
    '#errors .pairs dd',
    '#hot-paths .item-text',
    '#run td',
    '#run .items',
    '#errors .items li',
    '#findings .items > li:nth-child(2) .item-text',
    '#quality .more li:nth-child(2)',
    '#hot-paths .item-body p .mono',
    '#source th .mono',
    '.target',
  ]) {
    const text = await page.$eval(selector, element => element.textContent ?? '');
    assert.ok(
      text.includes('<img src=x onerror=alert(1)></script><script>alert(2)</script>'),
      `${selector}: ${text}`,
    );
  }
  const found = await page.evaluate(() => ({
    images: document.querySelectorAll('img').length,
    scripts: document.querySelectorAll('script').length,
    handlers: [...document.querySelectorAll('*')].filter(element =>
      element.getAttributeNames().some(name => name.startsWith('on')),
    ).length,
    links: [...document.querySelectorAll('a')]
      .map(link => link.href)
      .filter(href => !href.startsWith('file:')),
  }));
  const scripts = renderHtml(wordReport(fullReport())).match(/<script/g)?.length;
  assert.deepEqual(found, { images: 0, scripts, handlers: 0, links: [] });
  assert.deepEqual({ problems, requests }, { problems: [], requests: [] });
  await page.close();
});

for (const flame of ['cpu', 'waiting'])
  test(`a hostile function name stays text in the flamegraph’s tooltip and details: ${flame}`, {
    skip,
  }, async () => {
    const { page, problems } = await openReport(hostileReport(), { fragment: `flame=${flame}` });
    const canvas = await page.$('#flamegraph canvas');
    await canvas?.scrollIntoView();
    const box = await canvas?.boundingBox();
    assert.ok(box);
    const said = await page.$eval('#flamegraph .lede', element => element.textContent ?? '');
    assert.match(said, flame === 'cpu' ? /active samples/ : /requests waiting/);
    await page.mouse.move(box.x + 40, box.y + 25);
    await page.mouse.click(box.x + 40, box.y + 25);
    for (const selector of ['.tooltip', '.flame-details']) {
      assert.match(
        await page.$eval(selector, element => element.textContent ?? ''),
        /_bootstrap|<img src=x/,
      );
      assert.equal(await page.$(`${selector} img`), null);
    }
    assert.deepEqual(problems, []);
    await page.close();
  });

test('an invalid colour or file path changes nothing and loads nothing', {
  skip,
}, async () => {
  const report = fullReport();
  assert.ok(report.profile?.categories[0]);
  report.profile.categories[0].color = 'red; background-image: url(http://127.0.0.1:9/x)';
  report.run.files = [
    { path: 'javascript:alert(1)', label: 'a script' },
    { path: '//127.0.0.1:9/x', label: 'a host' },
  ];
  const { page, problems, requests } = await openReport(report);
  const links = await page.$$eval('#run .items a', found =>
    found.map(link => /** @type {HTMLAnchorElement} */ (link).protocol),
  );
  assert.deepEqual(
    { links, problems, requests },
    { links: ['file:', 'file:'], problems: [], requests: [] },
  );
  await page.close();
});

test('the page’s policy stops a script that was put into the file', { skip }, async () => {
  const file = path.join(folder, 'tampered.html');
  const script = '<script>document.title = "taken"</script></body>';
  writeFileSync(file, renderHtml(wordReport(fullReport())).replace('</body>', script));
  const { page, problems } = await openFile(file);
  assert.equal(await page.title(), `${fullReport().run.id} – loadflame`);
  assert.match(problems.join(), /Content Security Policy/);
  await page.close();
});

test('the data in the page can not end its script element', () => {
  const html = renderHtml(wordReport(hostileReport()));
  const [, json = ''] = /id="report">(.*?)<\/script>/s.exec(html) ?? [];
  assert.doesNotMatch(json, /[<>\u2028\u2029]/);
  assert.deepEqual(JSON.parse(json), wordReport(hostileReport()));
});
