/** User accounts: a name, a password, and the claims made of them. */
import { timingSafeEqual } from 'node:crypto';

/**
 * Compares in constant time and, unlike a real provider, without a slow password hash: a load test
 * of the demo should measure the API, not the login.
 * @param {Map<string, string>} users @param {string} username @param {string} password
 */
export function isPasswordRight(users, username, password) {
  const expected = Buffer.from(users.get(username) ?? '');
  const given = Buffer.from(password);
  return (
    expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given)
  );
}

/**
 * The account in the form that the library wants.
 * @param {Map<string, string>} users @param {string} username
 */
export function findAccount(users, username) {
  if (!users.has(username)) return undefined;
  return {
    accountId: username,
    claims: async () => ({ sub: username, preferred_username: username }),
  };
}
