/** Reads from the logs of a run folder what can explain an error. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { statOrNull } from '../../../base/files/regular-file.js';
import { createRecordCheck } from '../../../run/folder-shapes.js';
import { streamNdjson } from '../../../run/ndjson.js';

/** A smaller clock offset looks the same as a line that was written a little later. */
const CLOCK_TOLERANCE_MS = 2000;
/** Fewer lines with a time say nothing about a clock. */
const ENOUGH_LINES = 5;
/** gunicorn's messages about the end of a worker. */
const WORKER_END =
  /WORKER TIMEOUT|was sent SIG\w+|Worker \(pid:\d+\) exited|Worker failed to boot|Autorestarting worker|Maximum request limit|out of memory|Handling signal: hup|Worker reloading|Reloading\.\.\./i;
/** Ids in text: of requests, of traces. */
const TOKEN = /[A-Za-z0-9][\w-]{5,}/g;
/** Ids in traceparent headers and elsewhere are joined by dashes. */
const TRACE_ID = /[0-9a-f]{32}/gi;

/**
 * @typedef {object} KeptLine
 * @property {number} atMs on our clock
 * @property {string} source
 * @property {'error' | 'warn' | 'info' | null} level
 * @property {number | null} pid
 * @property {string} text
 * @property {boolean} isAccess
 * @property {boolean} isTraceback
 * @property {boolean} isWorkerEnd
 * @property {string[]} ids the wanted ids that it contains
 * @property {string | null} pod whose log it is
 */

/**
 * @typedef {object} Logs
 * @property {import('../../../run/facts/logs.d.ts').LogReport['sources']} sources
 * @property {KeptLine[]} lines warnings, errors, ends of workers, and every line with a wanted id; oldest first
 */

/**
 * @param {import('../../../run/run-folder.js').RunFiles} files
 * @param {ReadonlySet<string>} wanted ids, in lower case
 * @returns {Promise<Logs | null>} null where no log was recorded
 */
export async function readLogs(files, wanted) {
  if (!statOrNull(files.logs)?.isDirectory()) return null;
  const names = readdirSync(files.logs).filter(name => /^\d+\.ndjson$/.test(name));
  const parts = await Promise.all(
    names
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .map(name => readSource(path.join(files.logs, name), wanted)),
  );
  return {
    sources: parts.map(({ source }) => source),
    lines: parts.flatMap(({ lines }) => lines).sort((a, b) => a.atMs - b.atMs),
  };
}

/** @param {string} file @param {ReadonlySet<string>} wanted */
async function readSource(file, wanted) {
  const source = { name: path.basename(file), type: /** @type {'file' | 'pod'} */ ('file') };
  const delays = { count: 0, leastMs: Infinity };
  let [count, leftOut] = [0, 0];
  /** @type {(Omit<KeptLine, 'source' | 'pod' | 'atMs'> & {atMs: number | null, t: number})[]} */
  const kept = [];
  for await (const record of streamNdjson(file, { check: createRecordCheck('logs') })) {
    if (record.kind === 'source') {
      source.name = String(record.name ?? source.name);
      if (record.type === 'pod') source.type = record.type;
    } else if (record.kind === 'left-out' && record.why !== 'before') leftOut += record.lines ?? 0;
    if (record.kind !== 'line') continue;
    const { t, atMs = null, level = null, pid = null } = record;
    count++;
    if (atMs !== null) {
      delays.count++;
      delays.leastMs = Math.min(delays.leastMs, t - atMs);
    }
    const text = String(record.text);
    const ids = wanted.size > 0 ? findIds(text, wanted) : [];
    const isAccess = record.status !== undefined;
    const isWorkerEnd = !isAccess && WORKER_END.test(text);
    if (ids.length === 0 && !(level === 'error' || level === 'warn' || isWorkerEnd)) continue;
    const isTraceback = record.isTraceback === true;
    kept.push({ atMs, t, level, pid, text, isAccess, isTraceback, isWorkerEnd, ids });
  }
  const pod = source.type === 'pod' ? (source.name.split('/')[0] ?? null) : null;
  // A line can't arrive before it is written, and some arrive at once. So the least of (arrival − time in the line) is
  // the difference of the clocks, ± the resolution of these times.
  const isAhead = delays.count >= ENOUGH_LINES && Math.abs(delays.leastMs) > CLOCK_TOLERANCE_MS;
  const aheadMs = isAhead ? -delays.leastMs : null;
  return {
    source: { ...source, records: count, leftOut, aheadMs },
    lines: kept.map(({ t, ...line }) => ({
      ...line,
      source: source.name,
      pod,
      atMs: line.atMs === null ? t : line.atMs - (aheadMs ?? 0),
    })),
  };
}

/** @param {string} text @param {ReadonlySet<string>} wanted */
function findIds(text, wanted) {
  const tokens = [...(text.match(TOKEN) ?? []), ...(text.match(TRACE_ID) ?? [])];
  return [...new Set(tokens.map(token => token.toLowerCase()).filter(id => wanted.has(id)))];
}
