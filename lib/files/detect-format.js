/** Detects what wrote a file, by its content and never by its name. */
import { closeSync, readSync } from 'node:fs';
import { findMark, openRegularFile, readRegularFile, refusePacked } from './regular-file.js';

const HEAD_BYTES = 1 << 18;

export const RAW = 'collapsed stacks';
export const SVG = 'a flamegraph (SVG)';
export const SPEEDSCOPE = 'a speedscope file';
export const ARTILLERY = "Artillery's JSON report";

/** Most specific first. @type {[looksLike: string, test: {test(text: string): boolean}][]} */
const FORMATS = [
  ['an empty file', /^\s*$/],
  ['perf.data (`perf script | stackcollapse-perf.pl` writes stacks)', /^PERFILE2/],
  ["memray's recording of memory, which has no CPU time", /^memray/],
  ["Austin's binary format (`mojo2austin` writes stacks)", /^MOJ/],
  // a dictionary of `marshal` whose first key is a tuple
  ["cProfile's statistics (pstats), which have no stacks", /^[{\ufffd][()\ufffd][^ \n"]/],
  [SVG, /^\s*(?=<\?xml|<!DOCTYPE svg|<svg)[\s\S]*<svg\b/],
  ['an HTML page (most profilers also write collapsed stacks)', /^\s*<(?:!doctype html|html)\b/i],
  ['a Chrome trace, which mixes the stacks of workers', /^\s*[[{][\s\S]*"ph"\s*:\s*"[A-Za-z]"/],
  [SPEEDSCOPE, /^\s*\{[\s\S]*(?:speedscope\.app\/file-format|"shared"\s*:\s*\{\s*"frames")/],
  ["pyinstrument's JSON (`-r speedscope` writes stacks)", /^\s*\{[\s\S]*"root_frame"\s*:/],
  ["Scalene's JSON, which has no stacks", /^\s*\{[\s\S]*"elapsed_time_sec"\s*:/],
  [ARTILLERY, /^\s*\{[\s\S]*"(?:aggregate|intermediate)"\s*:\s*[{[]/],
  [RAW, { test: looksLikeStacks }],
  ['JSON of another kind', /^\s*[{[]/],
  ['a binary file, such as pprof', /\0/],
  ['the output of `perf script` (see stackcollapse-perf.pl)', /^[ \t]+[\da-f]{6,16} .+\)$/m],
  ['none of the formats that loadflame knows', /^/],
];

/** `bytes`: the text of a file that is packed or has another encoding; null: it is to be streamed @typedef {{looksLike: string, bytes: Buffer | null}} Detected */

/**
 * @param {string} file
 * @returns {Detected}
 * @throws {Error} as `readRegularFile`
 */
export function detectFormat(file) {
  const { descriptor } = openRegularFile(file);
  const start = Buffer.alloc(HEAD_BYTES);
  const length = readSync(descriptor, start, 0, HEAD_BYTES, 0);
  closeSync(descriptor);
  refusePacked(start);
  const bytes = findMark(start) === null ? null : Buffer.from(readRegularFile(file));
  const text = (bytes ?? start.subarray(0, length)).toString('utf8', 0, HEAD_BYTES);
  return { looksLike: FORMATS.find(([, kind]) => kind.test(text))?.[0] ?? '', bytes };
}

/** Most lines end in a count after a frame. @param {string} text */
function looksLikeStacks(text) {
  const lines = text.split(/\r\n?|\n/, 200).filter(line => !/^(?:# .*|\s*)$/.test(line));
  const stacks = lines.filter(
    line => /\S[ \t][-+]?[\d.][-+\d.,e]*$/i.test(line) && /;|\(|^process \d+:"/.test(line),
  );
  return stacks.length * 2 > lines.length;
}
