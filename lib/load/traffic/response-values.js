/** The values in a response, and how a step can capture each. */
import { Parser } from 'htmlparser2';
import { parseOrNull } from '../../base/files/parse-json.js';

/** @import { Exchange } from '../../run/facts/traffic.d.ts' */

/**
 * `owner`: the object or list that contains it in JSON, otherwise the last word of the path.
 * @typedef {{key: string, value: string | number, owner: string, spec: Record<string, any>}} Found
 */

const HEADER = /^(?:location|etag|x-.*id|.*(?:csrf|xsrf|token).*)$/;
const LONGEST = 8192;
/** Alone, because parsers take quadratic time for nested elements. */
const TAG = /<(?:input|meta)\b(?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
/** Where they have their value. */
const ATTRIBUTES = new Map(Object.entries({ input: 'value', meta: 'content' }));
/** Names that say nothing about their content. */
const WRAPPER =
  /^(?:data|items|results?|content|values?|objects|records|rows|list|page|response|)$/i;

/** @param {Exchange} exchange @returns {Found[]} */
export function listValues({ url, answer }) {
  /** @type {Found[]} */
  const found = [];
  const words = url.pathname.split('/').filter(word => /^[a-z][\w-]*$/i.test(word));
  /** @param {string} key @param {unknown} value @param {Record<string, any>} spec */
  const add = (key, value, spec, owner = '') => {
    if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) return;
    // A capture with braces would be a template.
    if (String(value).length <= LONGEST && !/[{}]/.test(key))
      found.push({ key, value, owner: owner || (words.at(-1) ?? ''), spec });
  };
  for (const [cookie, text] of listCookies(answer)) add(cookie, text, { cookie });
  for (const [name, value] of answer.headers)
    if (HEADER.test(name)) add(name, value, { header: name });
  // A response that claims to be JSON but is not has no values.
  if (/json/.test(answer.mimeType)) addJson(parseOrNull(answer.text), '$', ['', ''], add);
  if (!/html/.test(answer.mimeType)) return found;
  new Parser({
    onopentag(tag, { name, ...attributes }) {
      const attr = ATTRIBUTES.get(tag);
      if (attr && name !== undefined)
        add(name, attributes[attr], { selector: `${tag}[name=${JSON.stringify(name)}]`, attr });
    },
  }).end((answer.text.match(TAG) ?? []).join(''));
  return found;
}

/**
 * @param {any} value @param {string} path
 * @param {[name: string, owner: string]} names @param {(key: string, value: unknown, spec: {json: string}, owner: string) => void} add
 */
function addJson(value, path, [name, owner], add) {
  if (value === null || typeof value !== 'object') return add(name, value, { json: path }, owner);
  const within = WRAPPER.test(name) ? owner : name;
  for (const [key, one] of Object.entries(value)) {
    if (Array.isArray(value)) addJson(one, `${path}[${key}]`, [name, owner], add);
    else if (!/["'\\{}]/.test(key))
      addJson(one, /^\w+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`, [key, within], add);
  }
}

/** @param {Exchange['answer']} answer @returns {[name: string, value: string][]} cookies that the response sets */
export function listCookies({ headers }) {
  const set = headers.filter(([name]) => name === 'set-cookie');
  return set.map(([, value]) => {
    const [, name = '', text = ''] = /^([^=;]+)=([^;]*)/.exec(value) ?? [];
    return [name, text];
  });
}
