import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { LOADFLAME } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */

const { skip, openFile } = preparePages();
const COMPANION = path.resolve(import.meta.dirname, '../../../companion/loadflame_gunicorn.py');

/** @param {Page} page @param {string} selector */
const readText = (page, selector) =>
  page.$eval(selector, element => (element.textContent ?? '').replaceAll('\u00a0', ' '));

/** @param {Page} page @param {RegExp} expected of the text of the bar */
const waitForBar = (page, expected) =>
  page.waitForFunction(
    source => new RegExp(source).test(document.querySelector('footer.live')?.textContent ?? ''),
    { timeout: 60_000 },
    expected.source,
  );

/** The bar at the bottom may be over the button. @param {import('puppeteer-core').Page} page */
async function reset(page) {
  await page.$eval('.reset', own => own.scrollIntoView({ block: 'center' }));
  await page.click('.reset');
}

test('the page of a run under way is the report: it grows, keeps what was selected, and becomes the one on disk', {
  skip,
}, async t => {
  const folder = makeTempFolder(t);
  const { url, masterPid } = await startGunicorn(t, {
    workers: 1,
    args: ['--threads', '8', '-c', COMPANION],
    env: { LOADFLAME: '1' },
  });
  writeFileSync(
    path.join(folder, 'load.yaml'),
    `config: { target: "${url}", phases: [{ duration: 45, arrivalRate: 10 }] }
scenarios: [{ flow: [{ get: { url: /lock/50 } }, { get: { url: /burn/20 } }, { get: { url: /none } }] }]
`,
  );
  const args = ['test', 'load.yaml', '--profile', '--pid', `${masterPid}`, '--live'];
  const child = startChild(process.execPath, [LOADFLAME, ...args], { cwd: folder });
  t.after(() => child.stop());
  let printed = '';
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', text => {
      printed += text;
    });
  while (!/live page: \S+\n/.test(printed)) {
    assert.ok(child.isAlive(), printed);
    await sleep(50);
  }
  const address = /live page: (\S+)/.exec(printed)?.[1] ?? '';
  const { page, problems, requests } = await openFile(address);
  await page.waitForSelector('html[data-ready]');
  await waitForBar(page, /Running for/);
  await page.waitForFunction(
    () =>
      /[\d,]+ samples? · [\d,]+ requests/.test(
        document.querySelector('.amount')?.textContent ?? '',
      ),
    { timeout: 60_000 },
  );
  assert.match(await readText(page, '.level'), /, provisional$/);
  assert.match(await readText(page, '#bottleneck-title'), /, provisional$/);

  // a selection by keys, and an opened fold, outlive updates
  await page.waitForFunction(
    () => Number(document.querySelector('.slider-to')?.getAttribute('aria-valuemax')) > 6,
    { timeout: 60_000 },
  );
  await page.focus('.slider-to');
  await page.keyboard.press('Home');
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight');
  const opened = await page.$$eval('main details:not([open])', folds =>
    folds.map(fold => {
      fold.open = true;
      return fold.querySelector('summary')?.textContent;
    }),
  );
  const selected = await readText(page, '.time-range');
  const edges = () => page.$eval('.slider-to', slider => slider.getAttribute('aria-valuemax'));
  const before = Number(await edges());
  await page.waitForFunction(
    least => Number(document.querySelector('.slider-to')?.getAttribute('aria-valuemax')) > least,
    { timeout: 60_000 },
    before + 5,
  );
  assert.equal(await readText(page, '.time-range'), selected);
  const folds = await page.$$eval('main details', all =>
    all.map(fold => ({ isOpen: fold.open, text: fold.querySelector('summary')?.textContent })),
  );
  // Their figures go on, and so does their severity; a finding may give way to one that says more.
  const nameOf = (/** @type {string | null | undefined} */ text) =>
    text?.replace(/^(?:Note|Warning|Problem)|\d.*$/gs, '');
  const wereOpen = Map.groupBy(opened.map(nameOf), name => name);
  const after = Map.groupBy(folds, ({ text }) => nameOf(text));
  const kept = [...wereOpen].filter(([name]) => after.has(name));
  assert.ok(kept.length > 0, `${[...wereOpen.keys()]}`);
  for (const [name, { length }] of kept) {
    const now = after.get(name) ?? [];
    assert.ok(now.filter(fold => fold.isOpen).length >= Math.min(now.length, length), name);
  }
  await reset(page);

  // the end of the run is followed
  await page.waitForFunction(
    () => Number(document.querySelector('.slider-to')?.getAttribute('aria-valuemax')) > 34,
    { timeout: 120_000 },
  );
  await page.click('footer.live button');
  // a newer report may be on its way
  await page.waitForFunction(() =>
    /^Time \d+ s to \d+ s/.test(document.querySelector('.time-range')?.textContent ?? ''),
  );
  const first = await readText(page, '.time-range');
  await page.waitForFunction(
    text => document.querySelector('.time-range')?.textContent !== text,
    { timeout: 60_000 },
    first,
  );
  await reset(page);

  await waitForBar(page, /The run has ended\. Its report: \S+report\.html/);
  const [id = ''] = readdirSync(path.join(folder, 'profiles')).filter(name => /-load$/.test(name));
  const files = runFiles(path.join(folder, 'profiles', id));
  assert.ok(!existsSync(files.live));
  const saved = await openFile(files.reportHtml);
  await saved.page.waitForSelector('html[data-ready]');
  for (const part of ['#summary', '#endpoints', '#hot-paths', '#bottleneck', '.amount'])
    assert.equal(await readText(page, part), await readText(saved.page, part), part);
  assert.equal((await child.ended).exitCode, 0, printed);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, [`${address}events`]);
  await Promise.all([page.close(), saved.page.close()]);
});
