/** Joins the lines of a log to records: a traceback belongs to the line before it. */
import { parseOrNull } from '../../base/files/parse-json.js';
import { readLogLine } from './read-log-line.js';

/** @import { LogHead } from './read-log-line.js' */

/** Limit of a record: keeps its first and its last lines, because a traceback ends with the exception. */
const MOST_BYTES = 32_768;
/** Only the start of a longer line is read and kept. */
const LONG_LINE = 16_384;
/** Lines of one record arrive together, in one write; a record is complete when none came for this time. */
const WHOLE_AFTER_MS = 300;

const TRACEBACK = /^\s*(\+ )?(Exception Group )?Traceback \(most recent call last\)/;
/** Python's text between two tracebacks of one error. */
const CHAINED =
  /^(During handling of the above exception|The above exception was the direct cause)/;
/** Lines that libraries add below an exception: `[SQL: …]`, `(Background on this error at: …)`. */
const ADDED = /^[[(]/;

/** What follows text without a newline begins a record. A quote or an escaped line feed before it makes it a value. */
const BEGINNINGS = [
  /(?<=\S)(?<![=:(,\s]["'])\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}\] \[\d+\] \[[A-Z]+\] /,
  // `ERROR:root:` is Python's default, `ERROR:    ` uvicorn's; a terminal's colour may precede them.
  /(?<=[a-z\d.!?)\]}'"])(?<![=:(,\s]["']|\[[\d;]{1,12}m)(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):(?:[\w.]{1,100}:| {2})/,
  /(?<=[^\s"'`|])(?<!\\[nr])Traceback \(most recent call last\):/,
];
const GLUED = new RegExp(`(?=${BEGINNINGS.map(({ source }) => source).join('|')})`);

/**
 * @typedef {LogHead & {
 *   arrivedMs: number, text: string, lines: number, bytes: number, isTraceback: boolean,
 * }} LogRecord `text` has at most 32 KB; `lines` and `bytes` count the whole record
 */

/**
 * @param {(record: LogRecord) => void} onRecord
 */
export function createLineJoiner(onRecord) {
  /** @type {ReturnType<typeof openRecord> | null} */
  let open = null;

  const flush = () => {
    if (open) onRecord(closeRecord(open));
    open = null;
  };
  /**
   * @param {string} text
   * @param {number} arrivedMs
   * @param {number | null} writtenMs
   */
  const addOne = (text, arrivedMs, writtenMs) => {
    const read = readLogLine(text, arrivedMs);
    const head = { ...read, atMs: read.atMs ?? writtenMs };
    if (open?.inFrames && head.status !== null) {
      // A pod's log mixes stdout and stderr by lines: an access line within a traceback does not end it.
      onRecord(closeRecord(openRecord(text, head, arrivedMs)));
      return;
    }
    if (open && !head.isHead && belongsTo(open, text)) {
      addLine(open, text, arrivedMs);
      return;
    }
    flush();
    if (text.trim() !== '') open = openRecord(text, head, arrivedMs);
  };
  return {
    flush,
    /** Passes on the open record if no further line has come. */
    flushWhole() {
      if (open && Date.now() - open.lastMs > WHOLE_AFTER_MS) flush();
    },
    /**
     * @param {string} line without its newline
     * @param {number} arrivedMs
     * @param {number | null} [writtenMs] if known; a time in the line itself takes precedence
     */
    add(line, arrivedMs, writtenMs = null) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      for (const part of splitGlued(text)) addOne(part, arrivedMs, writtenMs);
    },
  };
}

/** JSON stays whole: its strings may quote other logs. @param {string} text */
function splitGlued(text) {
  const parts = text.split(GLUED);
  return parts.length > 1 && text.startsWith('{') && parseOrNull(text) ? [text] : parts;
}

/**
 * @param {string} text
 * @param {LogHead} head
 * @param {number} arrivedMs
 */
function openRecord(text, head, arrivedMs) {
  const isTraceback = TRACEBACK.test(text);
  const record = {
    head,
    arrivedMs,
    lastMs: arrivedMs,
    kept: /** @type {string[]} */ ([]),
    keptBytes: 0,
    lines: 0,
    bytes: 0,
    isTraceback,
    /** inside a traceback, before the line that names the exception */
    inFrames: isTraceback,
    isChained: false,
    /** an empty line usually ends the text of an exception */
    isAfterEmpty: false,
  };
  keep(record, text);
  return record;
}

/**
 * @param {ReturnType<typeof openRecord>} open
 * @param {string} text of a line that may continue the record
 */
function belongsTo(open, text) {
  if (open.inFrames || open.isChained || CHAINED.test(text)) return true;
  if (TRACEBACK.test(text)) return open.head.isHead && !open.isTraceback;
  if (/^\s/.test(text)) return true;
  if (text === '') return open.isTraceback;
  if (open.isAfterEmpty) return false;
  if (open.isTraceback && ADDED.test(text)) return true;
  return open.head.isHead && (open.head.level === 'error' || open.head.level === 'warn');
}

/**
 * @param {ReturnType<typeof openRecord>} open
 * @param {string} text
 * @param {number} arrivedMs
 */
function addLine(open, text, arrivedMs) {
  open.lastMs = arrivedMs;
  if (TRACEBACK.test(text)) {
    open.isTraceback = true;
    open.inFrames = true;
    open.isChained = false;
    open.head.level = 'error';
  } else if (CHAINED.test(text)) {
    open.isChained = true;
    open.inFrames = false;
  } else if (open.inFrames && text !== '' && !/^\s/.test(text)) open.inFrames = false;
  open.isAfterEmpty = text === '';
  keep(open, text);
}

/** Keeps both ends of a long record. @param {ReturnType<typeof openRecord>} open @param {string} text */
function keep(open, text) {
  open.lines += 1;
  open.bytes += text.length + 1;
  open.kept.push(text);
  open.keptBytes += text.length;
  while (open.keptBytes > MOST_BYTES && open.kept.length > 2)
    open.keptBytes -= open.kept.splice(open.kept.length >> 1, 1)[0]?.length ?? 0;
}

/** @param {ReturnType<typeof openRecord>} open @returns {LogRecord} */
function closeRecord({ head, arrivedMs, kept, lines, bytes, isTraceback }) {
  const left = lines - kept.length;
  const gap = left > 0 ? [`… ${left} lines left out …`] : [];
  const all = kept.toSpliced((kept.length + 1) >> 1, 0, ...gap);
  const text = all.map(line => line.slice(0, LONG_LINE)).join('\n');
  return { ...head, arrivedMs, text: text.trimEnd(), lines, bytes, isTraceback };
}
