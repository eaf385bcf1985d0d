/** The load goes where the user said: what a list may lead to. */
import { LoadflameError } from '../../errors.js';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const SCHEMES = ['http:', 'https:', 'ws:', 'wss:'];

/**
 * An item is a path or a plain text (an id), or an address of the target or of a port of the study.
 * What a browser would read as an address counts as one: `//host`, `\\host`, `http:host`.
 * @param {string[]} items
 * @param {{name: string, url: string, ports: number[]}} list its name, address of the target, and ports on
 *   this machine
 * @throws {LoadflameError} STUDY_LIST_FOREIGN for the first item that leads elsewhere
 */
export function assertAllowedHosts(items, { name, url, ports }) {
  const target = new URL(url).host;
  const local = ports.flatMap(port => LOOPBACK.map(host => `${host}:${port}`));
  const hosts = new Set([target, ...local]);
  const foreign = items.find(item => !isAllowed(item, hosts, url));
  if (foreign === undefined) return;
  const allowed = [target, ...ports.map(port => `127.0.0.1:${port}`)].join(', ');
  const item = foreign.length > 120 ? `${foreign.slice(0, 119)}…` : foreign;
  throw new LoadflameError('STUDY_LIST_FOREIGN', { name, item, allowed });
}

/** @param {string} item @param {Set<string>} hosts @param {string} base */
function isAllowed(item, hosts, base) {
  const isAddress = /^(?:[a-z][\w+.-]*:)?[\\/]{2}|^(?:https?|wss?):/i.test(item);
  if (!isAddress) return true;
  // `http:host` is a path where it is read beside an address, and a host where it is read alone.
  const beside = /^[\\/]/.test(item) ? base : undefined;
  if (!URL.canParse(item, beside)) return false;
  const { protocol, host, username, password } = new URL(item, beside);
  return SCHEMES.includes(protocol) && hosts.has(host) && !username && !password;
}
