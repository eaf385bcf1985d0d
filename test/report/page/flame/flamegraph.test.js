import assert from 'node:assert/strict';
import test from 'node:test';
import { packSampleTable } from '../../../../lib/analysis/sample-table/pack.js';
import { smallInput } from '../../../helpers/small-table.js';
import { prepareFlamePages } from './open-harness.js';

/** @import { Page } from 'puppeteer-core' */
/** @import { Selection, TableInput } from '../../../../lib/run/facts/sample-table.d.ts' */

const { skip, openHarness } = prepareFlamePages();
const ROW = 19;

/** @param {{dark?: boolean, scale?: number, width?: number}} [look] @param {TableInput} [input] */
async function openFlamegraph(look, input = smallInput()) {
  const opened = await openHarness(
    'flame-harness',
    { id: 'table', value: packSampleTable(input) },
    look,
  );
  // Its width is known only after the first layout; until then the canvas has the browser's own 300 pixels.
  await opened.page.waitForFunction(() => {
    const canvas = document.querySelector('canvas');
    return canvas?.parentElement && canvas.offsetWidth === canvas.parentElement.clientWidth;
  });
  return opened;
}

/** @param {Page} page @param {string} selector */
const readText = (page, selector) => page.$eval(selector, element => element.textContent ?? '');

/** What is told of the box that fills the width. @param {Page} page */
async function readTop(page) {
  await page.focus('canvas');
  await page.keyboard.press('Home');
  return readText(page, '.flame-details');
}

/** @param {Page} page @param {Selection} selection */
const select = (page, selection) =>
  page.evaluate(next => {
    /** @type {any} */ (window).select(next);
  }, selection);

/** @param {Page} page @param {string} label */
const press = (page, label) =>
  page.evaluate(wanted => {
    const buttons = [...document.querySelectorAll('button')];
    buttons.find(({ textContent }) => textContent?.startsWith(wanted))?.click();
  }, label);

/** Points at a place of the picture and reads the note. @param {Page} page @param {number} part of the width @param {number} row */
async function pointAt(page, part, row) {
  const box = await (await page.$('canvas'))?.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + part * box.width, box.y + (row + 0.5) * ROW);
  return page.$eval('.tooltip', element =>
    /** @type {HTMLElement} */ (element).hidden ? '' : (element.textContent ?? ''),
  );
}

