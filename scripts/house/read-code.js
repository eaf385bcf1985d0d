/** Reads JavaScript just well enough to tell its strings, comments and code apart. */

/**
 * @typedef {object} Code
 * @property {string} code without comments, and with every text replaced by `""`
 * @property {{text: string, at: number}[]} texts string and template literals; a gap of a template is `x`;
 *   `at` is where they are in `code`
 */

/** After these a `/` begins a regular expression and is no division. */
const BEFORE_REGEX =
  /(?:^|[=(,:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|await|yield|void))\s*$/;

/** @param {string} source @returns {Code} */
export function readCode(source) {
  /** @type {Code['texts']} */
  const texts = [];
  let code = '';
  let at = 0;
  /** What opened the templates that we are in: how many braces are open in each. @type {number[]} */
  const braces = [];
  /** Of the templates that we are in. @type {{text: string, at: number}[]} */
  const templates = [];

  const readTemplate = () => {
    const template = templates.at(-1);
    while (at < source.length && template) {
      if (source[at] === '\\') {
        template.text += source.slice(at, at + 2);
        at += 2;
      } else if (source[at] === '`') {
        at += 1;
        templates.pop();
        texts.push(template);
        return;
      } else if (source.startsWith('${', at)) {
        template.text += 'x';
        at += 2;
        braces.push(0);
        code += '(';
        return;
      } else {
        template.text += source[at];
        at += 1;
      }
    }
  };

  while (at < source.length) {
    const char = source[at] ?? '';
    const rest = source.slice(at, at + 2);
    if (rest === '//') {
      at = end(source.indexOf('\n', at), source);
    } else if (rest === '/*') {
      at = end(source.indexOf('*/', at) + 2, source);
    } else if (char === "'" || char === '"') {
      const from = at;
      for (at += 1; at < source.length && source[at] !== char; at += 1)
        if (source[at] === '\\') at += 1;
      at += 1;
      texts.push({ text: source.slice(from + 1, at - 1), at: code.length });
      code += '""';
    } else if (char === '`') {
      at += 1;
      templates.push({ text: '', at: code.length });
      code += '""';
      readTemplate();
    } else if (char === '/' && BEFORE_REGEX.test(code.slice(-20))) {
      let isClass = false;
      for (at += 1; at < source.length && (isClass || source[at] !== '/'); at += 1) {
        if (source[at] === '\\') at += 1;
        else if (source[at] === '[') isClass = true;
        else if (source[at] === ']') isClass = false;
      }
      at += 1;
      code += '0';
    } else {
      const open = braces.length - 1;
      if (open >= 0 && char === '{') braces[open] = (braces[open] ?? 0) + 1;
      if (open >= 0 && char === '}') {
        if (braces[open] === 0) {
          braces.pop();
          at += 1;
          code += ')';
          readTemplate();
          continue;
        }
        braces[open] = (braces[open] ?? 0) - 1;
      }
      code += char;
      at += 1;
    }
  }
  return { code, texts };
}

/** @param {number} index @param {string} source */
function end(index, source) {
  return index < 1 ? source.length : index;
}
