/** Reads and writes variables by paths: `user.id`, `ids[0]`, `answer["first name"]`. */

/** @import { Variables } from '../../script.d.ts' */

const KEYS = /\[\s*(["'])(.*?)\1\s*\]|[^.[\]]+/g;
const UNSAFE = ['__proto__', 'constructor', 'prototype'];
/** Variables that hold the whole environment: a script takes a value from it by name. */
export const ENVIRONMENTS = ['$env', '$processEnvironment'];

/**
 * @param {string} path
 * @returns {(vars: any) => any} a variable named like the whole path takes precedence; undefined if there is none
 */
export function compilePath(path) {
  const keys = splitPath(path);
  const [first] = keys;
  if (first === undefined || (keys.length === 1 && ENVIRONMENTS.includes(first)))
    return () => undefined;
  if (keys.length === 1 && keys[0] === path) return vars => vars[path];
  return vars => (path in vars ? vars[path] : keys.reduce((at, key) => at?.[key], vars));
}

/** @param {any} vars @param {string} path */
export function readPath(vars, path) {
  return compilePath(path)(vars);
}

/**
 * Creates the lists and objects on the way.
 * @param {Variables} vars @param {string} path @param {unknown} value
 */
export function writePath(vars, path, value) {
  const keys = path in vars ? [path] : splitPath(path);
  if (keys.some(key => UNSAFE.includes(key))) return;
  const last = keys.pop() ?? path;
  /** @type {any} */
  let place = vars;
  for (const [index, key] of keys.entries()) {
    const isList = /^\d+$/.test(keys[index + 1] ?? last);
    if (place[key] === null || typeof place[key] !== 'object') place[key] = isList ? [] : {};
    place = place[key];
  }
  place[last] = value;
}

/** @param {string} path */
export function splitPath(path) {
  return [...path.matchAll(KEYS)].map(([whole, , quoted]) => quoted ?? whole);
}
