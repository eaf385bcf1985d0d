/** @import { Call, Io } from '../io.js' */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { inheritEnvironment } from '../../process/bare-environment.js';
import { openInSpeedscope } from '../../report/speedscope-page.js';
import { lastRun, locateRun, runFiles } from '../../run/run-folder.js';

/** @param {Call} call */
export async function run({ args: [given], options, io }) {
  // The folder may be anyone's, and the current one: only the environment says which browser.
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

/**
 * @param {string} page
 * @param {string | null} browser
 * @param {Io} io
 * @returns {boolean} false where there is no desktop to open it on
 */
function openBrowser(page, browser, { stdout, env }) {
  const onMac = process.platform === 'darwin';
  if (!browser && !onMac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const program = browser ?? (onMac ? 'open' : 'xdg-open');
  const child = spawn(program, [page], {
    detached: true,
    stdio: 'ignore',
    env: inheritEnvironment().env,
  });
  child.on('error', () => stdout.write(`${page}\n`));
  child.unref();
  return true;
}
