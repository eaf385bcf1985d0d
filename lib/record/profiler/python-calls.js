/** Finds what each line of a Python file calls. Tokens are enough, and need neither the target nor its Python. */

/**
 * @typedef {object} PythonLine
 * @property {string} scope the function that contains it; '' at module level
 * @property {boolean} inLoop inside a `for` of that function
 * @property {boolean} repeats `inLoop`, or it contains a comprehension
 * @property {string[]} touches attributes in the middle of a chain (`order.customer.name`: `customer`); if none, all
 * @property {string[]} calls with the module if it is imported (`orjson.dumps`), else the method alone (`execute`);
 *   `<call>` if the callee has no name, `__enter__` for `with lock:`, nothing for functions of the same file. A `*`
 *   marks what runs for each element of a comprehension; `<work>*` there is work without a call.
 * @property {{method: string, from: number} | null} logs part of a statement that is only a call of a logger; `from`: its first line
 */

/** @typedef {{text: string, line: number, isName: boolean}} Token */
/** @typedef {{indent: number, tokens: Token[]}} Statement */

/** A string without an end takes the rest: each of its quotes would search to the end again. */
export const TOKEN =
  /([rbuft]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|$)|'''(?:\\.|[^\\])*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(#[^\n]*|[ \t\f\r]+|\\\r?\n)|([\p{L}_][\p{L}\p{N}_]*)|\d[\w.]*|./gisu;
/** Words that may precede a bracket and are no functions. */
const KEYWORDS = new Set(
  (
    'and as assert async await case del elif else except finally for from if in is lambda match not or ' +
    'raise return while with yield'
  ).split(' '),
);
/** Words that begin a statement: an open bracket before one was misread. */
const BEGINNERS = new Set(['def', 'class', 'return', 'import', 'while', 'with', 'try']);
const DEFINITION = /^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+([\p{L}\p{N}_]+)/gmu;
/** Of messages that a level may drop. */
const LOG_CALL = /^(?:\w+ \. )*(\w+) \. (trace|debug|info|log) \(/;
const OPERATOR = /^(?:[-+*/%@&|^~<>!]|[rb]?[ft][rb]?["'])/i;
const WORK = '<work>';

/**
 * @param {string} source
 * @returns {Map<number, PythonLine>} line number → line, without empty ones; default arguments and decorators belong
 *   to the scope around their function
 */
export function readPythonLines(source) {
  /** @type {Map<number, PythonLine>} */
  const lines = new Map();
  /** Full name of each name; '' if the file defines it. @type {Map<string, string>} */
  const names = new Map(Array.from(source.matchAll(DEFINITION), ([, name = '']) => [name, '']));
  /** Blocks around a statement; `name` null: a loop. @type {{indent: number, name: string | null}[]} */
  let blocks = [];
  for (const { indent, tokens } of splitStatements(source)) {
    const start = tokens[0]?.text === 'async' ? 1 : 0;
    const [first, second] = [tokens[start]?.text ?? '', tokens[start + 1]?.text ?? ''];
    blocks = blocks.filter(block => block.indent < indent);
    const inner = blocks.findLastIndex(({ name }) => name !== null);
    const logs = findLogCall(tokens);
    for (const { line } of tokens)
      if (!lines.has(line)) {
        const scope = blocks[inner]?.name ?? '';
        const inLoop = inner < blocks.length - 1;
        const repeats = inLoop || tokens.slice(start + 1).some(({ text }) => text === 'for');
        const touches = listTouches(tokens.filter(token => token.line === line));
        lines.set(line, { scope, inLoop, repeats, touches, calls: [], logs });
      }
    if (first === 'import' || first === 'from') addImports(tokens, names);
    else addCalls(tokens, names, line => lines.get(line)?.calls ?? []);
    // `with lock:` is a call without brackets; a function of the same file that returns the lock has its own frame.
    const { calls = null } = lines.get(tokens[0]?.line ?? -1) ?? {};
    if (first === 'with' && calls?.length === 0) calls.push('__enter__');
    if (first === 'def' || first === 'class') blocks.push({ indent, name: second });
    if (first === 'for') blocks.push({ indent, name: null });
  }
  return lines;
}

/** `self.log.debug(…)`, by the name of the object. @param {Token[]} tokens of a statement @returns {PythonLine['logs']} */
function findLogCall(tokens) {
  const texts = tokens.map(({ text }) => text);
  const [, receiver = '', method = ''] = LOG_CALL.exec(texts.join(' ')) ?? [];
  let depth = 0;
  const end = texts.findIndex(text => {
    depth += Number('([{'.includes(text)) - Number(')]}'.includes(text));
    return depth === 0 && text === ')';
  });
  const isOne = /log/i.test(receiver) && end === texts.length - 1;
  return isOne ? { method, from: tokens[0]?.line ?? 0 } : null;
}

/** @param {Token[]} tokens of a line */
function listTouches(tokens) {
  const texts = tokens.map(({ text }) => text);
  const all = tokens.flatMap(({ text, isName }, at) =>
    isName && texts[at - 1] === '.' && texts[at + 1] !== '(' ? [{ text, at }] : [],
  );
  const middle = all.filter(({ at }) => texts[at + 1] === '.');
  return [...new Set((middle.length > 0 ? middle : all).map(({ text }) => text))];
}

/**
 * Splits source into statements, each with all its lines, without comments.
 * @param {string} source @returns {Generator<Statement, void>}
 */
export function* splitStatements(source) {
  let [line, lineStart, depth] = [1, 0, 0];
  let indent = 0;
  /** @type {Token[]} */
  let tokens = [];
  for (const { 0: text, 1: string, 2: blank, 3: name, index } of source.matchAll(TOKEN)) {
    if (text !== '\n' && !blank) {
      const isFirst = source.slice(lineStart, index).trim() === '';
      if (tokens.length > 0 && isFirst && depth > 0 && BEGINNERS.has(text)) {
        yield { indent, tokens };
        [tokens, depth] = [[], 0];
      }
      if (tokens.length === 0) indent = index - lineStart;
      tokens.push({ text, line, isName: name !== undefined });
      if ('([{'.includes(text)) depth++;
      if (')]}'.includes(text)) depth = Math.max(0, depth - 1);
    }
    if (text === '\n' || string || blank) {
      const breaks = text.split('\n').length - 1;
      line += breaks;
      if (breaks > 0) lineStart = index + text.lastIndexOf('\n') + 1;
    }
    if (text === '\n' && depth === 0 && tokens.length > 0) {
      yield { indent, tokens };
      tokens = [];
    }
  }
  if (tokens.length > 0) yield { indent, tokens };
}

/** `import a.b as c`, `from m import (x as y, z)`. @param {Token[]} tokens @param {Map<string, string>} names to fill */
export function addImports(tokens, names) {
  const texts = tokens.map(({ text }) => text).filter(text => !'()'.includes(text));
  const at = texts.indexOf('import');
  const module = texts.slice(1, at).join('').replace(/^\.+/, '');
  const parts = texts
    .slice(at + 1)
    .join(' ')
    .split(' , ');
  for (const part of parts) {
    const [name = '', alias] = part.replaceAll(' . ', '.').split(' as ');
    const whole = module === '' ? name : `${module}.${name}`;
    if (alias || texts[0] === 'from') names.set(alias ?? name, whole);
    else names.set(name.replace(/\..*/, ''), name.replace(/\..*/, ''));
  }
}

/**
 * @param {Token[]} tokens of a statement
 * @param {ReadonlyMap<string, string>} names
 * @param {(line: number) => string[]} callsOf the calls of a line: this adds to them
 */
function addCalls(tokens, names, callsOf) {
  /** Open brackets; `phase`: 0 maybe the element of a comprehension, 1 its iterable, 2 its conditions.
   * @type {{line: number, phase: 0 | 1 | 2, works: boolean, calls: {calls: string[], index: number}[]}[]} */
  const brackets = [];
  const repeat = (/** @type {{calls: string[], index: number}} */ { calls, index }) => {
    if (!calls[index]?.endsWith('*')) calls[index] += '*';
  };
  tokens.forEach(({ text, line }, index) => {
    const top = brackets.at(-1);
    if (text === '(') {
      const name = nameCallee(tokens, index, names);
      if (name !== null) {
        const calls = callsOf(tokens[index - 1]?.line ?? line);
        const call = { calls, index: calls.push(name) - 1 };
        for (const { phase, calls: ofElement } of brackets) {
          if (phase === 0) ofElement.push(call);
          if (phase === 2) repeat(call);
        }
      }
    }
    if ('([{'.includes(text)) brackets.push({ line, phase: 0, works: false, calls: [] });
    else if (')]}'.includes(text)) brackets.pop();
    else if (text === 'for' && top) {
      top.calls.forEach(repeat);
      if (top.works || top.phase > 0)
        for (let at = top.line; at <= line; at++) callsOf(at).push(`${WORK}*`);
      top.phase = top.phase === 0 ? 1 : 2;
    } else if (text === 'if' && top?.phase === 1) top.phase = 2;
    else if (OPERATOR.test(text))
      for (const bracket of brackets) {
        if (bracket.phase === 0) bracket.works = true;
        if (bracket.phase === 2) callsOf(line).push(`${WORK}*`);
      }
  });
}

/** @param {Token[]} tokens @param {number} open index of a `(` @param {ReadonlyMap<string, string>} names @returns {string | null} null: it calls nothing, or a function of the file */
function nameCallee(tokens, open, names) {
  let at = open - 1;
  const last = tokens[at];
  if (last && ')]'.includes(last.text)) return '<call>';
  const before = tokens[at - 1]?.text ?? '';
  if (!last?.isName || before === 'def' || before === 'class') return null;
  if (before !== '.' && KEYWORDS.has(last.text)) return null;
  const parts = [last.text];
  for (; tokens[at - 1]?.text === '.' && tokens[at - 2]?.isName; at -= 2)
    parts.unshift(tokens[at - 2]?.text ?? '');
  const known = tokens[at - 1]?.text === '.' ? undefined : names.get(parts[0] ?? '');
  if (known === '' && parts.length === 1) return null;
  if (parts[0] === 'self' && parts.length === 2 && names.get(last.text) === '') return null;
  return known ? [known, ...parts.slice(1)].join('.') : last.text;
}
