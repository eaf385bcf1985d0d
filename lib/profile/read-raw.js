import { unescapeFolded } from './frame-text.js';
import { ProfileBuilder } from './profile-builder.js';
import { createLineReader } from './read-lines.js';

/** @import { Profile } from './profile.d.ts' */

/** One file of collapsed stacks, streamed. @param {string} file @returns {Promise<Profile>} */
export const readRaw = file => readRawSegments([{ file, startMs: null, endMs: null }]);

/**
 * The files of one recording as one profile, whose stacks share one tree. The caller omits files that py-spy could not
 * write.
 * @param {{file: string, startMs: number | null, endMs: number | null}[]} segments epoch ms
 * @param {{rateHz?: number | null, threads?: 'running' | 'all'}} [about] `all`: with samples of waiting threads
 * @returns {Promise<Profile>}
 */
export async function readRawSegments(segments, { rateHz = null, threads = 'running' } = {}) {
  const builder = new ProfileBuilder(threads);
  const parser = createRawParser(builder);
  const readLines = createLineReader((bytes, from, to) =>
    parser.addLine(bytes.toString('utf8', from, to)),
  );
  for (const { file, startMs, endMs } of segments) {
    parser.begin(builder.addSegment(startMs, endMs));
    readLines(file);
    parser.end();
  }
  return builder.build({ source: 'raw', rateHz });
}

// -- Lines of py-spy's `raw` format (collapsed stacks): `frame;frame;frame count`.

const COUNT = / (\d{1,15})$/;
/** Process and thread of a stack. A command line with quotes does not match and is read frame by frame. */
const START = /^(?:process \d+:"[^"]*";)*thread \((?:0x[\da-fA-F]+|\d+)\)(?:: [^;]*)?(?=;|$)/;
/** The companion's half-second, which differs in each line. */
const TIME = /;(\d{1,12}) \(<loadflame time>(?::\d+)?\)(?=;|$)/g;
const PROCESS_START = /process \d+:"/y;
// A command line may contain `";`: it ends where py-spy's next own frame starts.
const AFTER_COMMAND_LINE = /";(?=process \d+:"|thread \((?:0x[\da-fA-F]+|\d+)\))/g;
// A name with a line break splits its line in two. A longer text is no stack.
const MAX_TORN_CHARS = 1 << 20;

/**
 * Adds stacks to a builder, which counts torn and unreadable lines. One parser reads all files of a recording, because
 * the same stacks recur in every segment and thread and need to be parsed only once.
 * @param {ProfileBuilder} builder
 */
export function createRawParser(builder) {
  /** @type {Map<string, ReturnType<typeof builder.internStart>>} */
  const starts = new Map();
  /** @type {Map<string, ReturnType<typeof builder.internStack>>} */
  const stacks = new Map();
  let segment = -1;
  let torn = '';

  /** @param {string} text a line without its count @param {number} weight samples */
  const addStack = (text, weight) => {
    const start = START.exec(text)?.[0];
    if (start === undefined) return builder.addTextStack(splitStack(text), weight, segment);
    let halfSecond = -1;
    // The leading semicolon stays: no later frame is a process.
    const rest = text.slice(start.length).replace(TIME, (_, number) => {
      halfSecond = Number(number);
      return '';
    });
    const who = starts.get(start) ?? builder.internStart(splitStack(start));
    starts.set(start, who);
    const stack = stacks.get(rest) ?? builder.internStack(splitStack(rest).slice(1), 0);
    stacks.set(rest, stack);
    builder.addStack(who, stack, halfSecond, weight, segment);
  };

  return {
    /** A file begins. @param {number} index of the segment that its lines belong to; -1 none */
    begin(index) {
      segment = index;
    },
    /** @param {string} line */
    addLine(line) {
      const whole = torn === '' ? line : `${torn}\n${line}`;
      const count = COUNT.exec(whole);
      if (count) {
        torn = '';
        addStack(whole.slice(0, count.index), Number(count[1]));
      } else if (whole.length > MAX_TORN_CHARS) {
        torn = '';
        builder.skip();
      } else torn = whole;
    },
    /** A file ends. */
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
