/**
 * `node scripts/run.js scripts/screenshots.js`: the pictures of the report that README and docs show, of the recorded example
 * (`node scripts/run.js scripts/write-example.js`), or of the folder of a run or of a study: `node scripts/run.js scripts/screenshots.js profiles/<id>`.
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { launchBrowser, openPage } from '../test/helpers/browser.js';
import { ROOT } from './setup/root.js';

/** @import { Page } from 'puppeteer-core' */

const PICTURES = path.join(ROOT, 'docs/pictures');

/**
 * @typedef {object} Shot
 * @property {string} name
 * @property {NonNullable<Parameters<typeof openPage>[2]>} look
 * @property {(page: Page) => Promise<void>} [act] before the picture is taken
 */

/** @type {Shot[]} */
const SHOTS = [
  { name: 'report', look: { width: 1440, height: 900 } },
  { name: 'report-dark', look: { width: 1440, height: 900, dark: true } },
  {
    name: 'selection',
    look: { width: 1440, height: 1000 },
    async act(page) {
      await brushMiddle(page);
      // below the bar, which stays
      await page.evaluate(`scrollTo(0, document.querySelector('.tracks').offsetTop - 72)`);
    },
  },
  {
    name: 'flamegraph',
    look: { width: 1440, height: 1100 },
    act: page => page.$eval('#flamegraph', element => element.scrollIntoView()),
  },
];

/** @type {Shot[]} */
const STUDY_SHOTS = [{ name: 'study', look: { width: 1440, height: 1500 } }];

/** Selects the middle of the timeline, as a reader does. @param {Page} page */
async function brushMiddle(page) {
  const box = await (await page.$('.brush'))?.boundingBox();
  if (!box) throw new Error('the report has no timeline');
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.55, box.y + 60, { steps: 4 });
  await page.mouse.up();
}

/** Of a run, or of a study. */
const folder = process.argv[2] ?? path.join(ROOT, 'profiles/example');
mkdirSync(PICTURES, { recursive: true });
const isStudy = existsSync(path.join(folder, 'study.html'));
const [file, shots] = isStudy ? ['study.html', STUDY_SHOTS] : ['report.html', SHOTS];
const { browser, stop } = await launchBrowser();
try {
  for (const { name, look, act } of shots) {
    const { page } = await openPage(browser, path.join(folder, file), look);
    await page.waitForSelector('html[data-ready]');
    await act?.(page);
    // pictures are drawn with the next frames
    await setTimeout(200);
    const picture = /** @type {`${string}.png`} */ (path.join(PICTURES, `${name}.png`));
    await page.screenshot({ path: picture });
    process.stdout.write(`${path.relative(ROOT, picture)}\n`);
    await page.close();
  }
} finally {
  await stop();
}
