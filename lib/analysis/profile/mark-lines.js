/** What source shows of the work at a line, whatever it computes: that it is done again, or one by one (`does`). */
import { entryOf } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { findFunction } from './annotate-source.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { LineWork, Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** @typedef {(at: number) => LineWork | undefined} Reader of a function: `at`: index of a line */

/** What differs between requests, or over time, and what a function changes itself. */
const VARIES =
  /\b(?:yield|await|request|session|user|context|local|now|time|random|uuid\w*|execute|query|global)\b|\bg\.|\bself\.[\w.]{1,99} [-+|]?= /;
/** It takes nothing but its object; another decorator may make a view of it. */
const TAKES_NOTHING =
  /^\s*(?:@(?:property|staticmethod|classmethod)\s+)?def (\w+)\((self|cls)?\)(?=.*\breturn [^\s#])/s;
/** With the same arguments, these do something else the next time. */
const GOES_ON =
  /^(?:next|input|print)$|\.(?:(?:next|read|recv|pop|fetch|send|put|write)\w*|update|commit|flush|save|acquire|wait|poll|submit)$/;
/** To write a response is what a request is for. */
const RESPONDS = /json|response|render|template/i;
const CALL = /(?<![\w.])[a-z_][\w.]{0,99}(?=\()/gi;
const STRING = /(?<![\w"'])[rb]{0,2}(?:"[^"\n]*"|'[^'\n]*')/gi;
/** Neither an attribute nor the name of an argument. */
const NAME = /(?<![\w.])[a-z_]\w{0,99}\b(?!=[^=])/gi;
/** Names that a line sets. */
const SETS =
  /^ *([\w, *]{1,99}?)(?:: [^=\n]{1,99})? [-+*/|&]{0,2}= |\b(\w{1,99}) :=|\bfor ([\w, ()*]{1,99}) in\b|\b(?:as|def) (\w{1,99})|\blambda ([\w, *]{1,99}):/g;
const LOOP = /^ *(?:async )?for ([\w, ()*]{1,99}) in\b/;
const CACHE = /^ +@(?:functools\.)?(?:lru_cache|cache)\b[^\n]*\n *(?:async )?def (\w+)/;
const FILTERS = /\bfor \w{1,99} in [\w.]{1,99} if [^\n]{0,99} == /;
const SHIFTS = /\.(?:pop\(0\)|insert\(0,|index\(|remove\()/;

/** Longer functions and lines are hardly written by hand. */
const MOST_LINES = 300;
const LONGEST_LINE = 300;

/**
 * @param {Profile} profile
 * @param {readonly RecordOf<'source', 'function'>[]} functions as recorded
 * @param {Rules} rules
 * @returns {Profile}
 */
export function markLines(profile, functions, rules) {
  const files = Map.groupBy([...functions.entries()], ([, { file }]) => file);
  const ofRows = rules.frames.filter(({ category }) => category?.id === 'database');
  // Rows of a database are made for each request, so their methods do not count.
  const hasRows = profile.frames
    .map(frame => identifyFrame(frame, rules))
    .some(identity => ofRows.some(({ matches }) => matches(identity)));
  const sources = functions.map(({ from = 0, lines = [] }) => {
    return { from, lines: lines.map(text => text.slice(0, LONGEST_LINE)) };
  });
  /** @type {Map<number, Reader>} */
  const readers = new Map();
  const frames = profile.frames.map(frame => {
    const ofFile = files.get(frame.file) ?? [];
    const own = findFunction(ofFile, frame);
    const source = sources[own];
    if (!source || source.lines.length > MOST_LINES || frame.does) return frame;
    const around = ofFile.flatMap(([index]) => {
      const { from = 0, lines = [] } = sources[index] ?? {};
      return source.from > from && source.from < from + lines.length ? lines : [];
    });
    const read = entryOf(readers, own, () =>
      readFunction(source.lines, around, { rules, hasRows }),
    );
    return Object.freeze({ ...frame, does: read((frame.line ?? 0) - source.from) });
  });
  return Object.freeze({ ...profile, frames: Object.freeze(frames) });
}

/**
 * @param {string[]} lines
 * @param {string[]} around lines of the functions around it
 * @param {{rules: Rules, hasRows: boolean}} known
 * @returns {Reader}
 */
function readFunction(lines, around, { rules, hasRows }) {
  const text = lines.join('\n');
  const [, name = '', object] = TAKES_NOTHING.exec(text) ?? [];
  const takesNothing = name !== '' && around.length === 0 && !(hasRows && object);
  if (takesNothing && !VARIES.test(text)) return () => 'again';
  const [, cached] = CACHE.exec(text) ?? [];
  // What a decorator returns lives on, and is not called there.
  const isCalled = (/** @type {string} */ line) =>
    !line.includes('def ') && listCalls(line).some(call => call.name === cached);
  return cached && around.some(isCalled) ? () => 'cache' : createReader(lines, rules);
}

/** @param {string[]} lines of a function @param {Rules} rules @returns {Reader} */
function createReader(lines, { smallCalls }) {
  const sets = lines.map(listSet);
  const head = lines.findIndex(text => /:\s*(?:#.*)?$/.test(text)) + 1;
  const names = [...sets.flat(), ...(lines.slice(0, head).join(' ').match(/\w+/g) ?? [])];
  const indents = lines.map(text => (text.trim() ? text.search(/\S/) : Infinity));
  const endOf = (/** @type {number} */ loop) => {
    const end = indents.findIndex((own, at) => at > loop && own <= (indents[loop] ?? 0));
    return end < 0 ? lines.length : end;
  };
  /** The innermost `for` around a line; -1: none. @param {number} at */
  const findLoop = at =>
    lines.findLastIndex((text, loop) => loop < at && LOOP.test(text) && at < endOf(loop));
  /** Do its calls, some of them not small, depend on none of these names? @param {string} text @param {string[]} others */
  const isIndependent = (text, others) => {
    const calls = listCalls(text).filter(({ name }) => !smallCalls.has(name.replace(/.*\./, '')));
    const isOther = (/** @type {typeof calls[number]} */ { name, needs }) =>
      GOES_ON.test(name) || needs.some(one => others.includes(one));
    return calls.length > 0 && !VARIES.test(text) && !calls.some(isOther);
  };
  return at => {
    const text = lines[at] ?? '';
    const around = findLoop(at);
    const isHead = LOOP.test(text);
    const start = isHead ? at : around;
    const [, test = '', then = ''] = start < 0 ? [] : lines.slice(start, start + 3);
    const isTest = at <= start + 1 && /^ *if [^\n]* == /.test(test);
    const isOfItem = (sets[start] ?? []).some(name => test.split(/\W/).includes(name));
    const isOne = /^ *(?:return|break)\b/.test(then) || findLoop(start) >= 0;
    if (isTest && isOfItem && isOne) return 'search';
    const isRepeated = around >= 0 && !isHead;
    if (FILTERS.test(text) && (isRepeated || text.includes('next('))) return 'search';
    const [element = '', ...more] = text.split(/ for (?=[\w, ()*]{1,99} in\b)/);
    const [, list = ''] = / in (\w{1,99})/.exec(element) ?? [];
    const isList = lines.some(own =>
      new RegExp(`^ *${list}(?:: .{1,99})? = (?:\\[|list\\()`).test(own),
    );
    if (isRepeated && ((list && isList) || SHIFTS.test(text))) return 'search';
    const body = sets.slice(around, endOf(around)).flat();
    const isSame = isRepeated
      ? isIndependent(text, [...body, 'self'])
      : more.length > 0 && isIndependent(element, listSet(text));
    if (isSame) return 'turn';
    return !RESPONDS.test(text) && isIndependent(text, names) ? 'constant' : undefined;
  };
}

/** @param {string} text @returns {{name: string, needs: string[]}[]} calls that end in the same line; `needs`: names */
function listCalls(text) {
  return [...text.matchAll(CALL)].flatMap(({ 0: name, index }) => {
    let [end, depth] = [index + name.length, 0];
    do depth += Number('([{'.includes(text[end] ?? '')) - Number(')]}'.includes(text[end] ?? ''));
    while (depth > 0 && ++end < text.length);
    const call = text.slice(index, end + 1).replace(STRING, '');
    const needs = new Set(call.match(NAME)).difference(new Set(listSet(call)));
    return depth > 0 ? [] : { name, needs: [...needs] };
  });
}

/** @param {string} text of a line */
const listSet = text =>
  [...text.matchAll(SETS)].flatMap(found => found.slice(1).join(' ').match(/\w+/g) ?? []);
