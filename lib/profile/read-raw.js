import { unescapeFolded } from './frame-text.js';
import { KnownStacks } from './known-stacks.js';
import { ProfileBuilder } from './profile-builder.js';
import { createLineReader } from './read-lines.js';

/** @import { Profile } from './profile.d.ts' */
/** @import { Chunk } from './read-lines.js' */

/** One file of collapsed stacks, streamed. @param {string} file @returns {Promise<Profile>} */
export const readRaw = file => readRawSegments([{ file, startMs: null, endMs: null }]);

/**
 * A chain of files of one recording as one profile: their stacks share one tree. Files that are
 * missing (a segment that py-spy could not write) are left out by the caller.
 * @param {{file: string, startMs: number | null, endMs: number | null}[]} segments epoch ms
 * @param {{rateHz?: number | null, threads?: 'running' | 'all'}} [about] `all`: samples of threads that wait, too
 * @returns {Promise<Profile>}
 */
export async function readRawSegments(segments, { rateHz = null, threads = 'running' } = {}) {
  const builder = new ProfileBuilder(threads);
  const parser = createRawParser(builder);
  const readLines = createLineReader(parser.addBytes);
  for (const { file, startMs, endMs } of segments) {
    parser.begin(builder.addSegment(startMs, endMs));
    readLines(file);
    parser.end();
  }
  return builder.build({ source: 'raw', rateHz });
}

// -- Lines of py-spy's `raw` format (collapsed stacks): `frame;frame;frame count`.

const COUNT = / (\d{1,15})$/;
const PROCESS_START = /process \d+:"/y;
// a command line may hold `";` itself: it ends where py-spy's next own frame starts
const AFTER_COMMAND_LINE = /";(?=process \d+:"|thread \((?:0x[\da-fA-F]+|\d+)\))/g;
// a name with a line break tears its line in two; what grows longer than this is no stack
const MAX_TORN_CHARS = 1 << 20;

const [SPACE, ZERO, NINE] = [32, 48, 57];
const MAX_DIGITS = 15;

/**
 * Adds what is read to a builder; torn and unreadable lines are counted there. One parser reads all
 * files of a recording, because stacks recur.
 * @param {ProfileBuilder} builder
 */
export function createRawParser(builder) {
  const stacks = new KnownStacks(builder, splitStack);
  let segment = -1;
  let torn = '';

  /** @param {string} line */
  const addLine = line => {
    const whole = torn === '' ? line : `${torn}\n${line}`;
    const count = COUNT.exec(whole);
    if (count) {
      torn = '';
      builder.addTextStack(splitStack(whole.slice(0, count.index)), Number(count[1]), segment);
    } else if (whole.length > MAX_TORN_CHARS) {
      torn = '';
      builder.skip();
    } else torn = whole;
  };

  return {
    /** A file begins. @param {number} index of the segment that its lines belong to; -1 none */
    begin(index) {
      segment = index;
    },
    addLine,
    /**
     * A line as bytes.
     * @param {Chunk} chunk
     * @param {number} from
     * @param {number} to
     */
    addBytes(chunk, from, to) {
      const { bytes } = chunk;
      let [at, count, factor] = [to, 0, 1];
      for (; at > from && to - at <= MAX_DIGITS; at--, factor *= 10) {
        const digit = bytes[at - 1] ?? 0;
        if (digit < ZERO || digit > NINE) break;
        count += (digit - ZERO) * factor;
      }
      const isCounted = at < to && to - at <= MAX_DIGITS && at > from && bytes[at - 1] === SPACE;
      if (torn === '' && isCounted) stacks.add(chunk, from, at - 1, count, segment);
      else addLine(bytes.toString('utf8', from, to));
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
