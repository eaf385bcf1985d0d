import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { packBytes } from '../analysis/sample-table/pack.js';

/**
 * The packaged speedscope viewer, for a page that opens it in a frame. A frame without its own address
 * has the policy of its page, so the page has to allow the two texts by their hashes.
 * @returns {{
 *   script: string, style: string,
 *   packed: {script: import('../run/facts/sample-table.d.ts').Packed, style: string, notice: string},
 * }} `packed` is data for the page
 */
export function readSpeedscopeViewer() {
  const home = path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json'));
  const folder = path.join(home, 'dist/release');
  const index = readFileSync(path.join(folder, 'index.html'), 'utf8');
  const script = readAsset(folder, index, /<script src="([^"]+)"/);
  // its font would be another file; the machine's fonts are good enough
  const style = readAsset(folder, index, /<link rel="stylesheet" href="([^"]+)"/).replace(
    /@font-face\s*\{[^}]*\}/,
    '@font-face{font-family:Source Code Pro;src:local("Source Code Pro"),local("Menlo"),local("Consolas"),local("DejaVu Sans Mono")}',
  );
  return {
    script,
    style,
    packed: {
      script: packBytes(new TextEncoder().encode(script), 9),
      style,
      notice: readFileSync(path.join(home, 'LICENSE'), 'utf8').trim(),
    },
  };
}

/**
 * @param {string} folder
 * @param {string} index
 * @param {RegExp} pattern
 * @returns {string} without the address of its source map
 */
function readAsset(folder, index, pattern) {
  const name = pattern.exec(index)?.[1];
  if (name === undefined) throw new Error(`speedscope's index.html has nothing like ${pattern}`);
  return readFileSync(path.join(folder, name), 'utf8')
    .replace(/^\/[/*]# sourceMappingURL=.*$/m, '')
    .trim();
}
