/**
 * The name under which requests are summed up, of the load and of the profile alike: method and path, with
 * ids folded, and with paths grouped that the rules of ENDPOINTS make one (`/rates/:currency`).
 */
import { TOKEN_WORDS } from '../files/secret-names.js';

/** Segments of a path that are ids, tokens or personal data. */
const IDS = [
  /^\d+$/,
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  /^(?=.*\d)[0-9a-f]{16,}$/i,
  // Tokens and hashes in other alphabets; words of a path are not that long and rarely hold digits.
  /^(?=(?:.*\d){2})(?=.*[A-Za-z])[\w-]{24,}$/,
  // JSON Web Tokens, email addresses, phone numbers
  /^eyJ[\w-]{5}[\w.-]*$/,
  /^[^@]+(?:@|%40).+$|^(?:\+|%2B)\d{6,}$/i,
];
const BEFORE_TOKEN = new RegExp(`^${TOKEN_WORDS}$`, 'i');
const TOKEN = /^(?=.*\d)[\w.~-]{8,}$|^[\w.~-]{20,}$/;

/** No counter begins at 0, and a digit after a word for an API is mostly its version. @param {string} segment @param {string} [before] */
const isConstant = (segment, before = '') =>
  segment === '0' || (/^\d$/.test(segment) && /^(?:api|rest|v|version)$/i.test(before));

/** Does a segment of a name stand for any? @param {string} segment `:id`, `:currency` */
export const isParameter = segment => /^:\w+$/.test(segment);

/**
 * @param {{method?: string, url?: string, name?: unknown}} request
 * @param {string} target its address; other hosts are named
 * @param {readonly string[]} [groups] paths with parameters
 */
export function nameEndpoint({ method = 'GET', url = '', name }, target, groups = []) {
  if (typeof name === 'string' && name !== '') return name.slice(0, 200);
  if (!URL.canParse(url)) return `${method} (no address)`;
  const { origin, pathname } = new URL(url);
  const path = foldPath(pathname).slice(0, 200);
  const own = URL.canParse(target) && new URL(target).origin === origin;
  return own ? groupEndpoint(`${method} ${path}`, groups) : `${method} ${origin}${path}`;
}

/** @param {string} text of ENDPOINTS */
export const listGroups = text =>
  text
    .split(',')
    .map(path => path.trim())
    .filter(path => path !== '');

/** @param {string} endpoint `GET /rates/usd` @param {readonly string[]} groups the first that fits counts */
export function groupEndpoint(endpoint, groups) {
  const [method, path = ''] = endpoint.split(' ');
  const group = groups.find(pattern => fitsPath(pattern, path));
  return group === undefined ? endpoint : `${method} ${group}`;
}

/**
 * @param {string} pattern `/rates/:currency`; of a framework's route also `/docs/*`, any number of segments, and
 *   `/files/:id.json`
 * @param {string} path
 */
export function fitsPath(pattern, path) {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const isOpen = wanted.includes('*');
  const count = isOpen ? wanted.indexOf('*') : wanted.length;
  return (
    (isOpen ? given.length > count : given.length === count) &&
    wanted.slice(0, count).every((part, index) => {
      const isAny = isParameter(part) || part.includes(':id');
      return part === given[index] || (isAny && given[index] !== '');
    })
  );
}

/** Replaces ids, tokens, addresses of people and phone numbers in a path. @param {string} path */
export function foldPath(path) {
  return path.split('/').map(foldId).join('/');
}

/** The name of all requests whose numbers differ where this one has a constant: it is none. @param {string} name */
export function foldConstants(name) {
  const parts = name.split('/');
  return parts.map((part, at) => (isConstant(part, parts[at - 1]) ? ':id' : part)).join('/');
}

/** Whether a segment is a token because of the one before it. @param {string} before @param {string} segment */
export const isPathToken = (before, segment) => BEFORE_TOKEN.test(before) && TOKEN.test(segment);

/**
 * @param {string} segment
 * @param {number} at
 * @param {string[]} all
 */
function foldId(segment, at, all) {
  const before = all[at - 1] ?? '';
  const isId = isPathToken(before, segment) || IDS.some(id => id.test(segment));
  return isId && !isConstant(segment, before) ? ':id' : segment;
}

/**
 * Paths with a position that has many different words: values, such as user names.
 * @param {string[]} names of endpoints, with ids folded
 * @param {number} most words of one position that are no values
 * @returns {string[]} in the form of ENDPOINTS: `/users/:user/posts`
 */
export function findGroups(names, most) {
  const paths = names.map(name => name.slice(name.indexOf('/')).split('/'));
  /** @type {Set<string[]>} */
  const grouped = new Set();
  for (let at = 1; paths.some(({ length }) => length > at); at++) {
    const deep = paths.filter(({ length }) => length > at);
    for (const [place, below] of Map.groupBy(deep, path => path.slice(0, at).join('/'))) {
      const count = (/** @type {number} */ own) => new Set(below.map(path => path[own] ?? '')).size;
      // What follows a value is the same after the next one; after the name of a resource it is not.
      if (count(at) <= most || count(at + 1) > count(at) / 2) continue;
      const parameter = `:${/(\w+?)s?$/.exec(place)?.[1] ?? 'word'}`;
      for (const path of below) grouped.add(Object.assign(path, { [at]: parameter }));
    }
  }
  // ENDPOINTS separates paths by commas.
  return [...new Set([...grouped].map(path => path.join('/')))].filter(path => !path.includes(','));
}
