/** Whether the target is on this machine, which is required to profile it from here. */
import { lookup } from 'node:dns/promises';
import os from 'node:os';

/**
 * @typedef {object} TargetPlace
 * @property {boolean} isLocal its address is one of this machine's
 * @property {string} host
 * @property {number} port
 * @property {string[]} addresses what the host name resolves to
 */

/**
 * Locates a target. A name that does not resolve counts as not local.
 * @param {string} target URL
 * @returns {Promise<TargetPlace>}
 */
export async function locateTarget(target) {
  const url = new URL(target);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (/^(https|wss):$/.test(url.protocol) ? 443 : 80);
  const addresses = await lookup(host, { all: true }).then(
    found => found.map(({ address }) => address),
    () => [],
  );
  const own = Object.values(os.networkInterfaces())
    .flatMap(list => list ?? [])
    .map(({ address }) => address);
  const isLocal = addresses.some(
    address => own.includes(address) || address.startsWith('127.') || address === '0.0.0.0',
  );
  return { isLocal, host, port, addresses };
}

/** @param {string} target URL */
export async function isLocalTarget(target) {
  return (await locateTarget(target)).isLocal;
}
