/** Passwords and tokens go over `http://` only where nobody outside can listen. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { LoadflameError } from '../errors.js';

/** 127/8 and ::1. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Private and link-local networks: RFC 1918, RFC 6598 (pods of some clusters), RFC 3927, RFC 4193. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/**
 * @param {string} issuer
 * @returns {Promise<'https' | 'loopback' | 'private'>} how the connection is kept from others
 * @throws {LoadflameError} OIDC_INSECURE_ISSUER for plain HTTP to a public address
 */
export async function checkIssuer(issuer) {
  const { protocol, hostname } = new URL(issuer);
  if (protocol === 'https:') return 'https';
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host);
  // A name that can't be resolved is reported by the discovery itself, which says why.
  if (addresses.every(address => isIn(LOOPBACK, address))) return 'loopback';
  if (addresses.every(address => isIn(LOOPBACK, address) || isIn(PRIVATE, address))) {
    return 'private';
  }
  throw new LoadflameError('OIDC_INSECURE_ISSUER', { issuer, host });
}

/** @param {string} host @returns {Promise<string[]>} empty when there is no such host */
async function resolve(host) {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** @param {BlockList} list @param {string} address */
function isIn(list, address) {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
