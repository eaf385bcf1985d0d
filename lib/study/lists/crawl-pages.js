/** Collects the items of a page and of the pages below it: follows links to index pages, within limits. */
import { LoadflameError } from '../../errors.js';
import { pickItems } from './pick-items.js';

/** @import { List } from '../../facts/study-file.d.ts' */

/** @typedef {{text: string, isHtml: boolean}} Page */

const MOST_ITEMS = 100_000;
const MOST_CHARS = 100e6;
const MOST_MS = 120_000;

/**
 * Breadth first, each page once, so that circular links end. A link that ends like an index page is one, and is read
 * if it lies below the first page (`../` does not) on a host of the study. Every other link is an item, given from the
 * root of its host.
 * @param {Required<List>} list with its templates filled
 * @param {object} options
 * @param {URL} options.start
 * @param {(place: URL) => boolean} options.isOurs
 * @param {(place: URL) => Promise<Page>} options.read
 * @returns {Promise<{items: string[], unread: number}>} `unread`: pages beyond the limit of `pages`
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE, and what `read` throws
 */
export async function crawlPages({ name, from, match, crawl }, { start, isOurs, read }) {
  const complain = (/** @type {string} */ reason) =>
    new LoadflameError('STUDY_LIST_UNREADABLE', { name, from, reason });
  const deadlineMs = Date.now() + MOST_MS;
  const folder = new URL('.', start).pathname;
  const seen = new Set([start.href]);
  /** @type {Set<string>} */
  const items = new Set();
  let unread = 0;
  let chars = 0;
  /** @type {URL[]} */
  let level = [start];
  for (let depth = 0; level.length > 0; depth++) {
    /** @type {URL[]} */
    const next = [];
    for (const page of level) {
      const source = await read(page);
      chars += source.text.length;
      if (chars > MOST_CHARS) throw complain('its pages are larger than 100 MB together');
      if (Date.now() > deadlineMs) throw complain('its pages take more than 2 min');
      for (const link of pickItems({ name, from: page.href, match }, source)) {
        const place = URL.canParse(link, page.href) ? new URL(link, page) : null;
        if (place === null || !place.pathname.endsWith(crawl.follow)) {
          items.add(place?.origin === start.origin ? `${place.pathname}${place.search}` : link);
          if (items.size > MOST_ITEMS) throw complain('it has more than 100,000 items');
          continue;
        }
        place.hash = '';
        const isBelow = place.pathname.startsWith(folder) && depth < crawl.depth;
        if (!isBelow || !isOurs(place) || seen.has(place.href)) continue;
        if (seen.size < crawl.pages) {
          seen.add(place.href);
          next.push(place);
        } else unread++;
      }
    }
    level = next;
  }
  return { items: [...items], unread };
}
