/** The load goes where the user said: what a list may lead to. */

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const SCHEMES = ['http:', 'https:', 'ws:', 'wss:'];

/**
 * An item is a path or a plain text (an id), or an address of the target or of a port of the study.
 * What a browser would read as an address counts as one: `//host`, `\\host`, `http:host`.
 * @param {string[]} items
 * @param {{url: string, ports: number[]}} home address of the target, and ports on this machine
 * @returns {string | null} the first item that leads elsewhere
 */
export function findForeignItem(items, { url, ports }) {
  const homes = new Set([
    new URL(url).host,
    ...ports.flatMap(port => LOOPBACK.map(name => `${name}:${port}`)),
  ]);
  return items.find(item => !staysHome(item, homes, url)) ?? null;
}

/** @param {string} item @param {Set<string>} homes @param {string} base */
function staysHome(item, homes, base) {
  const isAddress = /^(?:[a-z][\w+.-]*:)?[\\/]{2}|^(?:https?|wss?):/i.test(item);
  if (!isAddress) return true;
  // `http:host` is a path where it is read beside an address, and a host where it is read alone.
  const beside = /^[\\/]/.test(item) ? base : undefined;
  if (!URL.canParse(item, beside)) return false;
  const { protocol, host, username, password } = new URL(item, beside);
  return SCHEMES.includes(protocol) && homes.has(host) && !username && !password;
}
