/** @import { Call } from '../io.js' */
import { rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findSettingsFolder, readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { serveLivePage } from '../../report/live/serve-page.js';
import { watchRun } from '../../report/live/watch-run.js';
import { renderLiveHtml } from '../../report/render-html.js';
import { findRunning, isUnderWay } from '../../run/active-recording.js';
import { readManifest } from '../../run/manifest.js';
import { locateRun, runFiles } from '../../run/run-folder.js';
import { isAllowed } from '../../run/steering.js';
import { wordControl } from '../../text/steering.js';
import { catchInterrupts, createNamer } from '../io.js';
import { openBrowser } from '../open-browser.js';

/** @import { LoadControl } from '../../run/facts/steering.d.ts' */

/** The load and its target have priority; even on saturated CPUs the page keeps up. */
const NICENESS = 10;

/** @param {Call} call */
export async function run({ args: [given], options, flags, io }) {
  const root = options.profiles;
  const folder = given ? locateRun(given, root) : findRunning(root);
  if (!folder) throw new LoadflameError('WATCH_NOTHING', { root });
  const files = runFiles(folder);
  const { id, profile } = readManifest(files.manifest);
  if (!isUnderWay(folder)) throw new LoadflameError('WATCH_ENDED', { id, folder });
  const config = readConfig({ flags, env: io.env, folder: findSettingsFolder([folder]) });
  os.setPriority(NICENESS);
  const name = createNamer(io);
  /** What the process that sends the load says, if it has started this one. @type {LoadControl} */
  let control = { why: 'between' };
  const page = renderLiveHtml({ hasProfile: profile !== null, name });
  const take = (/** @type {unknown} */ asked) =>
    isAllowed(Object(asked), control) && (process.send?.(asked) ?? false);
  const server = await serveLivePage(page, take);
  const takeControl = (/** @type {LoadControl} */ newest) => {
    control = newest;
    server.send('control', name(JSON.stringify(wordControl(control))));
  };
  takeControl(control);
  process.on('message', message => takeControl(/** @type {LoadControl} */ (message)));
  const { signal, release } = catchInterrupts(() => {});
  try {
    io.stdout.write(`live page: ${server.url}\n`);
    if (!options.print && !io.env.CI) {
      const chrome = readConfig({ env: io.env, folder: null }).get('CHROME_PATH');
      // The address is a secret, so the browser gets the path of a file instead.
      replaceFile(files.live, `<meta http-equiv="refresh" content="0; url=${server.url}">`);
      openBrowser(path.resolve(files.live), chrome, io);
    }
    await watchRun(folder, {
      signal,
      rulesFile: config.get('RULES_FILE'),
      send: (type, data) => server.send(type, type === 'report' ? name(data) : data),
    });
  } finally {
    await server.close();
    rmSync(files.live, { force: true });
    if (process.connected) process.disconnect();
    release();
  }
}
