/** Reads SQL as PostgreSQL does, far enough to know what is quoted and where a statement ends. Linear. */

const TAG = String.raw`\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$`;
/** An E-string goes on in a string after a line break. Without one, PostgreSQL refuses the second string. */
const GAP = String.raw`(?:[ \t\n\r\f\v]|--[^\n\r]*[\n\r])*`;
const TOKEN = new RegExp(
  [
    String.raw`--[^\n\r]*|\/\*`,
    `"[^"]*"|'[^']*'`,
    String.raw`[eE]'(?:[^'\\]|\\[^]|'${GAP}')*'`,
    String.raw`(${TAG})[^]*?\1`,
    // without an end: UNFINISHED
    `[eE]'|${TAG}`,
    String.raw`[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*|\d+|[^]`,
  ].join('|'),
  'y',
);
/** A quote that does not end, or a backslash outside of quotes. */
const UNFINISHED = /^(?:[eE]?'|["\\]|\$[^$]*\$)$/;
/** Comments may contain others. */
const IN_COMMENT = /\/\*|\*\/|./sy;

/**
 * @param {string} text
 * @param {{numbered?: boolean}} [options] `numbered`: `?` is a parameter and becomes `$1`, `$2`, …
 * @returns {{sql: string, parameters: number}[] | null} the statements, without comments; null if a quote or comment
 *   does not end, or if there is a backslash or NUL where SQL has none
 */
export function splitSql(text, { numbered = false } = {}) {
  if (text.includes('\0')) return null;
  let last = { sql: '', parameters: 0 };
  const statements = [last];
  let [depth, token] = [0, ''];
  for (let at = 0; at < text.length; at += token.length) {
    const pattern = depth > 0 ? IN_COMMENT : TOKEN;
    pattern.lastIndex = at;
    pattern.test(text);
    token = text.slice(at, pattern.lastIndex);
    if (depth === 0 && UNFINISHED.test(token)) return null;
    if (token === '/*') depth += 1;
    else if (depth > 0) depth -= token === '*/' ? 1 : 0;
    else if (token === ';') {
      last = { sql: '', parameters: 0 };
      statements.push(last);
    } else if (token === '?' && numbered) last.sql += `$${++last.parameters}`;
    else last.sql += token.startsWith('--') ? '' : token;
    if (token === '/*' && depth === 1) last.sql += ' ';
  }
  return depth > 0 ? null : statements.filter(({ sql }) => sql.trim() !== '');
}

/** Whether it begins as a query. What it does inside is the database's matter. @param {string} sql */
export const isSelect = sql => /^[\s(]*(?:SELECT|WITH)\b/i.test(sql);
