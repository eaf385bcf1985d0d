/** Links between the pages: to files that exist, and to headings that they have. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', '{docs,lib,demo,profiles,research}/**/*.md'], {
  cwd: ROOT,
  // The demo's packages bring pages of their own.
  exclude: name => path.basename(String(name)) === 'node_modules',
});

/** What GitHub makes of a heading. @param {string} heading */
function makeAnchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** @param {string} page @returns {string[]} */
function listAnchors(page) {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => makeAnchor(heading));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
}

test('links of the documentation lead to files and headings that exist', () => {
  assert.ok(PAGES.length > 30);
  const broken = PAGES.flatMap(page => {
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    return links
      .filter(link => !link.startsWith('http'))
      .filter(link => {
        const [file = '', anchor] = link.split('#');
        const target = file ? path.join(ROOT, path.dirname(page), file) : path.join(ROOT, page);
        return !existsSync(target) || (anchor && !listAnchors(target).includes(anchor));
      })
      .map(link => `${page}: ${link}`);
  });
  assert.deepEqual(broken, []);
});
