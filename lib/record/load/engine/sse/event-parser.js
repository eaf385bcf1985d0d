/**
 * Parses server-sent events by the HTML standard, section 9.2.6 (WHATWG, "Interpreting an event stream").
 */

/** Ends of lines, by the standard. */
const LINE_END = /\r\n?|\n/g;
/** Limit of one event and of one line: endless ones must not fill the memory. */
const MOST_CHARS = 2 ** 20;
/** Chrome's default, until the server sets another time. */
const DEFAULT_RETRY_MS = 3000;

/**
 * @typedef {object} StreamEvent
 * @property {string} type `message` if the stream names none
 * @property {string} data lines joined with `\n`
 */

/** Parses one connection of a stream. */
export class EventParser {
  #onEvent;
  #decoder = new TextDecoder();
  /** Text of the unfinished line. */
  #line = '';
  /** The last chunk ended with CR: a following LF belongs to it. */
  #skipsLf = false;
  #type = '';
  #data = '';
  #id;

  /**
   * @param {(event: StreamEvent) => void} onEvent
   * @param {{lastEventId: string, retryMs: number}} [before] from the previous connection: both stay valid, as in
   *   Chrome and Firefox
   */
  constructor(onEvent, { lastEventId, retryMs } = { lastEventId: '', retryMs: DEFAULT_RETRY_MS }) {
    this.#onEvent = onEvent;
    this.#id = lastEventId;
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
  }

  /**
   * Ignores an event that the stream does not complete.
   * @param {Uint8Array} chunk cut anywhere, even inside a character
   * @throws {Error} `event too large`
   */
  add(chunk) {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === '') return;
    if (this.#skipsLf && text.startsWith('\n')) text = text.slice(1);
    this.#skipsLf = text.endsWith('\r');
    let from = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      this.#endLine(this.#line + text.slice(from, index));
      this.#line = '';
      from = index + end.length;
    }
    this.#line += text.slice(from);
    if (this.#line.length + this.#data.length > MOST_CHARS) throw new Error('event too large');
  }

  /** @param {string} line */
  #endLine(line) {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
    if (field === 'data') this.#data += `${value}\n`;
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #dispatch() {
    const [type, data] = [this.#type, this.#data];
    this.lastEventId = this.#id;
    this.#type = '';
    this.#data = '';
    if (data !== '') this.#onEvent({ type: type || 'message', data: data.slice(0, -1) });
  }
}
