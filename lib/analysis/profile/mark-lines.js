/** What source shows of the work at a line, whatever it computes: that it is done again, or one by one (`does`). */
import { entryOf } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { findFunction } from './annotate-source.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { LineWork, Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** @typedef {(at: number) => LineWork | undefined} Reader of a function: `at`: index of a line */
/** @typedef {Map<string, Map<string, boolean>>} Passed names that loops pass to a function: are they the same in each turn? */

/** What differs over time, what a function changes itself, and what others do for it. */
const VARIES =
  /\b(?:yield|await|now|time|random|uuid\w*|execute|query|global)\b|\.(?:map|submit)\(|\bself\.[\w.]{1,99} [-+|]?= |\b[A-Z][A-Z_]{1,99}\[[^\n\]]{1,99}\] = /;
/** What differs between requests, and files that others may write. */
const OF_REQUEST =
  /\b(?:request|session|user|context|local)\b|\bg\.|\b(?:open|stat|exists|is_file|walk|r?glob|iterdir|listdir|scandir|read_text|read_bytes)\(/;
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
const LOOP = /^ *(?:async )?for [\w, ()*]{1,99} in\b[^\n]*:\s*(?:#.*)?$/;
/** Of a comprehension on several lines. */
const CLAUSE = /^ *(?:async )?for [\w, ()*]{1,99} in\b[^:\n]*$/;
const CACHE = /^ +@(?:functools\.)?(?:lru_cache|cache)\b[^\n]*\n *(?:async )?def (\w+)/;
const FILTERS = /\bfor \w{1,99} in [\w.]{1,99} if [^\n]{0,99} == /;
const SHIFTS = /\.(?:pop\(0\)|insert\(0,|index\(|remove\(|count\(\w)/;
/** A new collection of an old one and more, under the same name. */
const COPIES =
  /^ *(\w{1,99}) = (?:\1 (?:\+ (?:\[|list\()|\| \{)|\{\*\*\1\b|\[\*\1\b|dict\(\1,|\w{1,99}\.(?:concat|append|concatenate|vstack|hstack)\([[(]?\1\b)/;
const JOINS = /\bsum\([^\n]{1,99}, \[\]\)/;
const PARSES =
  /\.loads?\((?:(\w{1,99})\)|[^\n]{0,99}(?:\bdumps?|\b(?:model_dump|to)_json|serialize|\.json)\()/;

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
  /** @type {Passed} */
  const passed = new Map();
  for (const { lines } of sources.filter(own => own.lines.length <= MOST_LINES))
    addTurns(passed, lines);
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
      readFunction(source.lines, around, { rules, hasRows, passed }),
    );
    return Object.freeze({ ...frame, does: read((frame.line ?? 0) - source.from) });
  });
  return Object.freeze({ ...profile, frames: Object.freeze(frames) });
}

/**
 * @param {string[]} lines
 * @param {string[]} around lines of the functions around it
 * @param {{rules: Rules, hasRows: boolean, passed: Passed}} known
 * @returns {Reader}
 */
function readFunction(lines, around, { rules, hasRows, passed }) {
  const text = lines.join('\n');
  const [, name = '', object] = TAKES_NOTHING.exec(text) ?? [];
  const takesNothing = name !== '' && around.length === 0 && !(hasRows && object);
  if (takesNothing && !VARIES.test(text) && !OF_REQUEST.test(text)) return () => 'again';
  const [, cached] = CACHE.exec(text) ?? [];
  // What a decorator returns lives on, and is not called there.
  const isCalled = (/** @type {string} */ line) =>
    !line.includes('def ') && listCalls(line).some(call => call.name === cached);
  return cached && around.some(isCalled) ? () => 'cache' : createReader(lines, rules, passed);
}

/** Loops of a function, and what its lines set. @param {string[]} lines */
function readLoops(lines) {
  const sets = lines.map(listSet);
  const indents = lines.map(text => (text.trim() ? text.search(/\S/) : Infinity));
  const endOf = (/** @type {number} */ loop) => {
    const end = indents.findIndex((own, at) => at > loop && own <= (indents[loop] ?? 0));
    return end < 0 ? lines.length : end;
  };
  /** The innermost `for` around a line; -1: none. @param {number} at */
  const findLoop = at =>
    lines.findLastIndex((text, loop) => loop < at && LOOP.test(text) && at < endOf(loop));
  /**
   * What a line does in each turn of a loop, without what its own comprehensions go through (`tests`), and names that differ
   * there; null: no loop.
   * @param {number} at
   */
  const turnOf = at => {
    const [text = '', around] = [lines[at], findLoop(at)];
    const [element = '', ...more] = text.split(/ for (?=[\w, ()*]{1,99} in\b)/);
    const tests = [element, ...more.map(part => / if (.*)/.exec(part)?.[1] ?? '')].join(' ');
    if (around >= 0 && !LOOP.test(text))
      return { text, tests, varies: sets.slice(around, endOf(around)).flat() };
    const clause = [at + 1, at - 1].find(own => CLAUSE.test(lines[own] ?? '')) ?? at;
    const isIn = clause === at ? more.length > 0 : clause > at || /^ *if /.test(text);
    return isIn ? { text: tests, tests, varies: sets[clause] ?? [] } : null;
  };
  return { sets, findLoop, turnOf };
}

/** Adds what calls of the application's functions in loops take. @param {Passed} passed @param {string[]} lines */
function addTurns(passed, lines) {
  const { turnOf } = readLoops(lines);
  for (const turn of lines.flatMap((_, at) => turnOf(at) ?? []))
    for (const { name, needs } of listCalls(turn.text)) {
      const own = entryOf(passed, name.replace(/^self\./, ''), () => new Map());
      for (const need of needs)
        own.set(need, own.get(need) !== false && ![...turn.varies, 'self'].includes(need));
    }
}

/**
 * @param {string[]} lines of a function
 * @param {Rules} rules
 * @param {Passed} passed
 * @returns {Reader}
 */
function createReader(lines, { smallCalls }, passed) {
  const { sets, findLoop, turnOf } = readLoops(lines);
  const head = lines.findIndex(text => /:\s*(?:#.*)?$/.test(text)) + 1;
  const [, own = ''] = /def (\w+)/.exec(lines.slice(0, head).join(' ')) ?? [];
  const isRecursive = lines.slice(head).some(text => own && text.includes(`${own}(`));
  const names = [...sets.flat(), ...(lines.slice(0, head).join(' ').match(/\w+/g) ?? [])];
  const ownNames = names.filter(name => !passed.get(own)?.get(name));
  /** Is a name set to what begins like this? @param {string} name @param {string} start */
  const isSet = (name, start) =>
    lines.some(own => new RegExp(`^ *${name}(?:: .{1,99})? = (?:${start})`).test(own));
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
    const turn = turnOf(at);
    if (turn && SHIFTS.test(turn.text)) return 'search';
    if (FILTERS.test(text) && (isRepeated || isRecursive || text.includes('next(')))
      return 'search';
    const [, list = ''] = / in (\w{1,99})/.exec(turn?.tests ?? '') ?? [];
    if (list && isSet(list, '\\[|list\\(')) return 'search';
    if ((isRepeated && COPIES.test(text)) || JOINS.test(text)) return 'copy';
    const [parsed, name] = PARSES.exec(text) ?? [];
    if (parsed && (!name || isSet(name, '.{0,99}(?:\\bdumps?|_json)\\('))) return 'parse-own';
    if (turn && isIndependent(turn.text, [...turn.varies, 'self'])) return 'turn';
    if (ownNames.length < names.length && isIndependent(text, ownNames)) return 'turn';
    if (RESPONDS.test(text) || OF_REQUEST.test(text)) return undefined;
    return isIndependent(text, names) ? 'constant' : undefined;
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
