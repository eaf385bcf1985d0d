/**
 * What the engine reports to where our host is not: events under Artillery's names, as its own
 * engine emits them.
 */
import { createTokenHolder } from '../token-holder.js';

/**
 * @param {import('./engine.d.ts').Emitter} ee of the scenario
 * @param {Record<string, any>} config
 * @returns {import('./engine.d.ts').Services}
 */
export function createServicesOverEmitter(ee, config) {
  const extended = config.http?.extendedMetrics === true;
  const connectionTimes = new Set(['http.dns', 'http.tcp', 'http.tls', 'http.total']);
  const measure = (/** @type {string} */ name, /** @type {number} */ value) => {
    if (extended || !connectionTimes.has(name)) ee.emit('histogram', name, value);
  };
  return {
    recorder: {
      count: (name, value) => void ee.emit('counter', name, value),
      measure,
      endpoint: name => ({ key: name, second: null, entry: null }),
      countRequest() {
        ee.emit('counter', 'http.requests', 1);
        ee.emit('rate', 'http.request_rate');
      },
      countAnswer(_endpoint, status, timeToFirstByteMs, totalMs, _fromIntendedMs, bytes = 0) {
        ee.emit('counter', `http.codes.${status}`, 1);
        ee.emit('counter', 'http.responses', 1);
        ee.emit('counter', 'http.downloaded_bytes', bytes);
        if (timeToFirstByteMs !== undefined) {
          ee.emit('histogram', 'http.response_time', timeToFirstByteMs);
          if (status >= 200 && status < 600) {
            const group = `${Math.floor(status / 100)}xx`;
            ee.emit('histogram', `http.response_time.${group}`, timeToFirstByteMs);
          }
        }
        if (totalMs !== undefined) measure('http.total', totalMs);
      },
      // The error itself is counted when it ends the user.
      countNoAnswer() {},
      noteServer() {},
      knowsBackends: () => false,
    },
    samples: { wants: () => false, add() {} },
    tokens: createTokenHolder(),
    tokenPlaces: { cookie: null, authField: null },
    warn: text => console.warn(text),
    sockets: { open: 0 },
  };
}
