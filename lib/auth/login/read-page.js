/** Reads as much of an HTML page as a login needs: its forms, and what it says to people. */

/**
 * @typedef {object} Input
 * @property {string} name
 * @property {string} type lower case; `text` when the page does not say
 * @property {string} value
 * @property {boolean} checked
 * @property {string} autocomplete
 */

/**
 * @typedef {object} Form
 * @property {string} action as written; '' means the page itself
 * @property {string} method lower case
 * @property {Input[]} inputs
 */

/**
 * @typedef {object} Page
 * @property {Form[]} forms
 * @property {string} message what an alert on the page says; else its heading, else its title
 * @property {string} text the beginning of all that a person would read
 */

// Each of these continues behind what it read, also where an end is missing: a page is read in one go.
const TAG = /<(\/?)([a-z][a-z0-9-]*)(?![a-z0-9-])((?:[^<>"']|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g;
const INVISIBLE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const HEAD = /<head\b[\s\S]*?(?:<\/head\s*>|(?=<body\b)|$)/i;

/** Elements in which providers say what is wrong; Keycloak's themes use all of these. */
const ALERT_CLASS =
  /\b(alert|kc-feedback-text|input-error|error-message|pf-v5-c-helper-text|instruction)/i;

const ENTITIES = /** @type {Record<string, string>} */ ({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
});

/** What an alert says has some hundred characters, and tags between them. */
const MAX_ALERT_LENGTH = 5000;
/** A page longer than this is no login page. */
export const MAX_PAGE_LENGTH = 500_000;

/** @param {string} html @returns {Page} */
export function readPage(html) {
  const text = html.slice(0, MAX_PAGE_LENGTH).replace(INVISIBLE, '');
  /** @type {Form[]} */
  const forms = [];
  /** @type {Form | null} */
  let form = null;
  for (const [, closing, name = '', rest = ''] of text.matchAll(TAG)) {
    const tag = name.toLowerCase();
    if (tag === 'form') {
      form = closing ? null : readForm(readAttributes(rest));
      if (form) forms.push(form);
    } else if (form && !closing && (tag === 'input' || tag === 'button')) {
      form.inputs.push(readInput(tag, readAttributes(rest)));
    }
  }
  const body = text.replace(HEAD, '');
  return { forms, message: readMessage(text), text: readText(body) };
}

/** @param {Map<string, string>} attributes @returns {Form} */
function readForm(attributes) {
  return {
    action: attributes.get('action') ?? '',
    method: (attributes.get('method') ?? 'get').toLowerCase(),
    inputs: [],
  };
}

/** @param {string} tag @param {Map<string, string>} attributes @returns {Input} */
function readInput(tag, attributes) {
  return {
    name: attributes.get('name') ?? '',
    type: (attributes.get('type') ?? (tag === 'button' ? 'submit' : 'text')).toLowerCase(),
    value: attributes.get('value') ?? '',
    checked: attributes.has('checked'),
    autocomplete: attributes.get('autocomplete') ?? '',
  };
}

/** @param {string} text @returns {Map<string, string>} */
function readAttributes(text) {
  return new Map(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decode(double ?? single ?? bare ?? ''),
    ]),
  );
}

/** @param {string} text */
function readMessage(text) {
  const alerts = [];
  let heading = '';
  let title = '';
  for (const match of text.matchAll(TAG)) {
    const [whole, closing, name = '', rest = ''] = match;
    if (closing) continue;
    const tag = name.toLowerCase();
    const attributes = readAttributes(rest);
    const isAlert =
      /^(alert|status)$/.test(attributes.get('role') ?? '') ||
      attributes.get('aria-live') === 'polite' ||
      ALERT_CLASS.test(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`);
    if (!isAlert && tag !== 'h1' && tag !== 'title') continue;
    const content = readContent(text, match.index + whole.length, tag);
    if (isAlert && content) alerts.push(content);
    else if (tag === 'h1') heading ||= content;
    else if (tag === 'title') title ||= content;
  }
  // The same alert is often nested in several elements; the shortest one is the text alone.
  const alert = alerts.sort((a, b) => a.length - b.length)[0];
  return alert ?? (heading || title);
}

/** @param {string} text @param {number} from @param {string} tag */
function readContent(text, from, tag) {
  const content = text.slice(from, from + MAX_ALERT_LENGTH);
  const end = content.toLowerCase().indexOf(`</${tag}`);
  return readText(content.slice(0, end < 0 ? 500 : end));
}

/** @param {string} html @returns {string} on one line, of a length for a message */
function readText(html) {
  return decode(html.replace(TAG, ' ').replace(/<![^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}

/** @param {string} text */
function decode(text) {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]+);/gi, (whole, name) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
