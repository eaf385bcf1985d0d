/** Artillery's `trace:http:*` events, for those who listen when the scenario is compiled. */

/** @param {any} ee */
export function createTraceEvents(ee) {
  const isHeardAs = (/** @type {string} */ name) =>
    typeof ee.listenerCount === 'function' && ee.listenerCount(`trace:http:${name}`) > 0;
  const names = ['request', 'response', 'error', 'capture'].filter(isHeardAs);
  const has = (/** @type {string} */ name) => names.includes(name);
  /** @typedef {import('./call.js').Call} Call */
  return {
    isHeard: names.length > 0,
    request: has('request')
      ? (/** @type {Call} */ { request }) => ee.emit('trace:http:request', request, request?.uuid)
      : null,
    response: has('response')
      ? (/** @type {Call} */ { request }, /** @type {() => any} */ readAnswer) =>
          ee.emit('trace:http:response', readAnswer(), request?.uuid)
      : null,
    error: has('error')
      ? (/** @type {Call} */ { request }, /** @type {any} */ error) =>
          ee.emit('trace:http:error', error, request?.uuid)
      : null,
    capture: has('capture')
      ? (/** @type {Call} */ { request }, /** @type {any} */ found) =>
          ee.emit('trace:http:capture', found, request?.uuid)
      : null,
  };
}
