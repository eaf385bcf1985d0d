import assert from 'node:assert/strict';
import test from 'node:test';
import { prepareFlamePages } from './open-harness.js';

/** @import { Page } from 'puppeteer-core' */
/** @import { DifferentialFlame } from '../../../../lib/run/facts/compare-report.d.ts' */

const { skip, openHarness } = prepareFlamePages();
const ROW = 19;

/**
 *     all 10 → 8
 *     ├ same    4 → 4.4   within the noise
 *     ├ cheaper 6 → 2
 *     └ new     0 → 1.6
 * @type {DifferentialFlame}
 */
const diff = {
  unit: 'ms',
  frames: [
    { function: 'same', file: 'api/same.py' },
    { function: 'cheaper', file: '<b>api/auth.py' },
    { function: 'added', file: 'api/new.py' },
  ],
  categories: [{ id: 'auth', label: 'auth', color: '#b8412f' }],
  frame: [-1, 0, 1, 2],
  parent: [-1, 0, 0, 0],
  category: [-1, -1, 0, 0],
  before: [10, 4, 6, 0],
  after: [8, 4.4, 2, 1.6],
  differs: [1, 0, 1, 1],
};

/** @param {Page} page @param {number} part */
async function pointAt(page, part, row = 1) {
  const box = await (await page.$('canvas'))?.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + part * box.width, box.y + (row + 0.5) * ROW);
  return page.$eval('.tooltip', element => element.textContent ?? '');
}

/** @param {Page} page @param {number} part */
async function readPixel(page, part) {
  await page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  return page.$eval(
    'canvas',
    (canvas, x, y) => [
      ...(canvas
        .getContext('2d')
        ?.getImageData(x * canvas.width, y, 1, 1)
        .data.slice(0, 3) ?? []),
    ],
    part,
    1.15 * ROW,
  );
}

test('widths are those of one side, and only differences above their noise have colour', {
  skip,
}, async () => {
  const { page, problems, requests } = await openHarness('diff-harness', {
    id: 'diff',
    value: diff,
  });
  // it opens with the side on which what changed is wide; boxes are in the order of the wider side
  assert.match(await pointAt(page, 0.5), /^cheaper/, 'it had 6 of 10');
  assert.match(await pointAt(page, 0.95), /^same/, 'what is new has no width there');
  await page.evaluate(() => {
    const buttons = [...document.querySelectorAll('button')];
    buttons.find(({ textContent }) => textContent === 'Widths of after')?.click();
  });
  // cheaper 2, same 4.4, added 1.6 of 8
  assert.match(
    await pointAt(page, 0.1),
    /^cheaper<b>api\/auth\.pybefore 6\.0 ms CPU per request → after 2\.0 ms CPU per request−66\.7 %larger than the noiseauth$/,
  );
  assert.match(await pointAt(page, 0.5), /^same.*\+10\.0 %within the noise/);
  assert.match(await pointAt(page, 0.9), /^added.*new/);
  // before pixels are read, of which the browser complains
  assert.deepEqual(problems, []);
  const [red = 0, , blue = 0] = await readPixel(page, 0.1);
  assert.ok(blue > red + 60, 'cheaper is blue');
  const same = await readPixel(page, 0.5);
  assert.ok(Math.max(...same) - Math.min(...same) < 20, 'noise is grey');
  const added = await readPixel(page, 0.9);
  assert.ok((added[0] ?? 0) > (added[2] ?? 0) + 60, 'dearer is orange');

  const text = await page.$eval('.flame-scale', element => element.textContent ?? '');
  assert.match(text, /blue: cheaper in after.*orange: costlier in after.*grey: no difference/);
  assert.deepEqual(requests, []);
  assert.equal(await page.$('canvas + b, .tooltip b'), null);
  await page.close();
});

test('the keyboard walks it, too', { skip }, async () => {
  const { page } = await openHarness('diff-harness', { id: 'diff', value: diff }, { dark: true });
  await page.focus('canvas');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const details = await page.$eval('.flame-details', element => element.textContent ?? '');
  assert.match(details, /^same api\/same\.py before 4\.0 ms/);
  await page.close();
});
