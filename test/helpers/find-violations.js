/** What axe-core finds in a page that lets no script in. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GRAVE = ['serious', 'critical'];

/**
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<{id: string, nodes: string[]}[]>} the serious and critical ones, with at most five places each
 */
export async function findViolations(page) {
  // The page's policy lets no script in; the browser's own console may.
  const session = await page.createCDPSession();
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(
      violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 5).map(node => node.target.join(' ') + ' ' + node.failureSummary) }))))`,
    awaitPromise: true,
  });
  /** @type {{id: string, impact: string, nodes: string[]}[]} */
  const all = JSON.parse(result.value);
  return all.filter(({ impact }) => GRAVE.includes(impact)).map(({ id, nodes }) => ({ id, nodes }));
}
