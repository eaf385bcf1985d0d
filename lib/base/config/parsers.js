/**
 * Parsers of setting values: text in, value out. `allowed` describes the accepted values. A parser throws a
 * RangeError for any other value, which `read-config.js` turns into an error that names the variable.
 */

import { parseLimit } from '../format.js';
import { isParameter, listGroups } from './endpoint-names.js';

/**
 * @template T
 * @typedef {{parse: (text: string) => T, allowed: string}} Parser
 */

/** @type {Parser<string>} */
export const text = { parse: value => value, allowed: 'any text' };

/**
 * @param {number} min @param {number} max
 * @returns {Parser<number>}
 */
export function wholeNumber(min, max) {
  return number(/^\d+$/, min, max, `a whole number from ${min} to ${max}`);
}

/**
 * @param {number} min @param {number} max
 * @returns {Parser<number>}
 */
export function decimal(min, max) {
  return number(/^\d+(\.\d+)?$/, min, max, `a number from ${min} to ${max}`);
}

/**
 * @param {RegExp} form
 * @param {number} min
 * @param {number} max
 * @param {string} allowed
 * @returns {Parser<number>}
 */
function number(form, min, max, allowed) {
  return matching(form, allowed, value => {
    const parsed = Number(value);
    return parsed >= min && parsed <= max ? parsed : null;
  });
}

/**
 * @template T
 * @param {RegExp} form
 * @param {string} allowed
 * @param {(value: string) => T | null} [read] null if the value is not allowed
 * @returns {Parser<T>}
 */
function matching(form, allowed, read = value => /** @type {T} */ (value)) {
  return {
    allowed,
    parse: value => {
      const result = form.test(value) ? read(value) : null;
      if (result === null) throw new RangeError(allowed);
      return result;
    },
  };
}

/** Percentages: `1%`, `0.5 %`; as a fraction. */
export const share = matching(/^\d+(\.\d+)?\s*%$/, 'a percentage from 0% to 100%', value => {
  const parsed = parseLimit(value, 'share');
  return parsed !== null && parsed <= 1 ? parsed : null;
});

/** `LOADFLAME` as in the API's environment: a key, or '' for `1` (clients on its own machine) and `0`. */
export const companionKey = matching(
  /^(?:[01]|[!-~]{16,})$/,
  '1, 0, or a key of at least 16 visible ASCII characters',
  value => (value.length > 1 ? value : ''),
);

const SECONDS_PER = /** @type {Record<string, number>} */ ({ '': 1, s: 1, m: 60, h: 3600 });

/**
 * Durations: `45`, `45s`, `2m`, `1h`; in seconds.
 * @param {number} minSec @param {number} maxSec
 * @returns {Parser<number>}
 */
export function duration(minSec, maxSec) {
  const allowed = `seconds or a time like 45s, 2m or 1h, from ${minSec} s to ${maxSec} s`;
  return matching(/^\d+\s*[smh]?$/, allowed, value => {
    const seconds = Number.parseInt(value, 10) * (SECONDS_PER[value.replace(/[\d\s]+/, '')] ?? 1);
    return seconds >= minSec && seconds <= maxSec ? seconds : null;
  });
}

/**
 * @template {string} T
 * @param {...T} values
 * @returns {Parser<T>}
 */
export function oneOf(...values) {
  const allowed = `one of ${values.join(', ')}`;
  return matching(/./, allowed, value => values.find(item => item === value) ?? null);
}

/** @param {string} pattern for the whole text @returns {Parser<string>} */
export function matchingText(pattern) {
  return matching(new RegExp(`^(?:${pattern})$`), `a text that matches ${pattern}`);
}

/** An http(s) address without a trailing slash. */
export const httpUrl = matching(
  /^https?:\/\//,
  'an address that starts with http:// or https://, without user name and password',
  readUrl,
);

/** The address of a database; `+driver` as in SQLAlchemy. */
export const databaseUrl = matching(
  /^(?:postgres(?:ql)?|sqlite)(?:\+\w+)?:\/\//i,
  'an address such as postgresql://user:password@host/name or sqlite:///file, with special characters escaped (%40 for @)',
  value => {
    decodeURIComponent(value);
    // Only a socket has no host.
    return URL.canParse(value.replace('@/', '@host/')) ? value : null;
  },
);

/** The same, or a WebSocket's. */
export const targetUrl = matching(
  /^(?:https?|wss?):\/\//,
  'an address that starts with http://, https://, ws:// or wss://, without user name and password',
  readUrl,
);

/** @param {string} value */
function readUrl(value) {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url && !url.username && !url.password ? value.replace(/\/+$/, '') : null;
}

/** Paths with parameters, in which `:name` stands for any segment. */
export const endpointGroups = matching(
  /^\//,
  'paths with a parameter, separated by commas, such as /rates/:currency',
  value => {
    const paths = listGroups(value);
    const isGroup = (/** @type {string} */ path) =>
      /^\/\S+$/.test(path) && path.split('/').some(isParameter);
    return paths.every(isGroup) ? paths : null;
  },
);

const NAMES = /^\w+(?:\s*,\s*\w+)*$/;
export const variableNames = matching(NAMES, 'names of variables, separated by commas', value =>
  value.split(/\s*,\s*/),
);

/** An id in the form that APIs use in paths. */
export const id = matching(/^[\w.-]{1,64}$/, 'an id of letters, digits, dots, dashes and _');

/**
 * Kinds of workloads and their other names, as in kubectl; the plurals are those of the API.
 * @type {Record<string, string[]>}
 */
const WORKLOADS = {
  deployments: ['deployment', 'deploy'],
  statefulsets: ['statefulset', 'sts'],
  daemonsets: ['daemonset', 'ds'],
  deploymentconfigs: ['deploymentconfig', 'dc'],
};

/** A workload of a cluster, `deployment/api`: `{resource: 'deployments', name: 'api'}`. */
export const workload = matching(
  /^[a-z]+\/[a-z0-9][a-z0-9.-]*$/,
  'a kind and a name, such as deployment/api (statefulset, daemonset, deploymentconfig)',
  value => {
    const [kind = '', name = ''] = value.split('/');
    const [resource] =
      Object.entries(WORKLOADS).find(([plural, names]) => [plural, ...names].includes(kind)) ?? [];
    return resource ? { resource, name } : null;
  },
);
