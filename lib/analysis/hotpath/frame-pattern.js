/** Compiles globs of rules to predicates on frames. */

/** @import { FrameIdentity, FrameMatcher, PatternSource } from '../../run/facts/rules.d.ts' */

/**
 * `*` stays within a folder, `**` crosses folders, `[!x]` is any character except x.
 * @param {string} glob
 * @param {{crossing?: boolean}} [options] `crossing`: `*` matches everything (function names)
 * @returns {RegExp}
 */
export function compileGlob(glob, { crossing = false } = {}) {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|[\\^$+.()|{}[\]/]/g, token => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return crossing ? '.*' : '[^/]*';
    if (token === '?') return '.';
    if (token.startsWith('[!')) return `[^${token.slice(2)}`;
    if (token.startsWith('[') && token.length > 2) return token;
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`, 's');
}

/**
 * All given fields must match; a list matches if one of its entries does. Function names with a dot are compared with
 * the qualified name, others with its last part.
 * @param {PatternSource} pattern
 * @returns {FrameMatcher}
 */
export function compilePattern(pattern) {
  const { packages = [], files = [], functions = [], origin, does, except = [] } = pattern;
  const exceptions = except.map(compilePattern);
  const packageSet = new Set(packages);
  const fileTests = files.map(glob => compileGlob(glob));
  const isAnywhere = packageSet.size === 0 && fileTests.length === 0;
  const isPlace = (/** @type {FrameIdentity} */ frame) =>
    !(origin && frame.origin !== origin) &&
    (isAnywhere ||
      frame.packages.some(name => packageSet.has(name)) ||
      fileTests.some(test => test.test(frame.path)));
  const isFunction = compileNames(functions);
  const matches = (/** @type {FrameIdentity} */ frame) =>
    isPlace(frame) &&
    !(does && !frame.does?.includes(does)) &&
    (functions.length === 0 || isFunction(frame)) &&
    !exceptions.some(one => one(frame));
  return Object.assign(matches, { isPlace });
}

/** @param {string[]} globs @returns {(frame: FrameIdentity) => boolean} */
function compileNames(globs) {
  const names = globs.filter(glob => !glob.includes('.')).map(toRegExp);
  const qualified = globs.filter(glob => glob.includes('.')).map(toRegExp);
  return frame =>
    names.some(test => test.test(frame.name)) || qualified.some(test => test.test(frame.qualified));
}

/** @param {string} glob */
const toRegExp = glob => compileGlob(glob, { crossing: true });
