/** Elements that are made or loaded although only some of them are used, or only their number. */
import { listSet } from './read-loops.js';

/** Neither an attribute nor the name of an argument. */
export const NAME = /(?<![\w.])[a-z_]\w{0,99}\b(?!=[^=])/gi;
/** A list gets its elements. */
const MAKES = /^ *(\w{1,99})(?:: [^=\n]{1,99})? = |(?<![\w.])(\w{1,99})\.append\(/;
/** It makes or loads elements, and not in an order that needs all. */
const MAKES_MANY =
  /^(?!.*\bsorted\().*(?:\.append\(|\blist\(|\.(?:all|fetchall|scalars|filter|values|values_list)\(| for [\w, ]{1,99} in )/;
/** What it is used for: those that a condition chooses, or positions with an end. */
const CHOOSES =
  /\bfor [\w, ()]{1,99} in (\w{1,99}) if\b|(?<![\w.])(\w{1,99})\[[^\n\]:]{0,99}:[^\n\]:-]{1,99}\]/;
/** Rows are loaded, at once or when they are counted. */
const LOADS = '[^\\n]{0,200}\\.(?:all|fetchall|filter|exclude|scalars|values_list)\\(';
/** A name that gets rows, one that is counted, or rows that are counted. */
const COUNTED = new RegExp(`^ *(\\w{1,99}) = ${LOADS}|\\blen\\((?:(\\w{1,99})\\)|${LOADS})`);

/**
 * Does a line make elements, and the lines after it use only some of them?
 * @param {string[]} lines of a function @param {number} at @param {number} around line of the loop around it; -1: none
 */
export function isPart(lines, at, around) {
  const text = lines[at] ?? '';
  if (!MAKES_MANY.test(text)) return false;
  const after = lines.slice(around < 0 ? at + 1 : around);
  const [, set, added] = MAKES.exec(text) ?? [];
  const name = set ?? added ?? '';
  const uses = after
    .map(own => own.replaceAll(`len(${name})`, ''))
    .filter(own => own !== text && own.split(/\W/).includes(name));
  const found = CHOOSES.exec(uses[0] ?? '');
  // What made them may already know the choice.
  const known = new Set([...listSet(uses[0] ?? ''), name, 'self']);
  const of = new Set(uses[0]?.slice(found?.index).match(NAME)).difference(known);
  const isKnown = [...of].some(one => text.split(/\W/).includes(one));
  return uses.length === 1 && name !== '' && name === (found?.[1] ?? found?.[2]) && !isKnown;
}

/** Does a line load rows that a function only counts? @param {string[]} lines of the function @param {string} text */
export function isCounted(lines, text) {
  const [isFound, set, read] = COUNTED.exec(text) ?? [];
  const name = set ?? read;
  if (!name) return isFound !== undefined;
  const counts = new RegExp(`\\blen\\(${name}\\)|\\b${name}\\.count\\(\\)`, 'g');
  const whole = lines.join('\n');
  const [other, isLoaded] = [whole.replace(counts, ''), new RegExp(`^ *${name} = ${LOADS}`, 'm')];
  const isLeft = other.split(/\W/).filter(own => own === name).length > 1;
  return whole.includes(`len(${name})`) && isLoaded.test(other) && !isLeft;
}
