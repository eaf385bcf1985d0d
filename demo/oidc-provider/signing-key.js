/** The key that signs tokens: made anew at each start, so there is none to leak. */
import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * @returns {Promise<{publicKey: import('node:crypto').KeyObject, kid: string, jwks: {keys: object[]}}>}
 *   `jwks` holds the private key in JWK form
 */
export async function createSigningKey() {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
  });
  const kid = randomUUID();
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return { publicKey, kid, jwks: { keys: [jwk] } };
}
