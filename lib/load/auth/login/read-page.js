/** Parses the parts of an HTML page that a login needs: its forms and messages. */
import { Parser } from 'htmlparser2';
import { isTooDeep } from '../../../base/files/html-depth.js';

/**
 * @typedef {object} Input
 * @property {string} name
 * @property {string} type lower case; `text` if the page does not specify it
 * @property {string} value
 * @property {boolean} checked
 * @property {string} autocomplete
 */

/**
 * @typedef {object} Form
 * @property {string} action as in the page; '' is the page itself
 * @property {string} method lower case
 * @property {Input[]} inputs
 */

/**
 * @typedef {object} Page
 * @property {Form[]} forms
 * @property {string} message text of an alert; otherwise the heading, otherwise the title
 * @property {string} text the beginning of the visible text
 */

const INVISIBLE = new Set(['script', 'style', 'template', 'noscript']);

/** Elements that contain error messages; Keycloak's themes use all of these. */
const ALERT_CLASS =
  /\b(alert|kc-feedback-text|input-error|error-message|pf-v5-c-helper-text|instruction)/i;

/** A longer page is not a login page. */
export const MAX_PAGE_LENGTH = 500_000;
/** An alert has a few hundred characters, plus white space. */
const MAX_ALERT_LENGTH = 5000;
/** Maximum nesting of alerts. */
const MOST_OPEN = 10;
/** Maximum length of a message, on one line. */
const MAX_TEXT_LENGTH = 300;

/** @param {string} html @returns {Page} */
export function readPage(html) {
  /** @type {Form[]} */
  const forms = [];
  /** @type {Form | null} */
  let form = null;
  let hidden = 0;
  /** Elements whose text is collected, and the page itself. @type {{kind: string, text: string}[]} */
  const read = [];
  /** The collected elements that are open, by depth. @type {Map<number, {kind: string, text: string}>} */
  const open = new Map();
  let depth = 0;
  const body = { kind: 'body', text: '' };

  /** @param {string} text */
  const addText = text => {
    body.text += text;
    for (const part of open.values()) if (part.text.length < MAX_ALERT_LENGTH) part.text += text;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (hidden > 0 || INVISIBLE.has(name)) hidden += 1;
      if (hidden > 0) return;
      if (name === 'form') {
        form = readForm(attributes);
        forms.push(form);
      } else if (name === 'input' || name === 'button') {
        form?.inputs.push(readInput(name, attributes));
      }
      // Everything before it belongs to the head.
      if (name === 'body') body.text = '';
      const kind = isAlert(attributes) ? 'alert' : name;
      addText(' ');
      if (!['alert', 'h1', 'title'].includes(kind) || open.size === MOST_OPEN) return;
      const part = { kind, text: '' };
      read.push(part);
      open.set(depth, part);
    },
    ontext(text) {
      if (hidden === 0) addText(text);
    },
    onclosetag(name, isImplied) {
      if (hidden > 0) hidden -= 1;
      else if (name === 'form' && !isImplied) form = null;
      if (name === 'head') body.text = '';
      open.delete(depth);
      depth -= 1;
    },
  });
  const page = html.slice(0, MAX_PAGE_LENGTH);
  parser.end(isTooDeep(page) ? '' : page);

  /** @param {string} kind */
  const textsOf = kind =>
    read.filter(part => part.kind === kind).flatMap(({ text }) => shorten(text) || []);
  // The same alert is often nested in several elements; the shortest one contains only the message.
  const [alert] = textsOf('alert').sort((a, b) => a.length - b.length);
  const message = alert ?? textsOf('h1')[0] ?? textsOf('title')[0] ?? '';
  return { forms, message, text: shorten(body.text) };
}

/** @param {Record<string, string>} attributes */
function isAlert({ role = '', class: className = '', id = '', ...others }) {
  return (
    /^(alert|status)$/.test(role) ||
    others['aria-live'] === 'polite' ||
    ALERT_CLASS.test(`${className} ${id}`)
  );
}

/** @param {Record<string, string>} attributes @returns {Form} */
function readForm({ action = '', method = 'get' }) {
  return { action, method: method.toLowerCase(), inputs: [] };
}

/** @param {string} tag @param {Record<string, string>} attributes @returns {Input} */
function readInput(tag, { name = '', type, value = '', autocomplete = '', checked }) {
  const ownType = type ?? (tag === 'button' ? 'submit' : 'text');
  return { name, type: ownType.toLowerCase(), value, checked: checked !== undefined, autocomplete };
}

/** @param {string} text */
function shorten(text) {
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT_LENGTH);
}
