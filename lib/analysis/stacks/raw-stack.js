import { unescapeFolded } from './frame-text.js';

const PROCESS_START = /process \d+:"/y;
// A command line may contain `";`: it ends where py-spy's next own frame starts.
const AFTER_COMMAND_LINE = /";(?=process \d+:"|thread \((?:0x[\da-fA-F]+|\d+)\))/g;

/**
 * A semicolon inside a command line doesn't split it.
 * @param {string} stack a line without its count
 * @returns {string[]} texts of frames, outermost first
 */
export function splitStack(stack) {
  /** @type {string[]} */
  const texts = [];
  let at = 0;
  for (;;) {
    PROCESS_START.lastIndex = at;
    if (!PROCESS_START.test(stack)) break;
    const end = findProcessEnd(stack, PROCESS_START.lastIndex);
    texts.push(stack.slice(at, end));
    at = end + 1;
  }
  if (at >= stack.length) return texts;
  for (const text of stack.slice(at).split(';')) texts.push(unescapeFolded(text));
  return texts;
}

/** @param {string} stack @param {number} from just behind the opening quote @returns {number} just behind the closing one */
function findProcessEnd(stack, from) {
  AFTER_COMMAND_LINE.lastIndex = from - 1;
  const next = AFTER_COMMAND_LINE.exec(stack);
  if (next) return next.index + 1;
  const first = stack.indexOf('";', from - 1);
  return first >= from ? first + 1 : stack.length;
}
