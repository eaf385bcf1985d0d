/** How deep the elements of a page nest: parsers of HTML take quadratic time for it. */

/** Elements without content, and those whose end tags are often left out. */
const NOT_COUNTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|body|head|html|p|li|d[dt]|option|optgroup|colgroup|t[rdh]|thead|tbody|tfoot|r[tp])$/i;
/** Browsers stop at 512. */
const MOST_DEPTH = 2000;

/** Whether no person can have written it. @param {string} html */
export function isTooDeep(html) {
  let depth = 0;
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9-]{0,30})/gi)) {
    if (NOT_COUNTED.test(name)) continue;
    depth = Math.max(0, depth + (end ? -1 : 1));
    if (depth > MOST_DEPTH) return true;
  }
  return false;
}
