/** The certificates of `test/fixtures/tls`. */
import { readFileSync } from 'node:fs';

/** @typedef {{key: string, cert: string}} Pair PEM */

/** @param {'ca' | 'server' | 'client' | 'self-signed'} name @returns {Pair} */
export function readCertificate(name) {
  const read = (/** @type {string} */ ending) =>
    readFileSync(new URL(`../fixtures/tls/${name}.${ending}`, import.meta.url), 'utf8');
  return { key: read('key'), cert: read('crt') };
}
