import { open, readFile } from 'node:fs/promises';
import { LoadflameError } from '../errors.js';
import { detectFormat } from './detect-format.js';
import { parseSpeedscope } from './parse-speedscope.js';
import { parseSvg } from './parse-svg.js';
import { readRaw } from './read-raw.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */

const HEAD_BYTES = 1 << 18;
const TAIL_BYTES = 1 << 12;
// JSON and SVG are parsed as one string, and V8's longest has 2^29 characters
const MAX_TEXT_BYTES = 400 * 2 ** 20;

/** @type {Record<import('./profile.d.ts').DetectedFormat, string>} */
const LOOKS_LIKE = {
  raw: "py-spy's collapsed stacks",
  speedscope: 'a speedscope file',
  'flamegraph-svg': 'a flamegraph (SVG)',
  'artillery-json': "Artillery's JSON report, which holds load and no profile",
  chrometrace: "a Chrome trace, whose stacks of different workers can't be told apart",
  'other-json': 'JSON of another kind',
  empty: 'an empty file',
  unknown: 'none of the formats that loadflame knows',
};

/**
 * What kind of file this is, by its content.
 * @param {string} file
 * @returns {Promise<import('./profile.d.ts').DetectedFormat>}
 * @throws {LoadflameError} PROFILE_UNREADABLE
 */
export async function detectFile(file) {
  return detectFormat(await readHead(file));
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
  if (format === 'speedscope') {
    const json = parseJson(await readText(file), file);
    return notEmpty(parseSpeedscope(json, { file }), file, LOOKS_LIKE.speedscope);
  }
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
async function readHead(file) {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
      await handle.read(head, 0, head.length, 0);
      const tail = Buffer.alloc(Math.min(size - head.length, TAIL_BYTES));
      await handle.read(tail, 0, tail.length, size - tail.length);
      return `${head.toString('utf8')}${tail.length > 0 ? `\n${tail.toString('utf8')}` : ''}`;
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError('PROFILE_UNREADABLE', { file, reason }, { cause });
  }
}

/** @param {string} file */
async function readText(file) {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    if (size > MAX_TEXT_BYTES)
      throw new LoadflameError('PROFILE_TOO_BIG', {
        file,
        megabytes: Math.round(size / 2 ** 20),
        most: MAX_TEXT_BYTES / 2 ** 20,
      });
  } finally {
    await handle.close();
  }
  return readFile(file, 'utf8');
}

/** @param {string} text @param {string} file @returns {unknown} */
function parseJson(text, file) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = /** @type {Error} */ (cause).message;
    throw new LoadflameError(
      'PROFILE_BROKEN',
      { file, format: LOOKS_LIKE.speedscope, reason },
      { cause },
    );
  }
}
