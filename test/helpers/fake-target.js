/** A target that answers what the test says, and 404 to all else, after 20 ms: a closed loop would take all cores. */
import { serve } from './listen.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, {status?: number, json?: unknown}>} answers by path and query
 * @returns {Promise<string>} its address
 */
export async function startFakeTarget(t, answers) {
  return serve(t, (request, response) => {
    const answer = answers[request.url ?? ''];
    response.statusCode = answer ? (answer.status ?? 200) : 404;
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(JSON.stringify(answer?.json ?? null)), 20);
  });
}
