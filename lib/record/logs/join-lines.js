/** Lines of a log as records: a traceback belongs to the line that it follows. */
import { readLogLine } from './read-log-line.js';

/** @import { LogHead } from './read-log-line.js' */

/** Of a record: its first lines, and its last ones, for a traceback ends with what happened. */
const MOST_BYTES = 32_768;
/** A longer line is looked at no further, and only its start is kept. */
const LONG_LINE = 16_384;
/** A line that follows comes at once, as one write; a record is whole when nothing came for so long. */
const WHOLE_AFTER_MS = 300;

const TRACEBACK = /^\s*(\+ )?(Exception Group )?Traceback \(most recent call last\)/;
/** Python's words between two tracebacks of one error. */
const CHAINED =
  /^(During handling of the above exception|The above exception was the direct cause)/;
/** What libraries add under the line of an exception: `[SQL: …]`, `(Background on this error at: …)`. */
const ADDED = /^[[(]/;

/** gunicorn's own line behind what another program wrote without a line end (eventlet). */
const GLUED = /(?<=\S)(?=\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}\] \[\d+\] \[[A-Z]+\] )/;

/**
 * @typedef {LogHead & {
 *   arrivedMs: number, text: string, lines: number, bytes: number, isTraceback: boolean,
 * }} LogRecord `text` has at most 32 KB; `lines` and `bytes` are those of the whole record
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
  /** @param {string} text @param {number} arrivedMs @param {number | null} writtenMs */
  const addOne = (text, arrivedMs, writtenMs) => {
    const head = readLogLine(text, arrivedMs);
    if (open?.inFrames && head.status !== null) {
      // A pod's log has both of its outputs, line by line: what is in the middle of a traceback is no end of it.
      onRecord(closeRecord(openRecord(text, { ...head, atMs: head.atMs ?? writtenMs }, arrivedMs)));
      return;
    }
    if (open && !head.isHead && belongsTo(open, text)) {
      addLine(open, text, arrivedMs);
      return;
    }
    flush();
    const atMs = head.atMs ?? writtenMs;
    if (text.trim() !== '') open = openRecord(text, { ...head, atMs }, arrivedMs);
  };
  return {
    flush,
    /** Gives out a record to which no line came any more. */
    flushWhole() {
      if (open && Date.now() - open.lastMs > WHOLE_AFTER_MS) flush();
    },
    /**
     * @param {string} line without its end
     * @param {number} arrivedMs
     * @param {number | null} [writtenMs] where that is known; a time that stands in the line goes before
     */
    add(line, arrivedMs, writtenMs = null) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      for (const part of text.split(GLUED)) addOne(part, arrivedMs, writtenMs);
    },
  };
}

/** @param {string} text @param {LogHead} head @param {number} arrivedMs */
function openRecord(text, head, arrivedMs) {
  const isTraceback = TRACEBACK.test(text);
  const record = {
    head: { ...head },
    arrivedMs,
    lastMs: arrivedMs,
    kept: /** @type {string[]} */ ([]),
    keptBytes: 0,
    lines: 0,
    bytes: 0,
    isTraceback,
    /** inside of a traceback: after its frames comes the line that names the exception */
    inFrames: isTraceback,
    isChained: false,
    /** an empty line ends what an exception says, as a rule */
    isAfterEmpty: false,
  };
  keep(record, text);
  return record;
}

/**
 * @param {ReturnType<typeof openRecord>} open
 * @param {string} text of a line that does not begin a record for certain
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

/** @param {ReturnType<typeof openRecord>} open @param {string} text @param {number} arrivedMs */
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

/** Of a long record its beginning and its end. @param {ReturnType<typeof openRecord>} open @param {string} text */
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
