/**
 * Server-sent events by the rules of the HTML standard, section 9.2.6 (WHATWG, "Interpreting an event stream").
 */

/** Ends any line, as the standard has it. */
const LINE_END = /\r\n?|\n/g;
/** Of one event and of one line: a stream without an end to either must not fill the memory. */
const MOST_CHARS = 2 ** 20;
/** Until the server asks for another time: Chrome's. */
const DEFAULT_RETRY_MS = 3000;

/**
 * @typedef {object} StreamEvent
 * @property {string} type `message` where the stream names none
 * @property {string} data lines joined with `\n`
 */

/** Parses one connection of a stream. */
export class EventParser {
  #onEvent;
  #decoder = new TextDecoder();
  /** Of the line that has not ended. */
  #line = '';
  /** A chunk ended with CR: an LF that follows belongs to it. */
  #skipsLf = false;
  #type = '';
  #data = '';
  #id;

  /**
   * @param {(event: StreamEvent) => void} onEvent
   * @param {{lastEventId: string, retryMs: number}} [before] of the connection before: both stay valid, as in
   *   Chrome and Firefox
   */
  constructor(onEvent, { lastEventId, retryMs } = { lastEventId: '', retryMs: DEFAULT_RETRY_MS }) {
    this.#onEvent = onEvent;
    this.#id = lastEventId;
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
  }

  /**
   * An event that the stream does not complete is none.
   * @param {Uint8Array} chunk cut anywhere, inside a character too
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
