/**
 * Parsers of setting values: text in, value out. Each says in `allowed` what it takes; a value that
 * it does not take makes it throw a RangeError, which `read-config.js` turns into an error that
 * names the variable.
 */

/**
 * @template T
 * @typedef {{parse: (text: string) => T, allowed: string}} Parser
 */

/** @type {Parser<string>} */
export const text = { parse: value => value, allowed: 'any text' };

/**
 * Whole numbers.
 * @param {number} min @param {number} max
 * @returns {Parser<number>}
 */
export function wholeNumber(min, max) {
  const allowed = `a whole number from ${min} to ${max}`;
  return {
    allowed,
    parse: value => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= min && number <= max)) throw new RangeError(allowed);
      return number;
    },
  };
}

/**
 * @param {number} min @param {number} max
 * @returns {Parser<number>}
 */
export function decimal(min, max) {
  const allowed = `a number from ${min} to ${max}`;
  return {
    allowed,
    parse: value => {
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= min && number <= max)) throw new RangeError(allowed);
      return number;
    },
  };
}

const SECONDS_PER = /** @type {Record<string, number>} */ ({ '': 1, s: 1, m: 60, h: 3600 });

/**
 * Durations: `45`, `45s`, `2m`, `1h`; in seconds.
 * @param {number} minSec @param {number} maxSec
 * @returns {Parser<number>}
 */
export function duration(minSec, maxSec) {
  const allowed = `seconds or a time like 45s, 2m or 1h, from ${minSec} s to ${maxSec} s`;
  return {
    allowed,
    parse: value => {
      const match = /^(\d+)\s*(s|m|h)?$/.exec(value);
      const seconds = match ? Number(match[1]) * (SECONDS_PER[match[2] ?? ''] ?? 1) : Number.NaN;
      if (!(seconds >= minSec && seconds <= maxSec)) throw new RangeError(allowed);
      return seconds;
    },
  };
}

/**
 * @template {string} T
 * @param {...T} values
 * @returns {Parser<T>}
 */
export function oneOf(...values) {
  const allowed = `one of ${values.join(', ')}`;
  return {
    allowed,
    parse: value => {
      const found = values.find(item => item === value);
      if (found === undefined) throw new RangeError(allowed);
      return found;
    },
  };
}

/** An http(s) address without a trailing slash. @type {Parser<string>} */
export const httpUrl = {
  allowed: 'an address that starts with http:// or https://, without user name and password',
  parse: value => {
    if (!URL.canParse(value)) throw new RangeError(httpUrl.allowed);
    const url = new URL(value);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password) {
      throw new RangeError(httpUrl.allowed);
    }
    return value.replace(/\/+$/, '');
  },
};

/** An id as APIs use them: it goes into paths. @type {Parser<string>} */
export const id = {
  allowed: 'an id of letters, digits, dots, dashes and underscores',
  parse: value => {
    if (!/^[\w.-]{1,64}$/.test(value)) throw new RangeError(id.allowed);
    return value;
  },
};
