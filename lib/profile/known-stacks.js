/**
 * The same stacks recur in every segment of a recording, and in every thread. What a line says of
 * process and thread, and the rest of it, are each parsed once and known again by their bytes.
 */
import { TextIndex } from './text-index.js';

/** @import { ProfileBuilder, StackStart } from './profile-builder.js' */
/** @import { Chunk } from './read-lines.js' */

const THREAD = Buffer.from(';thread (');
/** The companion's half-second is another one in each line: it is read apart. */
const TIME = Buffer.from(' (<loadflame time>');
const [SEMICOLON, COLON, CLOSING, ZERO, NINE] = [59, 58, 41, 48, 57];
const MAX_DIGITS = 12;

/** @typedef {ReturnType<ProfileBuilder['internStack']>} Stack */

export class KnownStacks {
  #builder;
  /** @type {(stack: string) => string[]} */
  #split;
  #startIndex = new TextIndex();
  /** @type {(StackStart | null)[]} null: a line that begins like this must be read as a whole */
  #starts = [];
  #stackIndex = new TextIndex();
  /** @type {Stack[]} */
  #stacks = [];
  /** Of the start that was read last: mostly the next one is as long. */
  #startLength = 0;
  #hasTimes = false;
  #nextThread = createFinder(THREAD);
  #nextTime = createFinder(TIME);

  /**
   * @param {ProfileBuilder} builder
   * @param {(stack: string) => string[]} split a line without its count into texts of frames
   */
  constructor(builder, split) {
    this.#builder = builder;
    this.#split = split;
  }

  /**
   * Adds a line without its count.
   * @param {Chunk} chunk in which it stands
   * @param {number} from
   * @param {number} to
   * @param {number} weight samples
   * @param {number} segment index
   */
  add(chunk, from, to, weight, segment) {
    const { bytes } = chunk;
    const guess = from + this.#startLength;
    let startTo = guess;
    let start = this.#guessStart(chunk, from, guess, to);
    if (!start) {
      const thread = this.#nextThread(bytes, from);
      if (thread < 0 || thread >= to) return this.#addWhole(bytes, from, to, weight, segment);
      const end = bytes.indexOf(SEMICOLON, thread + THREAD.length);
      startTo = end < 0 || end > to ? to : end;
      start = this.#findStart(chunk, from, startTo);
      if (!start) return this.#addWhole(bytes, from, to, weight, segment);
      this.#startLength = startTo - from;
    }
    const rest = Math.min(startTo + 1, to);
    const time = this.#hasTimes ? this.#nextTime(bytes, rest) : -1;
    if (time < 0 || time >= to) {
      const stack = this.#findStack(chunk, this.#stackIndex.intern(chunk.view, rest, to), rest, to);
      return this.#builder.addStack(start, stack, stack.halfSecond, weight, segment);
    }
    const { halfSecond, digits, behind } = readTime(bytes, rest, time, to);
    const another = this.#nextTime(bytes, time + TIME.length);
    if (halfSecond < 0 || (another >= 0 && another < to))
      return this.#addWhole(bytes, from, to, weight, segment);
    const index = this.#stackIndex.internWithout(chunk.view, rest, digits, behind, to);
    const stack = this.#findStack(chunk, index, rest, to);
    this.#builder.addStack(start, stack, halfSecond, weight, segment);
  }

  /**
   * A known start that ends where the one before did: what is searched for is searched for in its bytes.
   * @param {Chunk} chunk @param {number} from @param {number} guess @param {number} to
   */
  #guessStart({ bytes, view }, from, guess, to) {
    if (guess >= to || bytes[guess] !== SEMICOLON) return null;
    return this.#starts[this.#startIndex.find(view, from, guess)] ?? null;
  }

  /** @param {Chunk} chunk @param {number} from @param {number} to @returns {StackStart | null} */
  #findStart({ bytes, view }, from, to) {
    const index = this.#startIndex.intern(view, from, to);
    const known = this.#starts[index];
    if (known !== undefined) return known;
    const text = bytes.toString('utf8', from, to);
    const texts = this.#split(text);
    const start = this.#builder.internStart(texts);
    // A command line may hold what looks like the frame of a thread: the frames go on behind it.
    const isWhole = start.thread >= 0 && start.length === texts.length;
    this.#starts[index] = isWhole ? start : null;
    return isWhole ? start : null;
  }

  /** @param {Chunk} chunk @param {number} index @param {number} from of the first frame @param {number} to */
  #findStack({ bytes }, index, from, to) {
    const known = this.#stacks[index];
    if (known) return known;
    // The semicolon in front: no frame from here on is a process.
    const texts = from < to ? this.#split(`;${bytes.toString('utf8', from, to)}`).slice(1) : [];
    const stack = this.#builder.internStack(texts, 0);
    if (stack.halfSecond >= 0) this.#hasTimes = true;
    this.#stacks[index] = stack;
    return stack;
  }

  /** @param {Buffer} bytes @param {number} from @param {number} to @param {number} weight @param {number} segment */
  #addWhole(bytes, from, to, weight, segment) {
    this.#builder.addTextStack(this.#split(bytes.toString('utf8', from, to)), weight, segment);
  }
}

/**
 * Where a text stands next; what is not there is searched for once per chunk, not once per line.
 * @param {Buffer} text
 */
function createFinder(text) {
  /** @type {Buffer | null} */
  let last = null;
  let [searchedFrom, found] = [0, 0];
  return (/** @type {Buffer} */ bytes, /** @type {number} */ from) => {
    if (bytes !== last || from < searchedFrom || (found >= 0 && found < from)) {
      last = bytes;
      searchedFrom = from;
      found = bytes.indexOf(text, from);
    }
    return found;
  };
}

/**
 * The frame of a half-second: `3590422210 (<loadflame time>)`, or `…:1)`, then the end of the frame.
 * @param {Buffer} bytes
 * @param {number} from of the first frame
 * @param {number} time behind the digits
 * @param {number} to
 * @returns {{halfSecond: number, digits: number, behind: number}} -1: another frame; where the digits
 *   begin, and where the next frame does
 */
function readTime(bytes, from, time, to) {
  let [digits, halfSecond, factor] = [time, 0, 1];
  for (; digits > from && time - digits < MAX_DIGITS && isDigit(bytes[digits - 1]); digits--) {
    halfSecond += ((bytes[digits - 1] ?? 0) - ZERO) * factor;
    factor *= 10;
  }
  let behind = time + TIME.length;
  if (bytes[behind] === COLON) for (behind++; isDigit(bytes[behind]); behind++);
  const isFrame =
    digits < time &&
    (digits === from || bytes[digits - 1] === SEMICOLON) &&
    bytes[behind] === CLOSING &&
    (behind + 1 === to || bytes[behind + 1] === SEMICOLON);
  return { halfSecond: isFrame ? halfSecond : -1, digits, behind: behind + 1 };
}

/** @param {number | undefined} byte */
function isDigit(byte) {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
