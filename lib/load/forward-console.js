/** Shows the output of scripts, hooks and plugins to the user who watches the load. */
import { format } from 'node:util';

/** Per thread: a `log` step of a thousand users must not flood a terminal. */
const LINES_PER_SEC = 20;

/**
 * Forwards everything that this thread prints from now on, and prints it as before.
 * @param {(text: string) => void} send gets the first lines of each second, and how many more there were
 * @param {(text: string) => string} [redact]
 * @returns {() => void} ends the last second
 */
export function forwardConsole(send, redact = text => text) {
  let sent = 0;
  let more = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const endSecond = () => {
    clearTimeout(timer);
    timer = undefined;
    if (more > 0)
      send(`… ${more} more ${more === 1 ? 'line' : 'lines'} (load/generator.log has all)`);
    sent = 0;
    more = 0;
  };
  for (const method of /** @type {const} */ (['log', 'info', 'debug', 'warn', 'error'])) {
    const print = console[method];
    console[method] = (...args) => {
      const text = redact(format(...args));
      print.call(console, '%s', text);
      timer ??= setTimeout(endSecond, 1000).unref();
      for (const line of text.split('\n')) {
        if (sent < LINES_PER_SEC) send(line);
        else more += 1;
        sent += 1;
      }
    };
  }
  return endSecond;
}
