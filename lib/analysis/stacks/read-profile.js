import { LoadflameError, orThrow } from '../../base/errors.js';
import { ARTILLERY, detectFormat, RAW, SPEEDSCOPE, SVG } from '../../base/files/detect-format.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { parseSpeedscope } from './parse-speedscope.js';
import { parseSvg } from './parse-svg.js';
import { readRawSegments } from './read-raw.js';

/** @import { Detected } from '../../base/files/detect-format.js' */
/** @import { Profile } from './profile.d.ts' */

/** With more of its entries unreadable, a file is of another kind. */
const MOST_SKIPPED = 0.5;

/**
 * What wrote a file, by its content.
 * @param {string} file
 * @returns {Detected & {isLoad: boolean}} `isLoad`: Artillery's JSON report
 * @throws {LoadflameError} PROFILE_UNREADABLE
 */
export function detectFile(file) {
  const detected = orThrow('PROFILE_UNREADABLE', { file }, () => detectFormat(file));
  return { ...detected, isLoad: detected.looksLike === ARTILLERY };
}

/**
 * Any profile that loadflame can read, recognised by its content.
 * @param {string} file
 * @param {Detected} [detected] by `detectFile`
 * @returns {Promise<Profile>}
 * @throws {LoadflameError} PROFILE_UNREADABLE, PROFILE_FORMAT, PROFILE_BROKEN
 */
export async function readProfile(file, { looksLike, bytes } = detectFile(file)) {
  if (looksLike === RAW)
    return check(await readRawSegments([{ file, bytes, startMs: null, endMs: null }]), file, RAW);
  const parse = looksLike === SVG ? parseSvg : looksLike === SPEEDSCOPE ? parseSpeedscope : null;
  if (!parse) throw new LoadflameError('PROFILE_FORMAT', { file, looksLike });
  const text =
    bytes?.toString() ?? orThrow('PROFILE_UNREADABLE', { file }, () => readRegularFile(file));
  return check(parse(text, { file }), file, looksLike);
}

/**
 * @param {Profile} profile
 * @param {string} file
 * @param {string} format
 */
function check(profile, file, format) {
  const { totalWeight, entries, skipped, firstSkipped } = profile;
  const broken = (/** @type {string} */ reason) =>
    new LoadflameError('PROFILE_BROKEN', { file, format, reason });
  if (skipped > entries * MOST_SKIPPED)
    throw broken(
      `${skipped} of its ${entries} entries have no whole number of samples or an unknown form, the first "${firstSkipped}"`,
    );
  if (totalWeight > Number.MAX_SAFE_INTEGER) throw broken('its counts add up to more than 2^53');
  if (totalWeight > 0) return profile;
  throw broken('it holds no samples');
}
