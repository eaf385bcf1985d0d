import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { replaceFile } from '../../../lib/base/files/replace-file.js';
import { renderHtml } from '../../../lib/report/render-html.js';
import { wordReport } from '../../../lib/text/index.js';
import { launchBrowser, openPage } from '../../helpers/browser.js';
import { needs } from '../../helpers/needs.js';

/** @import { Report } from '../../../lib/run/facts/report.d.ts' */

/** One for all files that share a process. @type {ReturnType<typeof launchBrowser> | undefined} */
let launched;
let files = 0;

/** For the browser tests of a file: a folder that is gone at their end, and the browser. */
export function preparePages() {
  const skip = needs('chromium');
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-page-'));
  files += 1;
  test.after(async () => {
    rmSync(folder, { recursive: true, force: true });
    files -= 1;
    if (files > 0) return;
    await (await launched)?.stop();
    launched = undefined;
  });
  let pages = 0;
  /** @param {string} file @param {Parameters<typeof openPage>[2]} [look] */
  const openFile = async (file, look) => {
    launched ??= launchBrowser();
    return openPage((await launched).browser, file, look);
  };
  return {
    skip,
    folder,
    openFile,
    /**
     * Opens a report's page from disk.
     * @param {Report} report
     * @param {Parameters<typeof openPage>[2]} [look]
     */
    async openReport(report, look) {
      const file = path.join(folder, `report ${++pages} #%.html`);
      replaceFile(file, renderHtml(wordReport(report)));
      const opened = await openFile(file, look);
      await opened.page.waitForSelector('html[data-ready]');
      return opened;
    },
  };
}

/** All but the text of long statements. @param {import('puppeteer-core').Page} page @param {string} inside a selector */
export const openFolds = (page, inside) =>
  page.$$eval(`${inside} details:not(.statement)`, all => {
    for (const own of all) own.open = true;
  });

/**
 * What can't be read in the tables and charts of a page: cut at the side, or in rows that are mostly empty.
 * @param {import('puppeteer-core').Page} page
 */
export function findUnreadable(page) {
  return page.evaluate(async () => {
    // Charts hear of a new width with the next frame.
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const nameOf = (/** @type {Element} */ element) =>
      `${element.closest('section')?.id}: ${element.textContent?.slice(0, 40)}`;
    const areas = [
      ...document.querySelectorAll('.table-scroll, .chart-area, .reading-name'),
    ].filter(
      area =>
        area.scrollWidth > area.clientWidth + 1 && getComputedStyle(area).display !== 'inline',
    );
    const facts = document.querySelector('.facts')?.getBoundingClientRect();
    const cut = [...document.querySelectorAll('.facts li')].filter(fact => {
      const { top, right } = fact.getBoundingClientRect();
      return facts && facts.width > 0 && top < facts.bottom - 1 && right > facts.right + 1;
    });
    const tall = [...document.querySelectorAll('tbody tr')].filter(
      row => row.getBoundingClientRect().height > 300,
    );
    return { cut: [...areas, ...cut].map(nameOf), tall: tall.map(nameOf) };
  });
}
