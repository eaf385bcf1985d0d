import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { writeHtml } from '../../../lib/report/write-html.js';
import { launchBrowser, openPage, skipWithoutChrome } from '../../helpers/browser.js';

/** @import { Report } from '../../../lib/analysis/report.d.ts' */

/** For the browser tests of a file: a folder and one browser, both gone at its end. */
export function preparePages() {
  const skip = skipWithoutChrome();
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-page-'));
  /** @type {Awaited<ReturnType<typeof launchBrowser>> | undefined} */
  let launched;
  test.after(async () => {
    await launched?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  let pages = 0;
  /** @param {string} file @param {Parameters<typeof openPage>[2]} [look] */
  const openFile = async (file, look) => {
    launched ??= await launchBrowser();
    return openPage(launched.browser, file, look);
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
      writeHtml(report, file);
      const opened = await openFile(file, look);
      await opened.page.waitForSelector('html[data-ready]');
      return opened;
    },
  };
}
