/** Words of a view's name and of an endpoint's path, so that they can be compared. */
import { isParameter } from '../../endpoint-names.js';

/** What a function's verb says about the method. @type {Record<string, string>} */
const METHODS = {
  get: 'GET',
  list: 'GET',
  show: 'GET',
  read: 'GET',
  fetch: 'GET',
  find: 'GET',
  search: 'GET',
  query: 'GET',
  index: 'GET',
  retrieve: 'GET',
  detail: 'GET',
  post: 'POST',
  create: 'POST',
  add: 'POST',
  new: 'POST',
  insert: 'POST',
  put: 'PUT',
  update: 'PUT',
  edit: 'PUT',
  replace: 'PUT',
  change: 'PUT',
  modify: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  remove: 'DELETE',
  destroy: 'DELETE',
};
const HTTP_METHOD = /^(?:get|post|put|patch|delete|head|options)$/;
/** Words that tell nothing about what a view is of. */
const NOISE = new Set(
  'list all detail details item one by id view views resource resources api route routes handler controller controllers blueprint bp endpoint endpoints the of a an for and to from locals app apps init main v1 v2 v3'.split(
    ' ',
  ),
);

/**
 * @typedef {object} Words
 * @property {string | null} method that it is for; null where it does not tell
 * @property {boolean} isExact the method is told by name (`get`), not by a verb (`list`)
 * @property {string[]} words that say what it is of
 * @property {string[]} near weaker ones: of the module
 * @property {boolean | null} isOne for one thing with an id, or for a list; null where it does not tell
 */

/** @param {{function: string, file: string}} view @returns {Words} */
export function wordsOfView({ function: name, file }) {
  const parts = name.split('.').filter(part => part !== '<locals>');
  const last = parts.at(-1) ?? '';
  const verbs = splitWords(last);
  const exact = HTTP_METHOD.test(last.toLowerCase());
  const verb = verbs.find(word => METHODS[word] !== undefined);
  const own = new Set([...(exact ? [] : verbs.filter(word => METHODS[word] === undefined))]);
  // a class names its view; a function around a view (an application factory) does not
  if (parts.length > 1 && !name.includes('<locals>'))
    for (const word of splitWords(parts.at(-2) ?? '')) own.add(word);
  const all = [...verbs, ...splitWords(parts.at(-2) ?? '')];
  const modules = file
    .replace(/\.\w+$/, '')
    .split(/[/\\]/)
    .slice(-2)
    .flatMap(splitWords);
  return {
    method: exact ? last.toUpperCase() : verb ? (METHODS[verb] ?? null) : null,
    isExact: exact,
    words: [...own].filter(word => !NOISE.has(word)).map(stem),
    near: modules.filter(word => !NOISE.has(word)).map(stem),
    isOne: all.some(word => ['detail', 'details', 'item', 'one', 'by'].includes(word))
      ? true
      : all.some(word => ['list', 'all', 'index'].includes(word))
        ? false
        : null,
  };
}

/** @param {string} endpoint `GET /api/v1/services/` @param {number} prefix segments that all endpoints share @returns {Words} */
export function wordsOfEndpoint(endpoint, prefix) {
  const [method = '', path = ''] = endpoint.split(' ', 2);
  const segments = pathSegments(path);
  const words = segments
    .slice(prefix)
    .filter(segment => !isParameter(segment))
    .flatMap(splitWords);
  return {
    method: /^[A-Z]+$/.test(method) ? method : null,
    isExact: true,
    words: [...new Set(words.filter(word => !/^v\d+$/.test(word)).map(stem))],
    near: [],
    isOne: isParameter(segments.at(-1) ?? ''),
  };
}

/** How many segments all endpoints begin with; the last one of a path stays its own. @param {string[]} endpoints */
export function countSharedSegments(endpoints) {
  const paths = endpoints.map(name => pathSegments(name.split(' ', 2)[1] ?? ''));
  const first = paths[0] ?? [];
  const most = Math.min(...paths.map(({ length }) => length - 1));
  let shared = 0;
  while (shared < most && paths.every(path => path[shared] === first[shared])) shared++;
  return Math.max(0, shared);
}

/** @param {string} path */
const pathSegments = path =>
  path
    .replace(/^https?:\/\/[^/]*/, '')
    .split(/[/?]/)
    .filter(part => part !== '');

/** `ExamTypeList`, `list_exam_types`, `exam-types` → lower-case words. @param {string} text */
function splitWords(text) {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(word => word !== '');
}

/** Singular of the usual plurals. @param {string} word */
function stem(word) {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ch|sh|x|ss)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
}
