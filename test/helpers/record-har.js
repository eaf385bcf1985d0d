/**
 * What Chromium's network tab would export, from the events behind it (Chrome DevTools Protocol).
 * @param {import('puppeteer-core').Page} page
 * @returns {Promise<() => Promise<object>>} ends the recording, and gives the HTTP Archive
 */
export async function recordHar(page) {
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  /** @type {any[]} */
  const entries = [];
  /** The current hop of each request. @type {Map<string, any>} */
  const current = new Map();
  /** @type {Promise<unknown>[]} */
  const bodies = [];
  const list = (/** @type {Record<string, string>} */ headers) =>
    Object.entries(headers).flatMap(([name, values]) =>
      values.split('\n').map(value => ({ name, value })),
    );
  const answer = (/** @type {any} */ entry, /** @type {any} */ response) => {
    entry.response = {
      status: response.status,
      headers: entry.answered ?? list(response.headers),
      content: { mimeType: response.mimeType },
    };
  };
  client.on(
    'Network.requestWillBeSent',
    ({ requestId, request, wallTime, timestamp, redirectResponse }) => {
      const before = current.get(requestId);
      if (before && redirectResponse) {
        answer(before, redirectResponse);
        before.time = (timestamp - before.startedSec) * 1000;
      }
      const { method, url, headers, postData: text } = request;
      const mimeType = headers['Content-Type'];
      const entry = {
        startedDateTime: new Date(wallTime * 1000).toISOString(),
        startedSec: timestamp,
        request: {
          method,
          url,
          headers: list(headers),
          ...(text && { postData: { mimeType, text } }),
        },
      };
      current.set(requestId, entry);
      entries.push(entry);
    },
  );
  // As they went over the wire, with cookies.
  client.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    const entry = current.get(requestId);
    if (entry) entry.request.headers = list(headers);
  });
  client.on('Network.responseReceivedExtraInfo', ({ requestId, headers }) => {
    const entry = current.get(requestId);
    if (entry) entry.answered = list(headers);
  });
  client.on('Network.responseReceived', ({ requestId, response }) => {
    const entry = current.get(requestId);
    if (entry) answer(entry, response);
  });
  client.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const entry = current.get(requestId);
    if (!entry?.response) return;
    entry.time = (timestamp - entry.startedSec) * 1000;
    const read = client.send('Network.getResponseBody', { requestId }).then(
      ({ body, base64Encoded }) =>
        Object.assign(entry.response.content, {
          text: body,
          ...(base64Encoded && { encoding: 'base64' }),
        }),
      () => {
        // Of a page that was left, the browser keeps none.
      },
    );
    bodies.push(read);
  });
  return async () => {
    await page.waitForNetworkIdle();
    await Promise.all(bodies);
    const whole = entries.filter(({ response }) => response);
    return { log: { version: '1.2', entries: whole } };
  };
}
