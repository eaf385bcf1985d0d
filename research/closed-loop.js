/** Load of benches without the load engine. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sum } from '../lib/base/math/summary.js';

/** A server that gives no response for so long gives none at all. */
const PATIENCE_MS = 60_000;

/** @typedef {{url: string, method?: string, headers?: Record<string, string>, json?: unknown}} Asked `json`: null for none */

/**
 * Users who each keep a connection, as those of the tool do, and send the next request after a response.
 * @param {Asked[]} asked alternately
 * @param {{users?: number, ms: number, thinkMs?: number}} load each user sends one request at least
 * @returns {Promise<{times: number[], perSec: number, failures: string[]}>} `times`: ms of each request with status 200;
 *   `perSec`: of these, over the time of the users
 */
export async function runClosedLoop(asked, { users = 1, ms, thinkMs = 0 }) {
  const startMs = performance.now();
  /** @type {number[]} */
  const times = [];
  /** @type {string[]} */
  const failures = [];
  const use = async (/** @type {number} */ user) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let at = user;
    do {
      const one = asked[at % asked.length] ?? { url: '' };
      const askedMs = performance.now();
      const status = await ask(one, agent);
      if (status === '200') times.push(performance.now() - askedMs);
      else failures.push(`${one.url}: ${status}`);
      if (thinkMs) await sleep(thinkMs);
      at++;
    } while (performance.now() < startMs + ms);
    agent.destroy();
    return performance.now() - startMs;
  };
  const usedMs = sum(await Promise.all(Array.from({ length: users }, (_, user) => use(user))));
  return { times, perSec: (1000 * users * times.length) / usedMs, failures };
}

/** @param {Asked} asked @param {Agent} agent @returns {Promise<string>} status, or an error's message */
export function ask({ url, method, headers, json = null }, agent) {
  const type = json === null ? {} : { 'content-type': 'application/json' };
  return new Promise(resolve => {
    const options = { agent, method: method?.toUpperCase(), headers: { ...type, ...headers } };
    const sent = request(url, options, response => {
      response.resume().once('end', () => resolve(`${response.statusCode}`));
    });
    sent.once('error', ({ message }) => resolve(message));
    sent.setTimeout(PATIENCE_MS, () => sent.destroy());
    sent.end(json === null ? undefined : JSON.stringify(json));
  });
}