/** The colour in the middle of a row, once it is drawn. @param {Page} page @param {number} part @param {number} row */
async function readPixel(page, part, row) {
  await page.evaluate(
    () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  return page.$eval(
    'canvas',
    (canvas, x, y) => {
      const ratio = window.devicePixelRatio;
      const context = canvas.getContext('2d');
      return [...(context?.getImageData(x * canvas.width, y * ratio, 1, 1).data.slice(0, 3) ?? [])];
    },
    part,
    (row + 0.15) * ROW,
  );
}

test('the total of the picture is the samples of the selection, whatever filters it has', {
  skip,
}, async () => {
  const { page, problems, requests } = await openFlamegraph();
  assert.match(await readTop(page), /^all: 1,000 samples /);
  await select(page, { windows: { from: 1, to: 3 } });
  assert.match(await readTop(page), /^all: 500 samples /);
  assert.match(await readText(page, '.lede'), /^500 active samples .* \(50\.0 % of the run’s\)/);
  await select(page, { windows: { from: 3, to: 4 }, workers: [1], endpoints: [1] });
  assert.match(await readTop(page), /^all: 88 samples /);
  await select(page, { categories: [0], search: { text: 'loads', without: true } });
  assert.match(await readTop(page), /^all: 100 samples /);
  await select(page, { windows: { from: 0, to: 0 } });
  assert.match(await readText(page, '#flamegraph'), /No samples in this selection/);
  await select(page, {});
  assert.match(await readTop(page), /^all: 1,000 samples /);
  assert.deepEqual([problems, requests], [[], []]);
  await page.close();
});

test('pointing at a box shows its function, place, samples, share, CPU per request and category', {
  skip,
}, async () => {
  const { page } = await openFlamegraph();
  // view (700) stands left of validate (300)
  assert.equal(
    await pointAt(page, 0.8, 2),
    'validateapi/auth.py:10300 samples, 30.0 %2.4 ms CPU per request100 in the function itselfauth',
  );
  assert.match(await pointAt(page, 0.2, 2), /^viewapi\/view\.py:20700 .*several categories$/);
  assert.equal(await pointAt(page, 0.5, 3), '', 'nothing is under the middle');
  await page.close();
});

test('arrows walk from box to box, Enter zooms, Backspace goes back, Home and Esc go to the top', {
  skip,
}, async () => {
  const { page } = await openFlamegraph();
  await page.focus('canvas');
  assert.notEqual(
    await page.$eval('canvas', canvas => getComputedStyle(canvas).outlineStyle),
    'none',
  );
  for (let row = 0; row < 3; row++) await page.keyboard.press('ArrowDown');
  assert.match(await readText(page, '.flame-details'), /^view api\/view\.py:20 700 samples/);
  await page.keyboard.press('ArrowRight');
  assert.match(await readText(page, '.flame-details'), /^validate /);
  await page.keyboard.press('Enter');
  assert.match(await pointAt(page, 0.05, 2), /^validate/, 'it fills the width');
  assert.match(await pointAt(page, 0.6, 3), /^loads/);
  await page.keyboard.press('ArrowDown');
  assert.match(await readText(page, '.flame-details'), /^loads json\/__init__\.py:30 200 samples/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Backspace');
  assert.match(await pointAt(page, 0.05, 2), /^view/);
  await page.keyboard.press('Home');
  assert.match(await readText(page, '.flame-details'), /^all: /);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  assert.match(await readText(page, '.flame-details'), /^handle /, 'there is nothing on its left');
  await page.keyboard.press('Escape');
  assert.match(await readText(page, '.flame-details'), /^Click to zoom in/);
  await page.close();
});

test('a click zooms in, and another selection stays at the same function', { skip }, async () => {
  const { page } = await openFlamegraph();
  const box = await (await page.$('canvas'))?.boundingBox();
  await page.mouse.click((box?.x ?? 0) + 0.8 * (box?.width ?? 0), (box?.y ?? 0) + 2.5 * ROW);
  assert.match(await readText(page, '.flame-details'), /^validate .* 300 samples, 30\.0 %/);
  await select(page, { windows: { from: 0, to: 1 } });
  assert.match(await readText(page, '.flame-details'), /^validate .* 30 samples, 30\.0 %/);
  assert.match(await pointAt(page, 0.05, 2), /^validate/);
  await select(page, { endpoints: [1] });
  assert.match(await readText(page, '.flame-details'), /^handle /, 'as far as there is something');
  await page.close();
});

test('a search marks boxes, shows their share, and narrows to them or to everything else', {
  skip,
}, async () => {
  const { page } = await openFlamegraph();
  const before = await readPixel(page, 0.3, 2);
  await page.type('input[type=search]', 'JSON/');
  assert.equal(await readText(page, '.found'), '60.0 % of samples, 1 function');
  assert.notDeepEqual(await readPixel(page, 0.3, 2), before, 'what does not match is faint');
  await press(page, 'Only these');
  assert.match(await readTop(page), /^all: 600 samples /);
  assert.equal(await readText(page, '.found'), '60.0 % of 1,000 samples kept');
  await press(page, 'Everything but');
  assert.match(await readTop(page), /^all: 400 samples /);
  assert.equal(await readText(page, '.found'), '60.0 % of 1,000 samples left out');
  await press(page, 'Everything but');
  assert.match(await readTop(page), /^all: 1,000 samples /);
  await page.focus('input[type=search]');
  await page.keyboard.press('Escape');
  assert.equal(await readText(page, '.found'), '');
  assert.deepEqual(await readPixel(page, 0.3, 2), before);
  await page.close();
});

test('the legend narrows to categories and back', { skip }, async () => {
  const { page } = await openFlamegraph();
  await press(page, 'auth');
  assert.match(await readTop(page), /^all: 300 samples /);
  await press(page, 'serialization');
  assert.match(await readTop(page), /^all: 700 samples /);
  await press(page, 'auth');
  await press(page, 'serialization');
  assert.match(await readTop(page), /^all: 1,000 samples /);
  await page.close();
});

test('boxes have their category’s colour on any screen, the trunk has none', { skip }, async () => {
  for (const look of [{}, { dark: true, scale: 2 }]) {
    const { page } = await openFlamegraph(look);
    const [red = 0, green = 0, blue = 0] = await readPixel(page, 0.8, 2);
    assert.ok(red > green + 60 && red > blue + 60, 'auth is red');
    const trunk = await readPixel(page, 0.5, 1);
    assert.ok(Math.max(...trunk) - Math.min(...trunk) < 35, 'the trunk is sand');
    const ratio = await page.$eval('canvas', canvas => canvas.width / canvas.clientWidth);
    assert.equal(ratio, look.scale ?? 1);
    await page.close();
  }
});

test('paper shows all rows, and a phone nothing wider than its screen', {
  skip,
}, async () => {
  const { page } = await openFlamegraph({ width: 390 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(wide, 390);
  await page.waitForFunction(() => document.querySelector('canvas')?.height);
  const height = await page.evaluate(() => {
    window.dispatchEvent(new Event('beforeprint'));
    return document.querySelector('canvas')?.height;
  });
  assert.equal(height, 4 * ROW * 2, 'twice as fine as a screen');
  await page.close();
});

test('names of functions and files stay text', { skip }, async () => {
  const hostile = '<img src=x onerror="document.title=1"></script><b>\u202egnp';
  const input = smallInput();
  input.frames = input.frames.map(() => ({ function: hostile, file: hostile }));
  input.categories[0] = {
    id: 'auth',
    label: hostile,
    color: 'red; background: url(http://127.0.0.1:1/)',
  };
  const { page, problems, requests } = await openFlamegraph({}, input);
  assert.ok((await pointAt(page, 0.5, 1)).startsWith('<img src=x onerror'));
  assert.match(await readTop(page), /^all/);
  await page.keyboard.press('ArrowDown');
  const details = await readText(page, '.flame-details');
  assert.ok(details.startsWith('<img src=x'));
  assert.ok(!details.includes('\u202e'));
  assert.equal(await page.$$eval('img, b', found => found.length), 0);
  await press(page, 'Open in speedscope');
  await page.waitForFunction(() =>
    document.querySelector('iframe')?.contentDocument?.title.includes('run <b>1</b>'),
  );
  const frame = await (await page.$('iframe'))?.contentFrame();
  assert.equal(await frame?.$$eval('img, b', found => found.length), 0);
  assert.equal(await page.title(), 'flame-harness');
  assert.deepEqual(requests, []);
  assert.deepEqual(
    problems.filter(text => !text.includes('GL')),
    [],
  );
  await page.close();
});

test('speedscope opens with the same selection over the page, asks for nothing, and Esc closes it', {
  skip,
}, async () => {
  const { page, problems, requests } = await openFlamegraph();
  await select(page, { endpoints: [0] });
  await press(page, 'Open in speedscope');
  await page.waitForFunction(() =>
    document.querySelector('iframe')?.contentDocument?.title.includes('run <b>1</b>, selection'),
  );
  const frame = await (await page.$('iframe'))?.contentFrame();
  assert.ok(frame);
  // the sandwich view is a table; its totals are seconds at 100 samples a second
  await page.keyboard.press('3');
  await frame.waitForFunction(() => document.body.innerText.includes('validate'));
  const rows = await frame.$$eval('tr', found => found.map(row => row.textContent ?? ''));
  assert.deepEqual(rows.slice(1).sort(), [
    '1.50s (33%)1.50s (33%)view',
    '2.00s (44%)2.00s (44%)loads',
    '3.00s (67%)1.00s (22%)validate',
    '4.50s (100%)0.00ns (<0.01%)handle',
  ]);
  await page.keyboard.press('Escape');
  await page.waitForFunction(
    () => !document.querySelector('dialog')?.open && !document.querySelector('iframe'),
  );
  await press(page, 'Open in speedscope');
  await page.waitForSelector('dialog[open] iframe');
  assert.deepEqual(requests, []);
  assert.deepEqual(
    problems.filter(text => !text.includes('GL')),
    [],
  );
  await page.close();
});
