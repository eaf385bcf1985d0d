import { closeSync, readSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { LoadflameError } from '../errors.js';
import { openRegularFile } from '../files/regular-file.js';
import { parseSvg } from './parse-svg.js';
import { readRaw } from './read-raw.js';

/** @import { DetectedFormat, Profile } from './profile.d.ts' */

const HEAD_BYTES = 1 << 18;
const TAIL_BYTES = 1 << 12;
// An SVG is parsed as one string, and V8's longest string has 2^29 characters.
const MAX_TEXT_BYTES = 400 * 2 ** 20;

/** @type {Record<DetectedFormat, string>} */
const LOOKS_LIKE = {
  raw: "py-spy's collapsed stacks",
  speedscope: 'a speedscope file, which is written and not read',
  'flamegraph-svg': 'a flamegraph (SVG)',
  'artillery-json': "Artillery's JSON report, which holds load and no profile",
  chrometrace: 'a Chrome trace, which mixes the stacks of different workers',
  'other-json': 'JSON of another kind',
  empty: 'an empty file',
  unknown: 'none of the formats that loadflame knows',
};

/**
 * The kind of a file, by its content.
 * @param {string} file
 * @returns {Promise<DetectedFormat>}
 * @throws {LoadflameError} PROFILE_UNREADABLE
 */
export async function detectFile(file) {
  const text = readHead(file);
  return FORMATS.find(({ test }) => test(text))?.format ?? 'unknown';
}

/**
 * Any profile that loadflame can read, recognised by its content.
 * @param {string} file
 * @returns {Promise<Profile>}
 * @throws {LoadflameError} PROFILE_UNREADABLE, PROFILE_FORMAT, PROFILE_BROKEN, PROFILE_TOO_BIG
 */
export async function readProfile(file) {
  const format = await detectFile(file);
  if (format === 'raw') return notEmpty(await readRaw(file), file, LOOKS_LIKE.raw);
  if (format === 'flamegraph-svg')
    return notEmpty(parseSvg(await readText(file), { file }), file, LOOKS_LIKE[format]);
  throw new LoadflameError('PROFILE_FORMAT', { file, looksLike: LOOKS_LIKE[format] });
}

/** @param {Profile} profile @param {string} file @param {string} format */
function notEmpty(profile, file, format) {
  if (profile.totalWeight > 0) return profile;
  throw new LoadflameError('PROFILE_BROKEN', { file, format, reason: 'it holds no samples' });
}

/** Beginning and end of a file. @param {string} file */
function readHead(file) {
  try {
    const { descriptor, size } = openRegularFile(file);
    try {
      const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
      readSync(descriptor, head, 0, head.length, 0);
      const tail = Buffer.alloc(Math.min(size - head.length, TAIL_BYTES));
      readSync(descriptor, tail, 0, tail.length, size - tail.length);
      return `${head.toString('utf8')}${tail.length > 0 ? `\n${tail.toString('utf8')}` : ''}`;
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('PROFILE_UNREADABLE', { file, reason }, { cause });
  }
}

/** @param {string} file */
async function readText(file) {
  const { size } = await stat(file);
  if (size <= MAX_TEXT_BYTES) return readFile(file, 'utf8');
  throw new LoadflameError('PROFILE_TOO_BIG', {
    file,
    megabytes: Math.round(size / 2 ** 20),
    most: MAX_TEXT_BYTES / 2 ** 20,
  });
}

// -- Detects formats by content, never by file name.

/** @type {{format: DetectedFormat, test: (text: string) => boolean}[]} most specific first */
const FORMATS = [
  { format: 'empty', test: text => text.trim() === '' },
  {
    format: 'flamegraph-svg',
    test: text => /^\s*(?:<\?xml|<!DOCTYPE svg|<svg)/.test(text) && /<svg\b/.test(text),
  },
  {
    format: 'chrometrace',
    test: text => /^\s*[[{]/.test(text) && /"ph"\s*:\s*"[A-Za-z]"/.test(text),
  },
  {
    format: 'speedscope',
    test: text =>
      /^\s*\{/.test(text) &&
      (text.includes('speedscope.app/file-format-schema.json') ||
        (/"shared"\s*:/.test(text) && /"frames"\s*:/.test(text))),
  },
  {
    format: 'artillery-json',
    test: text =>
      /^\s*\{/.test(text) &&
      /"(?:aggregate|intermediate)"\s*:\s*[{[]/.test(text) &&
      /"counters"|"rates"|"intermediate"/.test(text),
  },
  { format: 'other-json', test: text => /^\s*[{[]/.test(text) && !looksLikeStacks(text) },
  { format: 'raw', test: looksLikeStacks },
];

/** Most lines end in a count after a frame. @param {string} text */
function looksLikeStacks(text) {
  const lines = text
    .split('\n', 201)
    .filter(line => line.trim() !== '')
    .slice(0, 200);
  // the last line may be cut off
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const stacks = whole.filter(
    line => /\S \d{1,15}\r?$/.test(line) && /;|\(|^process \d+:"/.test(line),
  );
  return stacks.length > 0 && stacks.length * 2 > whole.length;
}
