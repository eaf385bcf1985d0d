import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

/** @import { Browser, Page } from 'puppeteer-core' */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The Chrome or Chromium of this machine: `CHROME_PATH`, else the first on the PATH.
 * @returns {string | null}
 */
export function findChrome() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(path.join(folder, name), constants.X_OK);
        return path.join(folder, name);
      } catch {
        // not here: the next place
      }
    }
  }
  return null;
}

/**
 * What a page did while it was open.
 * @typedef {object} OpenPage
 * @property {Page} page
 * @property {string[]} problems console errors and warnings, uncaught errors, violated policies
 * @property {string[]} requests addresses of everything that was asked for, other than the file
 */

/**
 * A browser with a profile of its own; one per test file.
 */
export async function launchBrowser() {
  const executablePath = findChrome();
  if (!executablePath) throw new Error('no Chrome or Chromium found: name one with CHROME_PATH');
  const userDataDir = mkdtempSync(path.join(tmpdir(), 'loadflame-browser-'));
  const browser = await puppeteer.launch({
    executablePath,
    userDataDir,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb',
      // A renderer that nobody may need, ready for the next page, and pages that were left.
      '--disable-features=SpareRendererForSitePerProcess,BackForwardCache',
    ],
  });
  return {
    browser,
    /** Ends the browser and takes its profile away. */
    async stop() {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Tabs whose page was closed: in one of them the next page costs a third less CPU than in a tab of its own.
 * @type {WeakMap<Browser, Page[]>}
 */
const idleTabs = new WeakMap();

/**
 * Makes the end of a page leave its tab, without what was set for it, for another page.
 * @param {Browser} browser @param {Page} page @param {Record<string, (event: any) => void>} listeners
 */
function keepTab(browser, page, listeners) {
  page.close = async () => {
    for (const [name, listener] of Object.entries(listeners))
      page.off(/** @type {any} */ (name), listener);
    await page.mouse.move(0, 0);
    await page.emulateMediaType();
    await page.goto('about:blank');
    idleTabs.set(browser, [...(idleTabs.get(browser) ?? []), page]);
  };
}

/**
 * Opens a file of the disk, as a user does by a double click, or an address.
 * @param {Browser} browser
 * @param {string} file
 * @param {{width?: number, height?: number, dark?: boolean, scale?: number, fragment?: string}} [look]
 * @returns {Promise<OpenPage>}
 */
export async function openPage(
  browser,
  file,
  { width = 1280, height = 900, dark = false, scale = 1, fragment = '' } = {},
) {
  const page = idleTabs.get(browser)?.pop() ?? (await browser.newPage());
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const requests = [];
  const url = file.startsWith('http://') ? file : pathToFileURL(file).href;
  /** @type {Record<string, (event: any) => void>} */
  const listeners = {
    console: message => {
      if (message.type() === 'error' || message.type() === 'warn') problems.push(message.text());
    },
    pageerror: error => problems.push(String(error)),
    dialog: dialog => {
      problems.push(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    },
    request: request => {
      const asked = request.url();
      if (asked.split('#')[0] !== url && !asked.startsWith('data:')) requests.push(asked);
    },
  };
  for (const [name, listener] of Object.entries(listeners))
    page.on(/** @type {any} */ (name), listener);
  keepTab(browser, page, listeners);
  await page.setViewport({ width, height, deviceScaleFactor: scale });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
  ]);
  await page.goto(fragment ? `${url}#${fragment}` : url, { waitUntil: 'load' });
  return { page, problems, requests };
}
