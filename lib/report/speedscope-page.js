import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFile } from './replace-file.js';

/**
 * Makes a page that shows a profile in the packaged viewer of speedscope, offline and from disk. The
 * viewer loads what its address names as `localProfilePath`, a script with the profile in it; some
 * systems drop the fragment of an address that they are told to open, so the page leads there.
 * @param {object} options
 * @param {string} options.speedscopeFile a profile that speedscope can read
 * @param {string} options.outDir where the two files are written
 * @returns {string} path of the page to open
 * @throws {import('../errors.js').LoadflameError} REPORT_UNWRITABLE
 */
export function openInSpeedscope({ speedscopeFile, outDir }) {
  const viewer = path.join(
    path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json')),
    'dist/release/index.html',
  );
  const folder = path.resolve(outDir);
  const script = path.join(folder, 'speedscope-profile.js');
  const page = path.join(folder, 'speedscope.html');
  const name = path.basename(speedscopeFile);
  const profile = readFileSync(speedscopeFile).toString('base64');
  replaceFile(
    script,
    `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(profile)});\n`,
  );
  // the viewer puts "file:///" before the path as it stands, so it has to be escaped twice
  const localPath = pathToFileURL(script).pathname.replace(/^\/+/, '');
  const address = `${pathToFileURL(viewer).href}#localProfilePath=${encodeURIComponent(localPath)}`;
  replaceFile(
    page,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=${escapeAttribute(address)}">
<title>speedscope</title>
<p><a href="${escapeAttribute(address)}">Open the profile in speedscope</a></p>
</html>
`,
  );
  return page;
}

/** @param {string} text */
function escapeAttribute(text) {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
