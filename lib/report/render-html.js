import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inlineModules } from './inline-modules.js';

/** @typedef {import('../analysis/report.d.ts').Report} Report */

/**
 * One page with everything in it: it opens from disk, offline, and its Content-Security-Policy lets
 * nothing run but its own script and nothing load at all.
 * @param {Report} report
 * @returns {string} HTML
 */
export function renderHtml(report) {
  const script = inlineModules(fileURLToPath(new URL('page/main.js', import.meta.url)));
  const style = readFileSync(new URL('page/page.css', import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashSource(script)}`,
    `style-src ${hashSource(style)}`,
    'img-src data:',
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
<title>loadflame</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript><p>This report is drawn by its own script; please allow it to run. The same data is in report.json.</p></noscript>
<script type="application/json" id="report">${escapeJson(report)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/**
 * JSON that can stand inside a script element: nothing in it can end the element or the line.
 * @param {unknown} value
 */
function escapeJson(value) {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param {string} text of an inline script or style, exactly as between its tags */
function hashSource(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
