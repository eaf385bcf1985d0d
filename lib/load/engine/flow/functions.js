/** Functions of templates: `{{ $randomNumber(1, 9) }}`. The first two are Artillery's. */
import { randomUUID } from 'node:crypto';

export const FUNCTIONS = {
  $randomNumber,
  $randomString,
  $randomInt: $randomNumber,
  $pick: (/** @type {unknown[]} */ ...values) => values[Math.floor(Math.random() * values.length)],
  $uuid: () => randomUUID(),
  $timestamp: () => Date.now(),
  $isoTimestamp: () => new Date().toISOString(),
};

/** Those whose arguments are numbers. */
export const OF_NUMBERS = ['$randomNumber', '$randomString', '$randomInt'];

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * Like lodash's `random`: a whole number, or a fraction if a limit is one; a single limit is the upper one.
 * @param {number} [from] @param {number} [to]
 */
function $randomNumber(from, to) {
  const limits = to === undefined ? [0, Number(from ?? 1)] : [Number(from), Number(to)];
  const [low, high] = /** @type {[number, number]} */ (limits.sort((a, b) => a - b));
  if (!Number.isInteger(low) || !Number.isInteger(high)) return low + Math.random() * (high - low);
  return low + Math.floor(Math.random() * (high - low + 1));
}

/** @param {number} [length] */
function $randomString(length = 10) {
  let text = '';
  while (text.length < length) text += ALPHABET.charAt(Math.floor(Math.random() * ALPHABET.length));
  return text;
}
