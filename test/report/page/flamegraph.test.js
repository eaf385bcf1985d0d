import assert from 'node:assert/strict';
import test from 'node:test';
import { fullReport } from '../../fixtures/reports/reports.js';
import { preparePages } from './prepare-pages.js';

/** @import { Page } from 'puppeteer-core' */

const { skip, openReport } = preparePages();
const ROW = 19;

/** @param {{dark?: boolean, scale?: number}} [look] */
async function openFlamegraph(look) {
  const { page } = await openReport(fullReport(), { ...look, height: 1000 });
  await page.$eval('#flamegraph', element => element.scrollIntoView());
  const box = await (await page.$('canvas'))?.boundingBox();
  assert.ok(box);
  return { page, box };
}

/** @param {Page} page @param {string} selector */
const readText = (page, selector) => page.$eval(selector, element => element.textContent ?? '');

/** The colour at a place of the canvas, once it is drawn. @param {Page} page @param {number} x @param {number} y */
async function readPixel(page, x, y) {
  await page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  return page.$eval(
    'canvas',
    (canvas, left, top) => {
      const ratio = window.devicePixelRatio;
      const context = /** @type {HTMLCanvasElement} */ (canvas).getContext('2d');
      return [...(context?.getImageData(left * ratio, top * ratio, 1, 1).data.slice(0, 3) ?? [])];
    },
    x,
    y,
  );
}

test('pointing at a box tells its function, place, samples, share and category', {
  skip,
}, async () => {
  const { page, box } = await openFlamegraph();
  await page.mouse.move(box.x + 60, box.y + 14.5 * ROW);
  const text = await readText(page, '.tooltip');
  assert.match(
    text,
    /validate_tokenapi\/auth\.py:44579 samples, 39\.9 % · 0 in the function itself · auth/,
  );
  await page.mouse.move(box.x + 60, box.y - 60);
  assert.equal(
    await page.$eval('.tooltip', element => /** @type {HTMLElement} */ (element).hidden),
    true,
  );
  await page.close();
});

test('a click zooms in, Backspace goes back, and Esc shows all', { skip }, async () => {
  const { page, box } = await openFlamegraph();
  const right = box.width - 40;
  await page.mouse.click(box.x + 60, box.y + 14.5 * ROW);
  await page.mouse.move(box.x + right, box.y + 14.5 * ROW);
  assert.match(await readText(page, '.tooltip'), /^validate_token/, 'the box fills the width');
  await page.mouse.click(box.x + 60, box.y + 17.5 * ROW);
  assert.match(await readText(page, '.flame-details'), /^request /);
  await page.keyboard.press('Backspace');
  assert.match(await readText(page, '.flame-details'), /^validate_token /);
  await page.keyboard.press('Escape');
  assert.match(await readText(page, '.flame-details'), /^Click zooms in/);
  await page.mouse.move(box.x + right, box.y + 4.5 * ROW);
  assert.match(await readText(page, '.tooltip'), /^_worker/);
  await page.close();
});

test('arrows walk the tree and Enter zooms', { skip }, async () => {
  const { page } = await openFlamegraph();
  await page.focus('canvas');
  for (let row = 0; row <= 7; row++) await page.keyboard.press('ArrowDown');
  assert.match(await readText(page, '.flame-details'), /^handle_request /);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  assert.match(await readText(page, '.flame-details'), /^create gunicorn/);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  assert.match(
    await readText(page, '.flame-details'),
    /^parse gunicorn\/http\/message\.py:210 81 samples, 5\.6 %/,
  );
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowLeft');
  assert.match(await readText(page, '.flame-details'), /^__call__ /);
  await page.close();
});

test('a search marks boxes and tells the share of samples, none of them counted twice', {
  skip,
}, async () => {
  const { page } = await openFlamegraph();
  const before = await readPixel(page, 400, 8.5 * ROW);
  await page.type('input[type=search]', 'SSL');
  // create_ssl_context (288) holds two that match as well; do_handshake of ssl.py (71) stands alone
  assert.equal(
    await readText(page, '.found'),
    `${((359 / 1451) * 100).toFixed(1)} % of samples, 4 boxes`,
  );
  assert.notDeepEqual(await readPixel(page, 400, 8.5 * ROW), before);
  await page.keyboard.press('Escape');
  assert.equal(await readText(page, '.found'), '');
  assert.deepEqual(await readPixel(page, 400, 8.5 * ROW), before);
  await page.close();
});

test('a hot path is found in the flamegraph by its button', { skip }, async () => {
  const { page } = await openFlamegraph();
  await page.$eval('.hot-path .entry button', button =>
    /** @type {HTMLElement} */ (button).click(),
  );
  assert.equal(
    await page.$eval('input[type=search]', input => /** @type {HTMLInputElement} */ (input).value),
    'validate_token',
  );
  assert.equal(await readText(page, '.found'), '39.9 % of samples, 1 box');
  await page.close();
});

test('boxes have their category’s colour, which the legend switches off; the trunk has none', {
  skip,
}, async () => {
  for (const look of [{}, { dark: true, scale: 2 }]) {
    const { page } = await openFlamegraph(look);
    const [red = 0, green = 0, blue = 0] = await readPixel(page, 400, 14.2 * ROW);
    assert.ok(red > green + 60 && red > blue + 60, 'auth is red');
    const trunk = await readPixel(page, 400, 2.2 * ROW);
    assert.ok(
      Math.max(...trunk) - Math.min(...trunk) < 20,
      'what everything passes through is grey',
    );
    await page.$eval('.flame-legend button', button => /** @type {HTMLElement} */ (button).click());
    assert.equal(
      await page.$eval('.flame-legend button', button => button.getAttribute('aria-pressed')),
      'false',
    );
    const off = await readPixel(page, 400, 14.2 * ROW);
    assert.ok(Math.max(...off) - Math.min(...off) < 20, `switched off: ${off}`);
    assert.equal(
      await page.$eval('canvas', canvas => canvas.width / canvas.clientWidth),
      look.scale ?? 1,
    );
    await page.close();
  }
});
