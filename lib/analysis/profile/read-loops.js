/** Loops of a Python function, as its source shows them: what is done in each turn, and what differs there. */

/** Names that a line sets. */
const SETS =
  /(?:^ *|(?<= = ))([\w, *]{1,99}?)(?:: [^=\n]{1,99})? [-+*/|&]{0,2}= |\b(\w{1,99}) :=|\bfor ([\w, ()*]{1,99}?) in\b|\b(?:as|def) (\w{1,99})|\blambda ([\w, *]{1,99}):/g;
export const LOOP = /^ *(?:(?:async )?for [\w, ()*]{1,99} in\b|while\b)[^\n]*:\s*(?:#.*)?$/;
/** It asks for the next one: what differs in its turns has no name. */
const ON = /^ *while\b|\bfor _\w{0,99} in\b/;
/** It goes through nothing that has a number. */
const ENDLESS = /^ *while (?:True|1|not)\b/;
/** At the level of a loop's body, or of the `try` that it begins with: it only goes on where something fails. */
const ENDS = /^ *(?:return|break)\b/;
/** What a loop goes through, if it is a name. */
const OVER = /\bfor [\w, ()*]{1,99}? in ([\w.]{1,99})(?=:|[\])}]|,| (?:if|for) |$)/g;
/** The same, whatever it is, of printable characters. */
const OVER_WHOLE = /^ *(?:async )?for [\w, ()*]{1,99}? in ([ -_a-~]{1,60}): *$/;
/** Of a comprehension on several lines. */
const CLAUSE = /^ *(?:async )?for [\w, ()*]{1,99} in\b[^:\n]*$/;
/** Any clause of a comprehension, or the head of a loop. */
const FOR = /\bfor [\w, ()*]{1,99} in\b/;
/** A collection that a line changes. */
const CHANGES =
  /(?<![\w.])(\w{1,99})(?:\.(?:append|add|update|extend|insert|pop\w*|remove|discard|clear|setdefault)\(|\[[^\n\]]{1,99}\] [-+|]?= )/g;

