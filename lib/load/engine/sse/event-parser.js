import { createParser } from 'eventsource-parser';

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
  // The parser removes the BOM.
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #parser;

  /**
   * @param {(event: StreamEvent) => void} onEvent
   * @param {{lastEventId: string, retryMs: number}} [before] from the previous connection: both stay valid, as in
   *   Chrome and Firefox
   */
  constructor(onEvent, { lastEventId, retryMs } = { lastEventId: '', retryMs: DEFAULT_RETRY_MS }) {
    this.lastEventId = lastEventId;
    this.retryMs = retryMs;
    this.#parser = createParser({
      maxBufferSize: MOST_CHARS,
      onEvent: ({ event = 'message', data }) => onEvent({ type: event, data }),
      onId: id => {
        this.lastEventId = id;
      },
      onRetry: ms => {
        this.retryMs = ms;
      },
    });
  }

  /**
   * Ignores an event that the stream does not complete.
   * @param {Uint8Array} chunk cut anywhere, even inside a character
   * @throws {Error} `event too large`
   */
  add(chunk) {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    // Its `onError` would say so, too, but creates an Error with a stack for each unknown field: 3 s for 1 MB.
    try {
      this.#parser.feed('');
    } catch (cause) {
      throw new Error('event too large', { cause });
    }
  }
}
