/** @import { Call } from '../io.js' */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { openInSpeedscope } from '../../report/speedscope-page.js';
import { lastRun, locateRun, runFiles } from '../../run/run-folder.js';
import { openBrowser } from '../open-browser.js';

/** @param {Call} call */
export async function run({ args: [given], options, io }) {
  // The current folder may belong to anyone: only the environment chooses the browser.
  const config = readConfig({ env: io.env, folder: null });
  const files = runFiles(
    given ? locateRun(given, options.profiles) : lastRun(options.profiles, 'report.html'),
  );
  const file = options.report ? files.reportHtml : files.speedscope;
  if (!existsSync(file))
    throw new LoadflameError('NOTHING_TO_OPEN', { file, folder: files.folder });
  const page = options.report
    ? path.resolve(file)
    : openInSpeedscope({ speedscopeFile: file, page: path.resolve(files.speedscopePage) });
  if (options.print || !openBrowser(page, config.get('CHROME_PATH'), io))
    io.stdout.write(`${page}\n`);
  else io.stderr.write(`opening ${page}\n`);
}
