/** Reads access logs line by line, because they can have gigabytes. */
import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { LoadflameError } from '../errors.js';
import { parseOrNull } from '../files/parse-json.js';
import { createLineSplitter } from '../files/split-lines.js';
import { formatNumberOf } from '../format.js';
import { maskLine } from './addresses.js';

/** @import { LoggedRequest } from '../facts/traffic.d.ts' */

/** Servers reject request lines above 8 KB. */
const LONGEST_LINE = 32_768;
/** Common and Combined formats, as nginx, gunicorn, Apache and hypercorn write them, with any prefix and suffix. */
const CLF =
  /(?<!\S)(\S{1,255}) - [^[]{0,255}\[([^\]]{26})\] "((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?(?: "([\d.:a-f]{2,45})(?:[, ][, \w.:]*)?")?/i;
const CLF_TIME = /^(\d\d)\/(\w{3})\/(\d{4}):(\S+ [+-]\d{4})$/;
const REQUEST = /^([A-Z]{1,20}) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/;
/** Common field names in nginx's JSON logs, the most reliable first. */
const FIELDS = {
  time: 'msec time_iso8601 time_local @timestamp timestamp time ts date',
  client: 'http_x_forwarded_for x_forwarded_for realip remote_addr client_ip remote_ip client ip',
  request: 'request request_line',
  method: 'request_method method verb',
  target: 'request_uri uri path url',
  status: 'status status_code response code',
  agent: 'http_user_agent user_agent agent',
};

/**
 * @param {string[]} files names ending in .gz are decompressed; `-` is standard input
 * @param {(request: LoggedRequest) => void} onRequest in the order of the lines
 * @param {(lines: number) => void} onProgress
 * @returns {Promise<{lines: number, unknown: number, first: string}>} `unknown`: lines
 *   that are not requests; `first`: the first of them, masked
 * @throws {LoadflameError} TRAFFIC_UNREADABLE, TRAFFIC_NO_LOG
 */
export async function readAccessLogs(files, onRequest, onProgress) {
  const counts = { lines: 0, unknown: 0, first: '' };
  const splitter = createLineSplitter(line => {
    if (line.trim() === '') return;
    counts.lines += 1;
    const request = parseLine(line);
    if (request) return onRequest(request);
    counts.unknown += 1;
    counts.first ||= maskLine(line);
  }, LONGEST_LINE);
  const split = async (/** @type {AsyncIterable<Buffer>} */ pieces) => {
    for await (const bytes of pieces) {
      splitter.add(bytes);
      onProgress(counts.lines);
    }
    splitter.flush();
  };
  for (const file of files) {
    const source = file === '-' ? process.stdin : createReadStream(file);
    try {
      await pipeline(source, file.endsWith('.gz') ? createGunzip() : new PassThrough(), split);
    } catch (cause) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
      throw new LoadflameError('TRAFFIC_UNREADABLE', { file, reason: code ?? message }, { cause });
    }
  }
  if (counts.lines === counts.unknown) {
    const lines = formatNumberOf(counts.lines, 'line');
    const line = counts.first && `; the first is: ${counts.first}`;
    throw new LoadflameError('TRAFFIC_NO_LOG', { file: files.join(', '), lines, line });
  }
  return counts;
}

/** @param {string} line @returns {LoggedRequest | null} */
export function parseLine(line) {
  const isJson = line.trimStart().startsWith('{');
  const {
    time = '',
    client = '',
    request = '',
    status = '',
    agent = '',
  } = isJson ? parseJsonLine(line) : parseClf(line);
  const [, method, target = ''] = REQUEST.exec(request) ?? [];
  const sec = Number(time || 'none');
  // Seconds or milliseconds of the epoch.
  const atMs =
    sec > 0 ? sec * (sec > 1e11 ? 1 : 1000) : Date.parse(time.replace(CLF_TIME, '$1 $2 $3 $4'));
  if (!method || Number.isNaN(atMs) || !/^\d{3}$/.test(status)) return null;
  // hypercorn also writes the port of each connection.
  const address = client.replace(/,.*$|(?<=\.\d+|\]):\d+$/, '');
  return {
    atMs,
    client: `${address} ${agent.slice(0, 200)}`,
    method,
    target,
    status: Number(status),
    agent,
  };
}

/** @param {string} line @returns {Record<string, string | undefined>} empty if the line does not match */
function parseClf(line) {
  const [, address, time, request, status, agent, forwarded] = CLF.exec(line) ?? [];
  return { time, client: forwarded ?? address, request, status, agent };
}

/** @param {string} line @returns {Record<string, string | undefined>} */
function parseJsonLine(line) {
  // nginx without `escape=json` writes `\x22`.
  const record = parseOrNull(line.replace(/\\x(?=[0-9a-f]{2})/gi, '\\u00'));
  if (record === null) return {};
  // A log line within a JSON line, as Docker writes it.
  if (typeof record.log === 'string') return parseClf(record.log);
  const found = Object.fromEntries(
    Object.entries(FIELDS).map(([field, names]) => {
      const name = names.split(' ').find(one => !['', '-', null, undefined].includes(record[one]));
      return [field, name && String(record[name])];
    }),
  );
  const { args } = record;
  const query = args && args !== '-' && !found.target?.includes('?') ? `?${args}` : '';
  return { ...found, request: found.request ?? `${found.method} ${found.target}${query}` };
}
