/** What source shows of the work at a line, whatever it computes: that it is done again, or one by one (`does`), and in which loops. */
import { addTo, entryOf } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { addUpwards, weighNodes } from '../stacks/node-table.js';
import { findFunction } from './annotate-source.js';
import { isCounted, isPart, NAME } from './parts-used.js';
import { findReached, OUTSIDE } from './reach-outside.js';
import { LOOP, listChanges, listSet, listTouched, readLoops } from './read-loops.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { LineWork, Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** @typedef {ReturnType<typeof readLoops>} Loops */
/** @typedef {(at: number) => LineWork[]} Reader of a function: `at`: index of a line */
/** @typedef {Map<string, Map<string, boolean>>} Passed names that loops pass to a function: are they the same in each turn? */
/** @typedef {{inTurn: boolean, onSelf: boolean}} Called `inTurn`: nearly always in a turn of some loop; `onSelf`: there, of the caller's own object */

/** What differs over time, what a function changes itself, and what others do for it. */
const VARIES =
  /\b(?:yield|await|now|time|random|uuid\w*|execute|query|global)\b|\.(?:map|submit)\(|\bself\.[\w.]{1,99} [-+|]?= |\b[A-Z][A-Z_]{1,99}\[[^\n\]]{1,99}\] = |\b(?:locals|globals|vars)\(/;
/** What differs between requests, and files that others may write. */
const OF_REQUEST =
  /\b(?:request|session|user|context|local)\b|\bg\.|\b(?:open|stat|exists|is_file|walk|r?glob|iterdir|listdir|scandir|read_text|read_bytes)\(/;
/** It takes nothing but its object; another decorator may make a view of it. */
const TAKES_NOTHING =
  /^\s*(?:@(?:property|staticmethod|classmethod)\s+)?def (\w+)\((self|cls)?\)(?=.*\breturn [^\s#])/s;
/** With the same arguments, these do something else the next time. */
const GOES_ON =
  /^(?:next|input|print|gc\.collect)$|\.(?:(?:next|read|recv|pop|fetch|send|put|write)\w*|update|commit|flush|save|acquire|wait|poll|submit)$/;
/** To write a response is what a request is for. */
const RESPONDS = /json|response|render|template/i;
/** A name that is called, or a bracket that begins a collection. */
const CALL = /(?<![\w.])[a-z_][\w.]{0,99}(?=\()|(?<![\w\])}])(?=[[{])/gi;
/** A collection, or an argument, made element by element; a mere copy is none. */
const MAKES_EACH =
  /^[^\n]{0,99}?[[{(](?!(\w{1,99}) for \1 in [\w.]{1,99}[\])}])[^\n]{1,200} for [\w, ()*]{1,99} in /;
const STRING = /(?<![\w"'])[rb]{0,2}(?:"[^"\n]*"|'[^'\n]*')/gi;
const CACHE = /^ +@(?:functools\.)?(?:lru_cache|cache)\b[^\n]*\n *(?:async )?def (\w+)/;
const FILTERS =
  /\bfor \w{1,99} in [\w.]{1,99} if [^\n]{0,99} == |\bany\([^\n]{0,99} == [^\n]{0,99} for \w{1,99} in /;
/** How a name gets a list. */
const LISTS =
  '(?!.*\\)\\[[^:\\]]*\\]$)(?:\\[|list\\(|sorted\\(|(?!\\w*(?:set|dict)\\()[\\w.()]{1,99}\\.(?:split|splitlines|readlines|tolist|values_list|all)\\()';
const SHIFTS = /\.(?:pop\(0\)|insert\(0,|index\(|remove\(|count\(\w)/;
/** A name gets a new collection: the old one with more elements, or with fewer. */
const COPIES =
  /^ *(\w{1,99}) = (?:\1 (?:\+ (?:\[|list\(|\([^()\n]{1,99},\))|\| \{)|\1\[[^\n\]]{0,99}:|\1\.union\(|(?:list|tuple|sorted|set)\(\1\b|\{\*\*\1\b|\[\*\1\b|dict\(\1,|\w{1,99}\.(?:concat|append|concatenate|vstack|hstack)\([[(]?\1\b)/;
const GROWS = /^ *(\w{1,99}) (?:\+= |= \1 \+ )/;
/** A whole collection, by name. */
const COPIED =
  /(?<![\w.])(?:(?:list|tuple|set|frozenset|dict|sorted|copy|copy\.copy)\((\w{1,99})\)|(\w{1,99})(?:\.copy\(\)|\[:\]))/;
const WALKS = /^(?:max|min|sum|list|set|tuple|frozenset|Counter)\([\w.]{1,99}\)$/;
const BYTES = `b["']|bytes\\(|\\(\\)$|tuple\\(`;
/** Its result is not used. */
const BARE = /^ *(?:await )?[\w.]{1,99}\(/;
/** A method of the result of a call, or of a bracket. */
const CHAINED = /[)\]]\.(\w{1,99})\(/g;
/** A constructor is there to make another object, and an exception ends the loop. */
const MAKES_OBJECT =
  /(?<![\w.])(?:\w{1,99}\.){0,9}(?:[A-Z]\w{0,99}[a-z]\w{0,99}|(?:deep)?copy)(?=\()|\b(?:defaultdict|deque|bytearray|object|count|partial)(?=\()|^ *raise\b[^\n]*/g;
const CLOSURE = /\bdef | = lambda\b/;
const ELSE = /^ *(?:else|elif|except|case)\b/;
const LEAVES = /^ *(?:else|elif|except|case|return|raise|continue|break)\b/;
/** An exception, made or caught. */
const RAISES = /^ *(?:raise|except)\b/;
/** Python copies the text of an attribute for each part that is added. */
const ADDS_TEXT = /^ *[\w.]{1,99}\.\w{1,99} \+= [rbf]{0,2}["']/;
const SUMS = /\bsum\([^\n]{1,99}, \[\]\)/;
const PARSES =
  /\.loads?\((?:(\w{1,99})\)|[^\n]{0,99}(?:\bdumps?|\b(?:model_dump|to)_json|serialize|\.json)\()/;

const COMMENT = /(?<=^|\s)#[^"']*$/;
/** A line whose beginning a sentence may quote. */
const PRINTABLE = /^[ -_a-~]+$/;
const MOST_SHOWN = 60;
/** Lines of a loop before its condition. */
const LATEST_TEST = 2;
/** Longer functions and lines are hardly written by hand. */
const MOST_LINES = 300;
const LONGEST_LINE = 300;
/** A sample outside of loops counts as much as this many in one: some stacks, read while they changed, have other callers. */
const OUT_OF_LOOP = 9;

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
    return { from, lines: lines.map(text => text.slice(0, LONGEST_LINE).replace(COMMENT, '')) };
  });
  /** @type {Passed} */
  const passed = new Map();
  for (const { lines } of sources.filter(own => own.lines.length <= MOST_LINES))
    addTurns(passed, lines);
  /** @type {Map<number, Reader>} */
  const readers = new Map();
  const ownOf = profile.frames.map(frame => findFunction(files.get(frame.file) ?? [], frame));
  const linesOf = ownOf.map(own => sources[own]?.lines ?? []);
  const reached = findReached(profile, rules, linesOf);
  const ofReached = new Set(ownOf.filter((_, index) => reached[index]));
  /** @type {Map<number, Loops>} */
  const known = new Map();
  const loopsOf = (/** @type {number} */ own) =>
    entryOf(known, own, () => readLoops(sources[own]?.lines.slice(0, MOST_LINES) ?? []));
  const calledIn = findCalled(profile, ownOf, (frame, name) => {
    const own = ownOf[frame] ?? -1;
    const { from = 0, lines = [] } = sources[own] ?? {};
    const at = (profile.frames[frame]?.line ?? 0) - from;
    // The profiler's line may be off while an exception passes: a call is at the only line that has its name.
    const [first = at, ...others] = lines.flatMap((text, i) => (hasWord(text, name) ? i : []));
    const turn = loopsOf(own).turnOf(others.length > 0 ? at : first);
    const isTurn = turn && !turn.goesOn && !turn.varies.includes('self');
    return isTurn && hasWord(turn.text, name) ? turn.text : '';
  });
  const frames = profile.frames.map((frame, index) => {
    const own = ownOf[index] ?? -1;
    const source = sources[own];
    if (!source || source.lines.length > MOST_LINES) return frame;
    const loops = loopsOf(own);
    const read = entryOf(readers, own, () => {
      const outer = (files.get(frame.file) ?? []).flatMap(([index]) => {
        const { from = 0, lines = [] } = sources[index] ?? {};
        return source.from > from && source.from < from + lines.length ? [index] : [];
      });
      const around = outer.flatMap(index => sources[index]?.lines ?? []);
      const outerNames = outer.flatMap(index => loopsOf(index).names);
      const of = { rules, hasRows, passed, ...calledIn(own), outerNames, loops };
      return readFunction(source.lines, around, of);
    });
    const at = (frame.line ?? 0) - source.from;
    const inLoops = loops.listLoops(at).map(own => ({ ...own, line: own.at + source.from }));
    const text = source.lines[at]?.trim() ?? '';
    const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
    const isKnown = (/** @type {LineWork} */ work) =>
      !(['constant', 'turn'].includes(work) && reached[index]) &&
      !(work === 'again' && ofReached.has(own));
    const does = frame.does ?? read(at).filter(isKnown);
    return Object.freeze({ ...frame, does, inLoops, ...(PRINTABLE.test(text) && { shown }) });
  });
  return Object.freeze({ ...profile, frames: Object.freeze(frames) });
}

/** @param {string} text @param {string} word */
const hasWord = (text, word) => text.split(/\W/).includes(word);

/**
 * Functions that the application's lines call in the turns of loops, as stacks show it, however far below.
 * @param {Profile} profile
 * @param {number[]} ownOf per frame: index of its function, -1: none
 * @param {(frame: number, name: string) => string} turnAt what a line that calls a name does in each turn of a loop; '': none
 * @returns {(own: number) => Called} by index of a function
 */
function findCalled(profile, ownOf, turnAt) {
  const { frames, nodes } = profile;
  /** Samples in turns of loops, less those out of them. */
  const inTurns = /** @type {Map<number, number>} */ (new Map());
  const onSelf = new Set();
  const inTurn = new Uint8Array(nodes.frame.length);
  /** A tree has many nodes of the same caller and name. @type {Map<string, string>} */
  const known = new Map();
  for (const [node, total] of addUpwards(nodes, weighNodes(profile)).entries()) {
    const [frame = -1, parent = -1] = [nodes.frame[node], nodes.parent[node]];
    const [own = -1, caller = -1] = [ownOf[frame], nodes.frame[parent]];
    if (own < 0) continue;
    const name = frames[frame]?.name.replace(/.*\./, '') ?? '';
    const text = entryOf(known, `${caller} ${name}`, () => turnAt(caller, name));
    inTurn[node] = Number(inTurn[parent] || text !== '');
    addTo(inTurns, own, inTurn[node] ? total : -OUT_OF_LOOP * total);
    if (text.includes(`self.${name}`)) onSelf.add(own);
  }
  return own => ({ inTurn: (inTurns.get(own) ?? 0) > 0, onSelf: onSelf.has(own) });
}

/**
 * @param {string[]} lines
 * @param {string[]} around lines of the functions around it
 * @param {{rules: Rules, hasRows: boolean, passed: Passed, loops: Loops, outerNames: string[]} & Called} known
 *   `outerNames`: names of the functions around it; `inTurn`: called in a turn of some loop
 * @returns {Reader}
 */
function readFunction(lines, around, known) {
  const text = lines.join('\n');
  const [, name = '', object] = TAKES_NOTHING.exec(text) ?? [];
  const takesNothing = name !== '' && around.length === 0 && !VARIES.test(text);
  if (takesNothing && known.inTurn && known.onSelf && object === 'self') return () => ['turn'];
  const isOwn = !OF_REQUEST.test(text) && !OUTSIDE.test(text);
  const isAgain = takesNothing && !(known.hasRows && object) && isOwn;
  const [, cached] = CACHE.exec(text) ?? [];
  // What a decorator returns lives on, and is not called there.
  const isCalled = (/** @type {string} */ line) =>
    !line.includes('def ') && listCalls(line).some(call => call.name === cached);
  if (cached && around.some(isCalled)) return () => ['cache'];
  const read = createReader(lines, known);
  const others = isAgain ? /** @type {const} */ (['again']) : [];
  return at => [read(at) ?? [], ...others].flat().filter(own => !isAgain || own !== 'constant');
}

/** Adds what calls of the application's functions in loops take. @param {Passed} passed @param {string[]} lines */
function addTurns(passed, lines) {
  const { turnOf } = readLoops(lines);
  for (const turn of lines.flatMap((_, at) => turnOf(at) ?? []).filter(own => !own.goesOn))
    for (const { name, needs } of listCalls(turn.text)) {
      const own = entryOf(passed, name.replace(/^self\./, ''), () => new Map());
      for (const need of needs.filter(one => one !== name))
        own.set(need, own.get(need) !== false && ![...turn.varies, 'self'].includes(need));
    }
}

/**
 * @param {string[]} lines of a function
 * @param {Parameters<typeof readFunction>[2]} known
 * @returns {(at: number) => LineWork | undefined}
 */
function createReader(lines, { rules: { smallCalls }, passed, loops, outerNames, inTurn }) {
  const { head, first, sets, findLoop, turnOf } = loops;
  const [, own = ''] = /def (\w+)/.exec(first) ?? [];
  const isRecursive = lines.slice(head).some(text => own && text.includes(`${own}(`));
  const names = [...loops.names, ...outerNames];
  // What a function in the function reads of it is not in the call.
  const others = ['self', ...sets.filter((_, at) => CLOSURE.test(lines[at] ?? '')).flat()];
  const changed = new Set(lines.flatMap(listChanges));
  const ownNames = names.filter(name => !passed.get(own)?.get(name));
  const isIndependent = createIndependence(smallCalls);
  const isRepeat = createRepeats(lines, head, sets, isIndependent);
  const isSearch = createSearches(lines, first, loops, inTurn || isRecursive);
  return at => {
    const text = lines[at] ?? '';
    const around = findLoop(at);
    const turn = turnOf(at);
    if (isSearch(at)) return 'search';
    const isRepeated = around >= 0 && !LOOP.test(text);
    if ((isRepeated && isCopy(lines, loops, at)) || SUMS.test(text)) return 'copy';
    if ((isRepeated || inTurn) && ADDS_TEXT.test(text)) return 'copy';
    if ((isRepeated || inTurn) && RAISES.test(text)) return 'raise';
    const [parsed, name] = PARSES.exec(text) ?? [];
    if (parsed && (!name || isSet(lines, name, '.{0,99}(?:\\bdumps?|_json)\\(')))
      return 'parse-own';
    // What a line makes and others change is an object of its own.
    if (listSet(text).some(one => changed.has(one))) return undefined;
    const isElement = turn !== null && around < 0;
    const used = (/** @type {string} */ own) => (isElement ? own : own.replace(BARE, ''));
    const inLoop = turn && !turn.goesOn ? used(turn.text).replace(MAKES_OBJECT, '') : '';
    const plain = text.replace(MAKES_OBJECT, '');
    if (isIndependent(inLoop, [...(turn?.varies ?? []), ...others])) return 'turn';
    if (ownNames.length < names.length && isIndependent(plain, ownNames)) return 'turn';
    if (!VARIES.test(text) && isRepeat(plain, at)) return 'repeat';
    if (isPart(lines, at, around) || isCounted(lines, text)) return 'part';
    if ([RESPONDS, OF_REQUEST, OUTSIDE].some(own => own.test(text))) return undefined;
    const chained = Array.from(text.matchAll(CHAINED), ([, own = '']) => own);
    const isOwn = text.split(/\W+/).some(word => word && names.includes(word));
    if (isOwn && chained.some(own => !smallCalls.has(own))) return undefined;
    if (!isIndependent(used(turn ? plain : text), names)) return undefined;
    return inTurn && isIndependent(used(plain), names) ? 'turn' : 'constant';
  };
}

/** @typedef {(text: string, others: string[]) => boolean} Independence do its calls, some of them not small, depend on none of these names? */

/** @param {ReadonlySet<string>} smallCalls @returns {Independence} */
const createIndependence = smallCalls => (text, others) => {
  const all = listCalls(text);
  let until = 0;
  const calls = all.filter(({ name, call, start, end }) => {
    const isSmall = name === '' || smallCalls.has(name.replace(/.*\./, ''));
    if (start < until || (isSmall && !WALKS.test(call) && !MAKES_EACH.test(call))) return false;
    // What is inside of it has no other names, but for those of its own loops.
    until = end;
    return true;
  });
  const goesOn = VARIES.test(text) || all.some(({ name }) => GOES_ON.test(name));
  const isOther = calls.some(own => own.needs.some(one => others.includes(one)));
  return calls.length > 0 && !goesOn && !isOther;
};

/**
 * Is a name set to what begins like this?
 * @param {string[]} lines
 * @param {string} name
 * @param {string} start
 */
const isSet = (lines, name, start) =>
  lines.some(own => new RegExp(`^ *${name}(?:: .{1,99})? = (?:${start})`).test(own));

/**
 * Does a line look for an element of a list, or move all others?
 * @param {string[]} lines of a function
 * @param {string} first its first line
 * @param {Loops} loops
 * @param {boolean} isAround a loop calls it, or it calls itself
 * @returns {(at: number) => boolean}
 */
function createSearches(lines, first, { findLoop, turnOf, listOf, overOf }, isAround) {
  const isList = (/** @type {string} */ name) =>
    isSet(lines, name, LISTS) ||
    new RegExp(`\\b${name}: (?:list|List|tuple|Tuple|Sequence)\\b`).test(first);
  /** Does a line go through the same list in each turn of a loop? @param {number} at @param {number} loop */
  const isSame = (at, loop) =>
    loop >= 0 && overOf(at) !== '' && !listOf(loop).includes(overOf(at).replace(/\..*/, ''));
  return at => {
    const text = lines[at] ?? '';
    const around = findLoop(at);
    const isHead = LOOP.test(text);
    const start = isHead ? at : around;
    const [, ...body] = start < 0 ? [] : lines.slice(start, start + LATEST_TEST + 2);
    const test = body.findIndex(own => /^ *if [^\n]* == /.test(own));
    const ofItem = listOf(start).filter(name => hasWord(body[test] ?? '', name));
    const ends = /^ *(?:return|break)\b/.test(body[test + 1] ?? '');
    // CPython 3.11 gives the jump back to the head no line, so that it has that of the loop's end.
    const isTest = test >= 0 && at <= start + 1 + test + Number(ends) && ofItem.length > 0;
    if (isTest && (ends || isSame(start, findLoop(start)))) return true;
    const turn = turnOf(at);
    if (SHIFTS.test(turn?.text ?? (isAround ? text : ''))) return true;
    const isAgain = isAround || (!isHead && isSame(at, around)) || text.includes('next(');
    const [, list = ''] = /(?<!\bfor [\w, ()*]{1,99}) in (\w{1,99})/.exec(turn?.tests ?? '') ?? [];
    return (FILTERS.test(text) && isAgain) || (list !== '' && isList(list));
  };
}

/**
 * Does a line copy a collection that the loop around it makes longer, or shorter?
 * @param {string[]} lines
 * @param {Loops} loops
 * @param {number} at
 */
function isCopy(lines, { findLoop, listOf, listChanged }, at) {
  const [text = '', loop] = [lines[at], findLoop(at)];
  const [, name = ''] = COPIES.exec(text) ?? GROWS.exec(text) ?? [];
  if (name && !listOf(loop, at).includes(name) && (COPIES.test(text) || isSet(lines, name, BYTES)))
    return true;
  const [, first, second] = COPIED.exec(text) ?? [];
  const copied = first ?? second ?? '';
  return !listOf(loop).includes(copied) && listChanged(loop).includes(copied);
}

/**
 * Was one of the line's calls made before, on the way there, with the same arguments?
 * @param {string[]} lines
 * @param {number} head its first line of code
 * @param {string[][]} sets names, by line
 * @param {Independence} isIndependent
 * @returns {(text: string, at: number) => boolean}
 */
function createRepeats(lines, head, sets, isIndependent) {
  /** Line of the first call with that text. @type {Map<string, number>} */
  const firsts = new Map();
  for (const [at, text] of lines.entries())
    for (const { raw } of at < head ? [] : listCalls(text)) entryOf(firsts, raw, () => at);
  return (text, at) =>
    listCalls(text).some(({ name, raw }) => {
      const first = firsts.get(raw) ?? at;
      const between = lines.slice(first, at);
      const from = between[0]?.search(/\S/) ?? 0;
      // It is in another branch, or the function ends before.
      const isLeft = between.some(
        own => own.search(/\S/) <= from - Number(ELSE.test(own)) && LEAVES.test(own),
      );
      const isUsed = name !== '' && !BARE.test(text) && !BARE.test(between[0] ?? '');
      const varies = [...sets.slice(first, at).flat(), ...between.flatMap(listTouched)];
      const isSure = first < at && from <= text.search(/\S/);
      return isSure && isUsed && !isLeft && isIndependent(raw, varies);
    });
}

/**
 * @param {string} text
 * @returns {{name: string, raw: string, call: string, needs: string[], start: number, end: number}[]} calls that end in the
 *   same line, and collections (`name` ''); `call`: without strings; `needs`: names
 */
function listCalls(text) {
  return [...text.matchAll(CALL)].flatMap(({ 0: name, index }) => {
    let [end, depth] = [index + name.length, 0];
    do depth += Number('([{'.includes(text[end] ?? '')) - Number(')]}'.includes(text[end] ?? ''));
    while (depth > 0 && ++end < text.length);
    const raw = text.slice(index, end + 1);
    const call = raw.replace(STRING, '');
    const needs = new Set(call.match(NAME)).difference(new Set(listSet(call)));
    return depth > 0 ? [] : { name, raw, call, needs: [...needs], start: index, end };
  });
}
