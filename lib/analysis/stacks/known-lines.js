/**
 * Lines of py-spy whose process and stack occurred before: the same stacks recur in every segment and thread, and need to
 * be parsed only once.
 */
import { BytesMap } from '../../base/files/bytes-map.js';
import { splitStack } from './raw-stack.js';

/** Process and thread of a stack. A command line with quotes does not match and is read frame by frame. */
const START = /^(?:process \d+:"[^"]*";)*thread \((?:0x[\da-fA-F]+|\d+)\)(?:: [^;]*)?(?=;|$)/;
/** The companion's half-second. */
const TIME_MARK = '<loadflame time>';
const TIME = /^(\d{1,12}) \(<loadflame time>(?::\d+)?\)$/;
const [SEMICOLON = 0, SPACE = 0, ZERO = 0, NINE = 0, PROCESS, THREAD] = Buffer.from('; 09pt');
const MOST_DIGITS = 12;

/**
 * @param {import('./profile-builder.js').ProfileBuilder} builder
 * @returns {(bytes: Buffer, from: number, to: number, segment: number) => boolean} adds a line; false: it is to be read
 *   as text
 */
export function createKnownLines(builder) {
  /** @type {BytesMap<ReturnType<typeof builder.internStart> | null>} */
  const starts = new BytesMap();
  /** @type {BytesMap<ReturnType<typeof builder.internStack> | null>} */
  const stacks = new BytesMap();
  const readStart = (/** @type {string} */ text) =>
    START.exec(text)?.[0] === text ? builder.internStart(splitStack(text)) : null;
  const readFrames = (/** @type {string} */ text) =>
    isPlain(text) ? builder.internStack(splitStack(text).slice(1), 0) : null;
  /** Of the start of the last line; most are as long. */
  let length = 0;
  /** The bytes that are being read. @type {Buffer | null} */
  let read = null;
  /** Where their next time is; -1: there is none. To search each line takes longer. */
  let time = -1;
  return (bytes, from, to, segment) => {
    const { count, end } = readCount(bytes, from, to);
    if (count < 0) return false;
    let split = from + length;
    let who = bytes[split] === SEMICOLON ? starts.get(bytes, from, split) : null;
    if (!who) {
      split = findStartEnd(bytes, from, end);
      if (split < 0) return false;
      who = starts.entryOf(bytes, from, split, readStart);
      length = split - from;
    }
    if (!who) return false;
    if (bytes !== read || (time >= 0 && time < split)) time = bytes.indexOf(TIME_MARK, split);
    read = bytes;
    const cut = time >= 0 && time < end ? cutTime(bytes.subarray(split, end), time - split) : null;
    const stack = cut
      ? stacks.entryOf(cut.rest, 0, cut.rest.length, readFrames)
      : stacks.entryOf(bytes, split, end, readFrames);
    if (stack) builder.addStack(who, stack, cut?.halfSecond ?? -1, count, segment);
    return stack !== null;
  };
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
 * @param {Buffer} stack @param {number} mark where its time is
 * @returns {{rest: Buffer, halfSecond: number} | null} null if it is none
 */
function cutTime(stack, mark) {
  const begin = stack.lastIndexOf(SEMICOLON, mark);
  const next = stack.indexOf(SEMICOLON, mark);
  const end = next < 0 ? stack.length : next;
  const [, number] = TIME.exec(stack.toString('utf8', begin + 1, end)) ?? [];
  if (number === undefined || begin < 0) return null;
  const rest = Buffer.concat([stack.subarray(0, begin), stack.subarray(end)]);
  return { rest, halfSecond: Number(number) };
}

/** Whether a stack is one line, and its bytes are its frames alone. @param {string} own */
const isPlain = own => !own.includes('\r') && !own.includes(TIME_MARK) && own === own.trimEnd();