/** What a line gives an attribute or an element, or deletes one of. */
const TOUCHES =
  /(?:^ *|[=,] )(\w{1,99})[.[][^\n=]{1,99} [-+*/|&]{0,2}= |\b(?:del |setattr\()(\w{1,99})/g;
/** A call for its effect: its name, and its arguments. */
const EFFECT = /^ *(?:await |case )?(\w{0,99})(?:\.[\w.]{1,99})?[({[](.*)/;
const INNER_CALL = /[\w.]{1,99}\([^()]{0,99}\)/g;

/** @param {string[]} lines of a function */
export function readLoops(lines) {
  const [sets, touched] = [lines.map(listSet), lines.map(listTouched)];
  const indents = [...lines.map(text => (text.trim() ? text.search(/\S/) : Infinity)), -1];
  const endOf = (/** @type {number} */ loop) =>
    indents.findIndex((own, at) => at > loop && own <= (indents[loop] ?? 0));
  const listOf = (/** @type {number} */ loop, /** @type {number} */ without = -1) =>
    sets.slice(loop, endOf(loop)).flatMap((own, index) => (loop + index === without ? [] : own));
  /** The innermost loop around a line; -1: none. @param {number} at */
  const findLoop = at =>
    lines.findLastIndex((text, loop) => loop < at && LOOP.test(text) && at < endOf(loop));
  /**
   * What a line does in each turn of a loop, without what its own comprehensions go through (`tests`), and names that differ
   * there; `goesOn`: what it asks for may be the next one; null: no loop.
   * @param {number} at
   */
  const turnOf = at => {
    const [text = '', around] = [lines[at], findLoop(at)];
    const own = listComprehensions(text);
    const tests = own.length > 0 ? own.join(' ') : text;
    const goesOn = ON.test(lines[around] ?? '') || (own.length > 0 && ON.test(text));
    if (around >= 0 && !LOOP.test(text)) {
      const varies = [...listOf(around), ...touched.slice(around, endOf(around)).flat()];
      return { text, tests, varies, goesOn };
    }
    const clause = [at + 1, at - 1].find(own => CLAUSE.test(lines[own] ?? '')) ?? at;
    const isIn = clause === at ? own.length > 0 : clause > at || /^ *if /.test(text);
    // Further clauses may stand lines away, around other comprehensions.
    const varies = sets.filter((_, own) => own === at || FOR.test(lines[own] ?? '')).flat();
    return isIn ? { text: tests, tests, varies, goesOn } : null;
  };
  /** Whether it tries again, and does what is in it once. @param {number} loop */
  const isRetry = loop =>
    indents.some((own, at) => {
      if (at <= loop || at >= endOf(loop) || !ENDS.test(lines[at] ?? '')) return false;
      const around = indents.findLastIndex((other, before) => before < at && other < own);
      return (/^ *try:/.test(lines[around] ?? '') ? indents[around] : own) === indents[loop + 1];
    });
  /** Names of collections that a loop changes. @param {number} loop */
  const listChanged = loop => lines.slice(loop, endOf(loop)).flatMap(listChanges);
  /**
   * Loops around a line, the innermost first. `over`: what it goes through, if that is short; `each`: words of a
   * comprehension's element, '' for other loops.
   * @param {number} at
   */
  const listLoops = at => {
    const around = [at];
    for (let own = findLoop(at); own >= 0; own = findLoop(own)) around.push(own);
    return around.flatMap(own => {
      const over = overOf(own);
      const isLine = own === at && (over === '' || LOOP.test(lines[own] ?? ''));
      const head = lines[own] ?? '';
      if (ENDLESS.test(head) || (LOOP.test(head) && isRetry(own))) return [];
      const each = own === at ? (turnOf(at)?.tests ?? '') : '';
      const [, whole = ''] = OVER_WHOLE.exec(lines[own] ?? '') ?? [];
      return isLine ? [] : { at: own, over: over || whole, each };
    });
  };
  /** The name that a line goes through, '': none. @param {number} at */
  const overOf = at => [...(lines[at] ?? '').matchAll(OVER)].at(-1)?.[1] ?? '';
  /** First line of code, and what stands before it. */
  const head = lines.findIndex(text => /:\s*(?:#.*)?$/.test(text)) + 1;
  const first = lines.slice(0, head).join(' ');
  const names = [...sets.flat(), ...(first.match(/\w+/g) ?? [])];
  return { head, first, names, sets, findLoop, turnOf, listOf, listChanged, listLoops, overOf };
}

/** What the outermost comprehensions of a line do for each element, and their conditions. @param {string} text */
function listComprehensions(text) {
  const clauses = Array.from(text.matchAll(/ for (?=[\w, ()*]{1,99} in\b)/g), ({ index }) => {
    const before = text.slice(0, index);
    const element = untilBracket([...before].reverse(), ')]}', '([{')
      .reverse()
      .join('');
    const [, condition = ''] = / if (.*)/.exec(text.slice(index)) ?? [];
    const work = `${element} ${untilBracket([...condition], '([{', ')]}').join('')}`;
    return {
      work,
      start: index - element.length,
      depth: before.replace(/[^([{]/g, '').length - before.replace(/[^)\]}]/g, '').length,
    };
  });
  const outermost = Math.min(...clauses.map(({ depth }) => depth));
  // A second clause of one begins where its first does.
  return clauses
    .filter(
      ({ depth, start }, at) =>
        depth === outermost && clauses.findIndex(own => own.start === start) === at,
    )
    .map(({ work }) => work);
}

/**
 * Characters before the first bracket of a pair whose other one is not among them.
 * @param {string[]} text
 * @param {string} first
 * @param {string} last
 */
function untilBracket(text, first, last) {
  let depth = 0;
  const end = text.findIndex(one => {
    depth += Number(first.includes(one)) - Number(last.includes(one));
    return depth < 0;
  });
  return end < 0 ? text : text.slice(0, end);
}

/** Names whose values may differ after a line, without those that it sets. @param {string} text */
export function listTouched(text) {
  const changed = listChanges(text);
  const [, of = '', given = ''] = changed.length > 0 ? [] : (EFFECT.exec(text) ?? []);
  const touched = Array.from(text.matchAll(TOUCHES), own => own[1] ?? own[2] ?? '');
  return [...changed, of, ...given.replace(INNER_CALL, '').split(/\W+/), ...touched];
}

/** Names of collections that a line changes. @param {string} text */
export const listChanges = text => Array.from(text.matchAll(CHANGES), ([, name = '']) => name);

/** Names that a line sets. @param {string} text */
export const listSet = text =>
  [...text.matchAll(SETS)].flatMap(found => found.slice(1).join(' ').match(/\w+/g) ?? []);
