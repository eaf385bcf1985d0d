import { createKnownLines } from './known-lines.js';
import { ProfileBuilder } from './profile-builder.js';
import { splitStack } from './raw-stack.js';
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
// A name with a line break splits its line in two. A longer text is no stack.
const MAX_TORN_CHARS = 1 << 20;

/**
 * Adds stacks to a builder, which counts torn and unreadable lines. One parser reads all files of a recording, because
 * the same stacks recur in every segment and thread and need to be parsed only once.
 * @param {ProfileBuilder} builder
 */
export function createRawParser(builder) {
  const addKnown = createKnownLines(builder);
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
    builder.addTextStack(splitStack(text), count / (intervalUs ?? 1), segment);
  };

  return {
    rateHz: () => intervalUs && 1e6 / intervalUs,
    /** A file begins. @param {number} index of the segment that its lines belong to; -1 none */
    begin(index) {
      segment = index;
    },
    /**
     * Adds a line by its bytes, where its process and its stack occurred before.
     * @param {Buffer} bytes @param {number} from @param {number} to
     * @returns {boolean} false: it is to be read as text
     */
    addKnown: (bytes, from, to) =>
      torn === '' && intervalUs === null && !isOfMemory && addKnown(bytes, from, to, segment),
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
