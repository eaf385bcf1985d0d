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
  const foreign = items.find(item => !isAllowedHost(item, { url, ports }));
  if (foreign === undefined) return;
  const allowed = [new URL(url).host, ...ports.map(port => `127.0.0.1:${port}`)].join(', ');
  const item = foreign.length > 120 ? `${foreign.slice(0, 119)}…` : foreign;
  throw new LoadflameError('STUDY_LIST_FOREIGN', { name, item, allowed });
}

/** @param {string} item @param {{url: string, ports: number[]}} study address of its target, and its ports */
export function isAllowedHost(item, { url: base, ports }) {
  const isAddress = /^(?:[a-z][\w+.-]*:)?[\\/]{2}|^(?:https?|wss?):/i.test(item);
  if (!isAddress) return true;
  // `http:host` is a path where it is read beside an address, and a host where it is read alone.
  const beside = /^[\\/]/.test(item) ? base : undefined;
  if (!URL.canParse(item, beside)) return false;
  const { protocol, host, hostname, port, username, password } = new URL(item, beside);
  const isOwnPort = LOOPBACK.includes(hostname) && ports.includes(Number(port));
  if (host !== new URL(base).host && !isOwnPort) return false;
  return SCHEMES.includes(protocol) && !username && !password;
}
