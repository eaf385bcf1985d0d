/**
 * Finds hooks that can't work, by reading a processor's text: it is the user's program and is run by
 * Artillery only.
 */
import { LoadflameError } from '../../../errors.js';

/**
 * A `beforeRequest` hook that assigns to its first parameter changes its own copy of the reference:
 * Artillery goes on with the object that it passed, so headers set afterwards are never sent.
 * @param {string} file name for people
 * @param {string} text
 * @param {Iterable<string>} names of the functions that scripts use as `beforeRequest`
 * @throws {LoadflameError} SCRIPT_HOOK_REASSIGNS
 */
export function checkHooks(file, text, names) {
  const code = blankOut(text);
  for (const name of names) {
    const found = findFunction(code, name);
    if (!found) continue;
    const escaped = found.parameter.replaceAll('$', '\\$');
    const assignment = new RegExp(`(?<![.\\w$])${escaped}\\s*=(?![=>])`).exec(found.body);
    if (!assignment) continue;
    const offset = found.bodyAt + assignment.index;
    const line = code.slice(0, offset).split('\n').length;
    throw new LoadflameError('SCRIPT_HOOK_REASSIGNS', {
      at: `${file}:${line}`,
      name,
      parameter: found.parameter,
    });
  }
}

/** @param {string} code @param {string} name */
function findFunction(code, name) {
  const word = name.replace(/[^\w$]/g, '').replaceAll('$', '\\$');
  if (word === '') return null;
  const start = new RegExp(
    `(?<![\\w$])(?:function\\s+${word}\\s*\\(|${word}\\s*[:=]\\s*(?:async\\s*)?(?:function\\b[^(]*)?\\(|${word}\\s*\\()\\s*([A-Za-z_$][\\w$]*)`,
    'g',
  );
  for (const match of code.matchAll(start)) {
    const open = match.index + match[0].lastIndexOf('(');
    const close = findClosing(code, open, '(', ')');
    const brace = code.indexOf('{', close);
    // A call has no body right after its parentheses.
    if (brace < 0 || !/^\)\s*(?::[^{;=]*)?(?:=>)?\s*$/.test(code.slice(close, brace))) continue;
    const end = findClosing(code, brace, '{', '}');
    return { parameter: match[1] ?? '', body: code.slice(brace, end), bodyAt: brace };
  }
  return null;
}

/** @param {string} code @param {number} from @param {string} open @param {string} close */
function findClosing(code, from, open, close) {
  let depth = 0;
  for (let i = from; i < code.length; i++) {
    if (code[i] === open) depth++;
    else if (code[i] === close && --depth === 0) return i;
  }
  return code.length;
}

/** Comments and strings become spaces, so that offsets stay. @param {string} text */
function blankOut(text) {
  const quoted =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;
  return text.replace(quoted, found => found.replace(/[^\n]/g, ' '));
}
