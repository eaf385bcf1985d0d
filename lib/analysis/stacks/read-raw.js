import { BytesMap } from '../../base/files/bytes-map.js';
import { unescapeFolded } from './frame-text.js';
import { ProfileBuilder } from './profile-builder.js';
import { createLineReader } from './read-lines.js';

/** @import { Profile } from './profile.d.ts' */

/**
 * The files of one recording as one profile, whose stacks share one tree. The caller omits files that py-spy could not
 * write.
 * @param {{file: string, bytes?: Buffer | null, startMs: number | null, endMs: number | null}[]} segments epoch ms;
 *   `bytes`: its text, where it is packed or has another encoding
 * @param {{rateHz?: number | null, threads?: 'running' | 'all'}} [about] `all`: with samples of waiting threads
 * @returns {Promise<Profile>}
 */
export async function readRawSegments(segments, { rateHz = null, threads = 'running' } = {}) {
  const builder = new ProfileBuilder(threads);
  const parser = createRawParser(builder);
  const readLines = createLineReader((bytes, from, to) => {
    if (parser.addKnown(bytes, from, to)) return;
    const line = bytes.toString('utf8', from, to);
    // Old Macs end lines so.
    if (line.includes('\r')) line.split('\r').forEach(parser.addLine);
    else parser.addLine(line);
  });
  for (const { file, bytes, startMs, endMs } of segments) {
    parser.begin(builder.addSegment(startMs, endMs));
    readLines(bytes ?? file);
    parser.end();
  }
  return builder.build({ source: 'raw', rateHz: rateHz ?? parser.rateHz() });
}

// -- Lines of py-spy's `raw` format (collapsed stacks): `frame;frame;frame count`.

