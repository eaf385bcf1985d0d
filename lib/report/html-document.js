/** The shell of a self-contained page, which loads nothing. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeCode } from '../base/files/plain-text.js';
import { inlineModules } from './inline-modules.js';

/**
 * @callback Name replaces the command in a text with what the user has to type
 * @param {string} text
 * @returns {string}
 */

/**
 * @typedef {object} DocumentParts
 * @property {string} title plain text; a page's script may set a better one
 * @property {string[]} styles CSS texts
 * @property {{text: string, module?: boolean}[]} scripts run in this order
 * @property {Record<string, unknown>} data plain data by id, each in a script element that does not run
 * @property {{scripts: string[], styles: string[]}} [framed] texts that the page may run in a frame that
 *   it fills
 * @property {boolean} [wasm] whether its scripts may compile WebAssembly that they contain
 * @property {boolean} [isLive] it asks the server that it comes from for updates
 * @property {Name} [name] without it the command is not changed
 */

/**
 * A page that opens from disk, offline. Its Content-Security-Policy allows only its own scripts,
 * by their hashes, and no loading. A live page may ask the server that it comes from.
 * @param {DocumentParts} parts
 * @returns {string} HTML
 */
export function renderDocument({ title, styles, framed, wasm, name = text => text, ...own }) {
  const scripts = own.scripts.map(({ text, module }) => ({ text: name(text), module }));
  const policy = [
    "default-src 'none'",
    `script-src ${[...scripts.map(({ text }) => text), ...(framed?.scripts ?? [])].map(hashSource).join(' ')}${wasm ? " 'wasm-unsafe-eval'" : ''}`,
    `style-src ${[...styles, ...(framed?.styles ?? [])].map(hashSource).join(' ')}`,
    'img-src data:',
    ...(own.isLive ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title.replace(/[&<]/g, character => `&#${character.charCodeAt(0)};`)}</title>
<link rel="icon" href="data:,">
${styles.map(text => `<style>${text}</style>`).join('\n')}
</head>
<body>
<noscript><p>This page is drawn by its own script; please allow it to run. The same data is in the JSON file beside it.</p></noscript>
${Object.entries(own.data)
  .map(
    ([id, value]) =>
      `<script type="application/json" id="${id}">${name(escapeJson(value))}</script>`,
  )
  .join('\n')}
${scripts.map(({ text, module }) => `<script${module ? ' type="module"' : ''}>${text}</script>`).join('\n')}
</body>
</html>
`;
}

/** Style sheets of a page: its own between the common ones. @param {string[]} own names in `page/styles/` */
export function readPageStyles(own) {
  const names = ['tokens', 'base', 'controls', 'frame', 'summary', ...own, 'phone', 'print'];
  const urls = names.map(name => new URL(`page/styles/${name}.css`, import.meta.url));
  return urls.map(url => readFileSync(url, 'utf8')).join('\n');
}

/** The script of a page with all its imports. @param {string} entry a module below `page/` */
export function readPageScript(entry) {
  const file = fileURLToPath(new URL(`page/${entry}`, import.meta.url));
  return { text: inlineModules(file), module: true };
}

/** The chart library, placed before the page's own script and styles. */
export function readUPlot() {
  const folder = path.dirname(createRequire(import.meta.url).resolve('uplot'));
  const read = (/** @type {string} */ name) => readFileSync(path.join(folder, name), 'utf8');
  return { style: read('uPlot.min.css'), script: { text: read('uPlot.iife.min.js') } };
}

/**
 * JSON for a script element: nothing in it can end the element or the line.
 * @param {unknown} value
 */
function escapeJson(value) {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escapeCode);
}

/** @param {string} text of an inline script or style, exactly as between its tags */
function hashSource(text) {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
