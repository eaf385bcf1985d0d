/**
 * `npm run screenshots`: the pictures of the report that README and docs show. It runs the demo, or takes
 * the folder of a run or of a study: `npm run screenshots -- profiles/20261120-214503-csr-all`. The demo's
 * figures are best on a machine that does nothing else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
      await page.$eval('#timeline', element => element.scrollIntoView());
    },
  },
  {
    name: 'flamegraph',
    look: { width: 1440, height: 760 },
    act: page => page.$eval('#flamegraph', element => element.scrollIntoView()),
  },
  { name: 'phone', look: { width: 390, height: 844, dark: true, scale: 2 } },
];

/** @type {Shot[]} */
const STUDY_SHOTS = [{ name: 'study', look: { width: 1440, height: 1500 } }];

/** Selects the middle of the timeline, as a reader does. @param {Page} page */
async function brushMiddle(page) {
  const box = await (await page.$('.brush'))?.boundingBox();
  if (!box) throw new Error('the report has no timeline');
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
  await page.mouse.up();
}

/** Runs the demo into a folder of its own. @param {string} root @returns {Promise<string>} the run folder */
async function runDemo(root) {
  const child = spawn(
    process.execPath,
    [path.join(ROOT, 'bin/loadflame.js'), 'start', '--profiles', root],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = await once(child, 'exit');
  const [name] = readdirSync(root);
  if (!name) throw new Error(`the demo left no run folder behind (exit code ${code})`);
  return path.join(root, name);
}

/** @param {string} folder of a run, or of a study */
async function takePictures(folder) {
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
}

const given = process.argv[2];
const root = mkdtempSync(path.join(tmpdir(), 'loadflame-pictures-'));
try {
  await takePictures(given ?? (await runDemo(root)));
} finally {
  rmSync(root, { recursive: true, force: true });
}
