import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../config/read-config.js';
import { LoadflameError } from '../../errors.js';
import { openInSpeedscope } from '../../report/speedscope-page.js';
import { runFiles } from '../../run/run-folder.js';
import { lastRun, profilesOption } from '../runs.js';

/** @param {import('commander').Command} program */
export function addOpenCommand(program) {
  const command = program
    .command('open')
    .argument('[run]', 'folder of a run; the last one without it')
    .description(
      'open the profile of a run in speedscope, or its report, in the browser; works offline',
    )
    .option('--report', 'open report.html instead of speedscope')
    .option('--print', 'print the path of the page instead of opening it')
    .addHelpText(
      'after',
      `
Examples:
  loadflame open
  loadflame open --report
  loadflame open profiles/20261120-214503-csr-all`,
    );
  profilesOption(command);
  command.action(async (run, options) => {
    const config = readConfig();
    const files = runFiles(run ?? lastRun(options.profiles, 'report.html'));
    const file = options.report ? files.reportHtml : files.speedscope;
    if (!existsSync(file))
      throw new LoadflameError('NOTHING_TO_OPEN', { file, folder: files.folder });
    const page = options.report
      ? path.resolve(file)
      : await openInSpeedscope({
          speedscopeFile: file,
          outDir: path.join(files.folder, 'speedscope'),
        });
    if (options.print || !openBrowser(page, config.get('CHROME_PATH')))
      process.stdout.write(`${page}\n`);
    else process.stderr.write(`opening ${page}\n`);
  });
}

/**
 * @param {string} page
 * @param {string | null} browser
 * @returns {boolean} false where there is no desktop to open it on
 */
function openBrowser(page, browser) {
  const onMac = process.platform === 'darwin';
  if (!browser && !onMac && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return false;
  const program = browser ?? (onMac ? 'open' : 'xdg-open');
  const child = spawn(program, [page], { detached: true, stdio: 'ignore' });
  child.on('error', () => process.stdout.write(`${page}\n`));
  child.unref();
  return true;
}
