import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packBytes } from '../analysis/sample-table/pack.js';
import { replaceFile } from '../base/files/replace-file.js';
import { readPageScript, renderDocument } from './html-document.js';
import { readSpeedscopeViewer } from './speedscope-viewer.js';

// the viewer adds its rules to a style element of this name; another element would need its own hash
const NAME_STYLE = "document.querySelector('style').dataset.aphrodite = '';";

/**
 * Makes a page that shows the whole profile, every process and thread, in the packaged speedscope
 * viewer: one file that opens from disk, offline. (A report's page opens its selections in the same
 * viewer.)
 * @param {object} options
 * @param {string} options.speedscopeFile a profile that speedscope can read
 * @param {string} options.page to write
 * @returns {string} the page
 * @throws {import('../base/errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function openInSpeedscope({ speedscopeFile, page }) {
  const viewer = readSpeedscopeViewer();
  const profile = packBytes(readFileSync(speedscopeFile));
  replaceFile(
    page,
    renderDocument({
      title: 'speedscope',
      wasm: true,
      styles: [viewer.style],
      scripts: [
        { text: NAME_STYLE },
        { text: viewer.script },
        readPageScript('speedscope-main.js'),
      ],
      data: {
        notice: viewer.packed.notice,
        profile: { name: path.basename(speedscopeFile), profile },
      },
    }),
  );
  return page;
}
