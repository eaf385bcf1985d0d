/** Detects what wrote a file or a text, by its content and never by its name; all readers refuse by this table. */
import { closeSync, readSync } from 'node:fs';
import { findMark, openRegularFile, readRegularFile, refusePacked } from './regular-file.js';

const HEAD_BYTES = 1 << 18;

export const RAW = 'collapsed stacks';
export const SVG = 'a flamegraph (SVG)';
export const SPEEDSCOPE = 'a speedscope file';
export const ARTILLERY = "Artillery's JSON report";

const SPEEDSCOPE_TOO = ' (`-r speedscope` writes stacks)';
const RESULTS = ' (it has no requests and no stacks: `loadflame test` measures both)';
const OPENAPI = ' (`loadflame init --url` reads OpenAPI 3 and Swagger 2 from their address)';
const ASCTIME = ' (put `%(asctime)s` before the message in `uvicorn --log-config`)';
const LOG = ' (`loadflame init --log` reads it)';

/** Most specific first. @type {[name: string, test: {test(text: string): boolean}, advice?: string][]} */
const NAMED = [
  ['an empty file', /^\s*$/],
  ['UTF-16 without its mark (`iconv` converts it)', /^(?:[^\0]\0){8}|^(?:\0[^\0]){8}/],
  ['perf.data', /^PERFILE2/, ' (`perf script | stackcollapse-perf.pl` writes stacks)'],
  ["Austin's binary format", /^MOJ/, ' (`mojo2austin` writes stacks)'],
  ["memray's recording of memory", /^memray|<title>memray/],
  // a dictionary of `marshal` whose first key is a tuple
  ["cProfile's pstats", /^[{\ufffd][()\ufffd][^ \n"]|^\s*\d+ function calls/],
  ["pprof's format", /^\n[^\s -~][\s\S]*(?:count|samples|nanoseconds)/],
  ['line_profiler, callgrind or perf report', /^Timer unit: |^events: |^# Overhead /m],
  ["py-spy's dump", /^Process \d+: .*\nPython v|^\s*\[\s*\{\s*"pid"[\s\S]*"frames"/],
  [SVG, /^\s*(?=<\?xml|<!DOCTYPE svg|<svg)[\s\S]*<svg\b/],
  ['a WSDL', /^\s*<(?:[^<>]{1,500}>\s*<){0,3}(?:\w{1,20}:)?definitions\b/, OPENAPI],
  ['an HTML page', /^\s*<(?:!doctype html|html)\b/i],
  ['results of JMeter, Locust or Gatling', /^timeStamp,|<testRes|^"?Type"?,"?Name|^RUN\t/, RESULTS],
  ['results of wrk, ab or oha', /^Running \S+ test @ |^This is ApacheB|"successRate"/m, RESULTS],
  ['results of hey, oha or siege', /^Summary:\s+(?:Total|Success)|^Transactions:\s/m, RESULTS],
  ['results of Vegeta', /^Requests\s+\[total|"latencies"\s*:\s*\{\s*"total"|"attack":/m, RESULTS],
  ['results of autocannon', /"2xx"\s*:\s*\d/, RESULTS],
  ['a HAR', /^\s*\{\s*"log"\s*:\s*\{/, ' (`loadflame init --har` reads it)'],
  ['a Chrome trace, which mixes the stacks of workers', /^\s*[[{][\s\S]*"ph"\s*:\s*"[A-Za-z]"/],
  [SPEEDSCOPE, /^\s*\{[\s\S]*(?:speedscope\.app\/file-format|"shared"\s*:\s*\{\s*"frames")/],
  ["pyinstrument's JSON", /^\s*\{[\s\S]*"(?:root_frame|frame_tree)"\s*:/, SPEEDSCOPE_TOO],
  ["pyinstrument's text", /^.{0,40}\bRecorded: .{1,40}Samples: /m, SPEEDSCOPE_TOO],
  ["Scalene's JSON", /^\s*\{[\s\S]*"elapsed_time_sec"\s*:/],
  [
    'a report of Artillery before version 2',
    /"scenariosCreated"\s*:|"(?:engine\.http|core\.vusers)\./,
  ],
  [ARTILLERY, /^\s*\{[\s\S]*"(?:aggregate|intermediate)"\s*:\s*[{[]/],
  ['a profile of V8 or Firefox', /^\s*\{[\s\S]*"(?:hitCount|preprocessedProfileV)/],
  ["k6's summary or metrics", /^\s*\{[\s\S]*"(?:http_reqs|http_req_duration|root_group)"/, RESULTS],
  ['an export of Postman or Insomnia', /^\s*\{[\s\S]*"_{1,2}(?:postman_id|export_format)"/],
  ['a script of k6, Locust or JMeter', /\bfrom ['"]k6|^from locust |<jmeterTestPlan/m],
  ['a GraphQL schema', /"__schema"\s*:|^(?:type|schema) [\w ]{0,100}\{/m],
  ['AsyncAPI, RAML or Swagger 1', /^[\s{"]*asyncapi"?\s*:|^#%RAML|"swaggerVersion"/, OPENAPI],
  ['OpenRPC or API Blueprint', /^[\s{"]*openrpc"?\s*:|^FORMAT: ?1A/, OPENAPI],
  ['a JSON Schema', /^[\s{]*"?\$schema"?\s*:\s*"?https?:\/\/json-schema\.org/, OPENAPI],
  ['an OpenAPI description', /^\s*(?:\{\s*)?"?(?:openapi|swagger)"?\s*:\s*["']?[23]/, OPENAPI],
  ['an Artillery script', /^(?:config|scenarios):/m, ' (`loadflame test` runs it)'],
  ["uvicorn's log without times", /INFO\S{0,20}: {3,}\S{3,60}:\d+ - "/, ASCTIME],
  ["HAProxy's log of TCP", /haproxy\[\d+\]: (?:\S+ ){4}-?\d+\/-?\d+\/\+?-?\d+ \d/],
  ["IIS's or CloudFront's log", /^#(?:Version|Software): /, ' (convert it to the Common format)'],
  ['an access log', /^.{0,120}\[\d\d\/\w{3}\/\d{4}[: ].{0,40}\] +"/, LOG],
];
/** @type {typeof NAMED} */
const FORMATS = [
  ...NAMED,
  [RAW, { test: looksLikeStacks }],
  ['JSON of another kind', /^\s*[{[]/],
  ['a binary file', /\0/],
  ['the output of `perf script` (see stackcollapse-perf.pl)', /^[ \t]+[\da-f]{6,16} .+\)$/m],
];

/** @param {string} text perhaps its beginning @returns {string | undefined} */
function nameFormat(text, formats = NAMED) {
  const [name, , advice = ''] = formats.find(([, kind]) => kind.test(text)) ?? [];
  return name && name + advice;
}

/** What a text is that its reader cannot use. @param {string} text @param {string} own format of the reader @returns {string | undefined} */
export function nameOther(text, own) {
  const name = nameFormat(text.slice(0, HEAD_BYTES));
  return name && !name.startsWith(own) ? `looks like ${name}` : undefined;
}

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
  return {
    looksLike: nameFormat(text, FORMATS) ?? 'none of the formats that loadflame knows',
    bytes,
  };
}

/** Most lines end in a count after a frame. @param {string} text */
function looksLikeStacks(text) {
  const lines = text.split(/\r\n?|\n/, 200).filter(line => !/^(?:# .*|\s*)$/.test(line));
  const stacks = lines.filter(
    line => /\S[ \t]+[-+]?[\d.][-+\d.,e]*$/i.test(line) && /;|\(|^process \d+:"/.test(line),
  );
  return stacks.length * 2 > lines.length;
}