const COUNT = /[ \t](\d+)$/;
/** A fraction, a negative or a rounded number, or several: not a number of samples. */
const OTHER_COUNT = /[ \t][-+]?[\d.][-+\d.,e]*$/i;
/** Of Austin's, whose counts are microseconds. */
const HEADER = /^# (\w+): *(.*)$/;
/** Its process and thread, before which some versions name the interpreter. */
const AUSTIN = /^P(\d+);T(?:\d+:)?(0x[\da-f]+|\d+)(?=;|$)/i;
const TACHYON = /^tid:(\d+)(?=;|$)/;
/** Austin's default. */
const INTERVAL_US = 100;
/** Process and thread of a stack. A command line with quotes does not match and is read frame by frame. */
const START = /^(?:process \d+:"[^"]*";)*thread \((?:0x[\da-fA-F]+|\d+)\)(?:: [^;]*)?(?=;|$)/;
/** The companion's half-second. */
const TIME_MARK = ' (<loadflame time>';
const TIME = /^(\d{1,12}) \(<loadflame time>(?::\d+)?\)$/;
const [SEMICOLON = 0, SPACE = 0, ZERO = 0, NINE = 0, PROCESS, THREAD] = Buffer.from('; 09pt');
const MOST_DIGITS = 12;
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
  /** @type {BytesMap<ReturnType<typeof builder.internStart> | null>} */
  const starts = new BytesMap();
  /** @type {BytesMap<ReturnType<typeof builder.internStack> | null>} */
  const stacks = new BytesMap();
  let segment = -1;
  let torn = '';
  /** @type {number | null} null unless it is a file of Austin's */
  let intervalUs = null;
  let isOfMemory = false;

  /** @param {string} line without its count @param {number} count */
  const addStack = (line, count) => {
    const isAustin = AUSTIN.test(line);
    if (isAustin) intervalUs ??= INTERVAL_US;
    const text = isAustin
      ? line.replace(AUSTIN, 'process $1:"";thread ($2)')
      : line.replace(TACHYON, 'thread ($1)');
    const weight = count / (intervalUs ?? 1);
    builder.addTextStack(splitStack(text), weight, segment);
  };

  return {
    rateHz: () => intervalUs && 1e6 / intervalUs,
    /** A file begins. @param {number} index of the segment that its lines belong to; -1 none */
    begin(index) {
      segment = index;
    },
    /**
     * Adds a line as its bytes where its process and its stack occurred before.
     * @param {Buffer} bytes @param {number} from @param {number} to
     * @returns {boolean} false: it is to be read as text
     */
    addKnown(bytes, from, to) {
      if (torn !== '' || intervalUs !== null || isOfMemory) return false;
      const { count, end } = readCount(bytes, from, to);
      const split = findStartEnd(bytes, from, end);
      if (count < 0 || split < 0) return false;
      const who = starts.entryOf(bytes, from, split, text =>
        START.exec(text)?.[0] === text ? builder.internStart(splitStack(text)) : null,
      );
      if (!who) return false;
      const { rest, halfSecond } = cutTime(bytes.subarray(split, end));
      const stack = stacks.entryOf(rest, 0, rest.length, text =>
        isPlain(text) ? builder.internStack(splitStack(text).slice(1), 0) : null,
      );
      if (!stack) return false;
      builder.addStack(who, stack, halfSecond, count, segment);
      return true;
    },
    /** @param {string} line */
    addLine(line) {
      const [, name, value = ''] = (torn === '' && HEADER.exec(line)) || [];
      if (name === 'interval') intervalUs = Number(value) || INTERVAL_US;
      if (name === 'mode' && !/^(?:wall|cpu)/.test(value)) {
        isOfMemory = true;
        builder.skip(line);
      }
      if (name) return;
      const whole = torn === '' ? line : `${torn}\n${line}`;
      // Of a long line only its end: each blank in it would be tried.
      const count = COUNT.exec(line.slice(-24));
      const isCount = count && Number.isSafeInteger(Number(count[1])) && !isOfMemory;
      const isOther = !isCount && (count || OTHER_COUNT.test(line));
      if (isOther || (!count && whole.length > MAX_TORN_CHARS)) {
        torn = '';
        builder.skip(whole);
      } else if (count) {
        torn = '';
        addStack(whole.slice(0, -count[0].length).trimEnd(), Number(count[1]));
      } else if (torn !== '' || line.trim() !== '') torn = whole;
    },
    /** A file ends. */
    end() {
      if (torn !== '') builder.skip(torn);
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
  return first >= from ? first + 1 : stack.length;
}

/**
 * The number of samples at the end of a line; -1 where only its text shows what it is.
 * @param {Buffer} bytes @param {number} from @param {number} to
 * @returns {{count: number, end: number}} `end`: of its stack
 */
function readCount(bytes, from, to) {
  let [at, count, unit] = [to - 1, 0, 1];
  for (; at > from && to - at <= MOST_DIGITS; at--, unit *= 10) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    count += (byte - ZERO) * unit;
  }
  const isCount = at < to - 1 && bytes[at] === SPACE && (bytes[at - 1] ?? 0) > SPACE;
  return { count: isCount ? count : -1, end: at };
}

/**
 * Where the frames of a line begin, behind its processes and its thread.
 * @param {Buffer} bytes @param {number} from @param {number} to
 * @returns {number} -1 where it names none
 */
function findStartEnd(bytes, from, to) {
  if (bytes[from] !== PROCESS && bytes[from] !== THREAD) return -1;
  let isThread = bytes[from] === THREAD;
  for (let at = from; at < to; at++) {
    if (bytes[at] !== SEMICOLON) continue;
    if (isThread) return at;
    isThread = bytes[at + 1] === THREAD;
  }
  return isThread ? to : -1;
}

/**
 * A stack without the companion's half-second, which differs in each line.
 * @param {Buffer} stack
 * @returns {{rest: Buffer, halfSecond: number}} -1 without one
 */
function cutTime(stack) {
  const mark = stack.indexOf(TIME_MARK);
  if (mark < 0) return { rest: stack, halfSecond: -1 };
  const begin = stack.lastIndexOf(SEMICOLON, mark);
  const next = stack.indexOf(SEMICOLON, mark);
  const end = next < 0 ? stack.length : next;
  const [, number] = TIME.exec(stack.toString('utf8', begin + 1, end)) ?? [];
  if (number === undefined || begin < 0) return { rest: stack, halfSecond: -1 };
  const rest = Buffer.concat([stack.subarray(0, begin), stack.subarray(end)]);
  return { rest, halfSecond: Number(number) };
}

/** Whether a stack is one line, and its bytes are its frames alone. @param {string} text */
const isPlain = text =>
  !text.includes('\r') && !text.includes(TIME_MARK) && text === text.trimEnd();
