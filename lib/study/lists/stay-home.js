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
  const { host } = new URL(url);
  const homes = new Set([host, ...ports.flatMap(port => LOOPBACK.map(name => `${name}:${port}`))]);
  return items.find(item => !staysHome(item, homes, url)) ?? null;
}

/** @param {string} item @param {Set<string>} homes @param {string} base */
function staysHome(item, homes, base) {
  // It would be the host's end or a user name where a script writes it right behind an address.
  if (/^[@:.]/.test(item) && !item.startsWith('./') && !item.startsWith('../')) return false;
  if (!URL.canParse(item, base)) return !/^[\w+.-]*:?[\\/]{2}/.test(item);
  const { host, protocol, username, password } = new URL(item, base);
  const isAddress = /^[\\/]{2}/.test(item) || (SCHEMES.includes(protocol) && /^\w+:/.test(item));
  if (!isAddress) return !/^[a-z][\w+.-]*:[\\/]{2}/i.test(item);
  return SCHEMES.includes(protocol) && homes.has(host) && !username && !password;
}
