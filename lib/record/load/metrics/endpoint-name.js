/** The name under which requests are summed up: method and path, with ids folded. */

const NUMBER = /^\d+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const LONG_HEX = /^(?=.*\d)[0-9a-f]{16,}$/i;
/** Tokens and hashes in other alphabets; words of a path are not that long and rarely hold digits. */
const LONG_MIXED = /^(?=(?:.*\d){2})(?=.*[A-Za-z])[\w-]{24,}$/;

/**
 * @param {{method?: string, url?: string, name?: unknown}} request
 * @param {string} target its address; other hosts are named
 */
export function nameEndpoint({ method = 'GET', url = '', name }, target) {
  if (typeof name === 'string' && name !== '') return name.slice(0, 200);
  if (!URL.canParse(url)) return `${method} (no address)`;
  const { origin, pathname } = new URL(url);
  const path = pathname.split('/').map(foldId).join('/').slice(0, 200);
  const own = URL.canParse(target) && new URL(target).origin === origin;
  return `${method} ${own ? '' : origin}${path}`;
}

/** @param {string} segment */
function foldId(segment) {
  return [NUMBER, UUID, LONG_HEX, LONG_MIXED].some(id => id.test(segment)) ? ':id' : segment;
}
