/** What a reader waits for in Chromium: the first paint, and the answer to a brush. */

import { median, quantile } from '../../../lib/base/math/summary.js';
import { launchBrowser, openPage } from '../../../test/helpers/browser.js';

const OPENINGS = 3;
const SELECTIONS = 40;
const LOOK = { width: 1440, height: 900 };
/** In the page: a message that is sent in a frame arrives when that has been painted. */
const LISTEN = `
  window.selectionTimes = [];
  window.addEventListener('pointerup', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => selectionTimes.push(performance.now() - timeStamp);
    port2.postMessage(null);
  }), { capture: true });
`;

/**
 * @typedef {object} PageTimes
 * @property {number} firstPaintMs median of a few openings
 * @property {number} readyMs until samples can be selected, the same
 * @property {{p50Ms: number, p95Ms: number, maxMs: number, count: number}} selection from the release
 *   of the mouse until the page is painted anew
 */

/**
 * @param {string} file a report.html
 * @param {{openings?: number, selections?: number}} [amounts]
 * @returns {Promise<PageTimes>}
 */
export async function measurePage(file, { openings = OPENINGS, selections = SELECTIONS } = {}) {
  const { browser, stop } = await launchBrowser();
  try {
    const times = [];
    for (let i = 1; ; i++) {
      const { page } = await openPage(browser, file, LOOK);
      await page.waitForSelector('html[data-ready]', { timeout: 60_000 });
      times.push(
        await page.evaluate(() => ({
          paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
          readyMs: performance.now(),
        })),
      );
      if (i < openings) await page.close();
      else return { ...medianOpening(times), selection: await measureSelections(page, selections) };
    }
  } finally {
    await stop();
  }
}

/** @param {{paintMs: number, readyMs: number}[]} openings */
function medianOpening(openings) {
  return {
    firstPaintMs: median(openings.map(({ paintMs }) => paintMs)),
    readyMs: median(openings.map(({ readyMs }) => readyMs)),
  };
}

/** Drags over the timeline, here and there, wide and narrow. @param {import('puppeteer-core').Page} page @param {number} count */
async function measureSelections(page, count) {
  await page.evaluate(LISTEN);
  const brush = await page.$('.brush');
  await brush?.evaluate(element => element.scrollIntoView({ block: 'center' }));
  const box = await brush?.boundingBox();
  if (!box) throw new Error('the page has no timeline to brush');
  for (let i = 0; i < count; i++) {
    const from = (i * 0.37) % 0.8;
    const to = Math.min(0.99, from + 0.02 + ((i * 0.23) % 0.6));
    const y = box.y + box.height / 3;
    await page.mouse.move(box.x + from * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + ((from + to) / 2) * box.width, y);
    await page.mouse.move(box.x + to * box.width, y);
    const before = Number(await page.evaluate('selectionTimes.length'));
    await page.mouse.up();
    await page.waitForFunction(`selectionTimes.length > ${before}`);
  }
  /** @type {number[]} */
  const times = JSON.parse(String(await page.evaluate('JSON.stringify(selectionTimes)')));
  const at = (/** @type {number} */ q) => quantile(times, q);
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: Math.max(...times), count: times.length };
}
