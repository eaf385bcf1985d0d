/** Lines of py-spy's `raw` format (collapsed stacks): `frame;frame;frame count`. */
import { unescapeFolded } from './frame-text.js';

const COUNT = / (\d{1,15})$/;
const PROCESS_START = /process \d+:"/y;
// a command line may hold `";` itself: it ends where py-spy's next own frame starts
const AFTER_COMMAND_LINE = /";(?=process \d+:"|thread \((?:0x[\da-fA-F]+|\d+)\))/g;
// a name with a line break tears its line in two; what grows longer than this is no stack
const MAX_TORN_CHARS = 1 << 20;

/**
 * Adds what is read to a builder; torn and unreadable lines are counted there.
 * @param {import('./profile-builder.js').ProfileBuilder} builder
 * @param {number} [segment] index of the segment that the lines belong to
 * @returns {{addLine: (line: string) => void, end: () => void}}
 */
export function createRawParser(builder, segment = -1) {
  let torn = '';
  return {
    addLine(line) {
      const whole = torn === '' ? line : `${torn}\n${line}`;
      const count = COUNT.exec(whole);
      if (count) {
        torn = '';
        builder.addTextStack(splitStack(whole.slice(0, count.index)), Number(count[1]), segment);
      } else if (whole.length > MAX_TORN_CHARS) {
        torn = '';
        builder.skip();
      } else torn = whole;
    },
    end() {
      if (torn.trim() !== '') builder.skip();
      torn = '';
    },
  };
}

/**
 * A semicolon inside a command line doesn't split it.
 * @param {string} stack a line without its count
 * @returns {string[]} texts of frames, outermost first
 */
function splitStack(stack) {
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
  if (first >= from) return first + 1;
  return stack.length;
}
