/** A target that answers what the test says, and 404 to all else. */
import { createServer } from 'node:http';

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, {status?: number, json?: unknown}>} answers by path and query
 * @returns {Promise<string>} its address
 */
export async function startFakeTarget(t, answers) {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.statusCode = answer ? (answer.status ?? 200) : 404;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer?.json ?? null));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}
