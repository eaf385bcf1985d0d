import { ProfileBuilder } from './profile-builder.js';
import { createRawParser } from './raw-parser.js';
import { createLineReader, splitLines, toChunk } from './read-lines.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */

/** Collapsed stacks that are already in memory. @param {string} text @returns {Profile} */
export function parseRaw(text) {
  const builder = new ProfileBuilder();
  const parser = createRawParser(builder);
  const chunk = toChunk(Buffer.from(text));
  const { length } = chunk.bytes;
  const rest = splitLines(chunk, parser.addBytes);
  if (rest < length) parser.addBytes(chunk, rest, length);
  parser.end();
  return builder.build({ source: 'raw' });
}

/** One file of collapsed stacks, streamed. @param {string} file @returns {Promise<Profile>} */
export const readRaw = file => readRawSegments([{ file, startMs: null, endMs: null }]);

/**
 * A chain of files of one recording as one profile: their stacks share one tree. Files that are
 * missing (a segment that py-spy could not write) are left out by the caller.
 * @param {{file: string, startMs: number | null, endMs: number | null}[]} segments epoch ms
 * @param {{rateHz?: number | null}} [about]
 * @returns {Promise<Profile>}
 */
export async function readRawSegments(segments, { rateHz = null } = {}) {
  const builder = new ProfileBuilder();
  const parser = createRawParser(builder);
  const readLines = createLineReader(parser.addBytes);
  for (const { file, startMs, endMs } of segments) {
    parser.begin(builder.addSegment(startMs, endMs));
    await readLines(file);
    parser.end();
  }
  return builder.build({ source: 'raw', rateHz });
}
