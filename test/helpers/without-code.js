/** Markdown without its code spans, in which nothing is markup. @param {string} markdown */
export function withoutCode(markdown) {
  return markdown.replaceAll(/(?<![\\`])(`+)(?!`)[^\n]+?(?<!`)\1(?!`)/g, '');
}
