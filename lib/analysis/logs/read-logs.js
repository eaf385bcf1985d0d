/** The logs of a run folder: what of them can explain an error. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readNdjson } from '../../run/ndjson.js';

/** A clock that is off by less than this can't be told from a line that was written a little later. */
const CLOCK_TOLERANCE_MS = 2000;
/** Fewer lines with a time tell nothing of a clock. */
const ENOUGH_LINES = 5;
/** gunicorn's words on the end of a worker. */
const WORKER_END =
  /WORKER TIMEOUT|was sent SIG\w+|Worker \(pid:\d+\) exited|Worker failed to boot|Autorestarting worker|Maximum request limit|out of memory/i;
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
 * @property {string[]} ids those of the wanted that stand in it
 */

/**
 * @typedef {object} Logs
 * @property {import('../logs.d.ts').LogReport['sources']} sources
 * @property {KeptLine[]} lines warnings, errors, ends of workers, and all that holds one of the ids;
 *   oldest first
 */

/**
 * @param {import('../../run/run-folder.js').RunFiles} files
 * @param {ReadonlySet<string>} wanted ids, in lower case
 * @returns {Promise<Logs | null>} null where no log was recorded
 */
export async function readLogs(files, wanted) {
  if (!existsSync(files.logs)) return null;
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
  const { records } = await readNdjson(file);
  const first = records.find(({ kind }) => kind === 'source');
  const name = String(first?.name ?? path.basename(file));
  const all = records.filter(({ kind }) => kind === 'line');
  const aheadMs = findClockDifference(all);
  const lines = all.flatMap(line => {
    const ids = wanted.size > 0 ? findIds(String(line.text), wanted) : [];
    const isWorkerEnd = line.status === undefined && WORKER_END.test(String(line.text));
    const isTelling = line.level === 'error' || line.level === 'warn' || isWorkerEnd;
    if (ids.length === 0 && !isTelling) return [];
    return {
      atMs: line.atMs === null ? line.t : line.atMs - (aheadMs ?? 0),
      source: name,
      level: line.level ?? null,
      pid: line.pid ?? null,
      text: String(line.text),
      isAccess: line.status !== undefined,
      isTraceback: line.isTraceback === true,
      isWorkerEnd,
      ids,
    };
  });
  const leftOut = records
    .filter(({ kind, why }) => kind === 'left-out' && why !== 'before')
    .reduce((sum, record) => sum + (record.lines ?? 0), 0);
  const type = first?.type === 'command' ? /** @type {const} */ ('command') : 'file';
  return {
    source: {
      name,
      type: /** @type {'file' | 'command'} */ (type),
      records: all.length,
      leftOut,
      aheadMs,
    },
    lines,
  };
}

/**
 * A line can't arrive before it is written, and some arrive at once: the least of (arrival − time in the
 * line) is what the clocks differ by, give or take how coarse these times are.
 * @param {Record<string, any>[]} lines
 */
function findClockDifference(lines) {
  const delays = lines.flatMap(({ t, atMs }) => (typeof atMs === 'number' ? t - atMs : []));
  if (delays.length < ENOUGH_LINES) return null;
  const least = delays.reduce((a, b) => Math.min(a, b));
  return Math.abs(least) > CLOCK_TOLERANCE_MS ? -least : null;
}

/** @param {string} text @param {ReadonlySet<string>} wanted */
function findIds(text, wanted) {
  const tokens = [...(text.match(TOKEN) ?? []), ...(text.match(TRACE_ID) ?? [])];
  return [...new Set(tokens.map(token => token.toLowerCase()).filter(id => wanted.has(id)))];
}
