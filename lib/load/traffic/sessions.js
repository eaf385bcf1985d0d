/** Sequences of requests per client, and the pauses in between. */

/** @import { LoggedRequest } from '../../run/facts/traffic.d.ts' */

const ENDS_AFTER_SEC = 30 * 60;
/** Later requests of a client count as a new arrival: in the same flow they would shift the arrival curve. */
const LONGEST_FLOW_MS = 60_000;
const MOST_STEPS = 8;
/** Above this number, the flow of the client that was idle longest ends. */
const MOST_CLIENTS = 200_000;
const MOST_SEQUENCES = 20_000;

/**
 * `thinkSec`: pauses before each step except the first, summed up.
 * @typedef {{names: string[], thinkSec: number[], count: number, fromMs: number}} Sequence
 */

export function createSessions() {
  /** @type {Map<string, {atMs: number, requests: number, flow: Sequence}>} */
  const clients = new Map();
  /** @type {Map<string, Sequence>} */
  const sequences = new Map();
  const totals = { sessions: 0, thinks: 0, thinkSec: 0, mostOfClient: 0 };

  const endFlow = (/** @type {Sequence | undefined} */ flow) => {
    const key = flow?.names.join('\n') ?? '';
    const known = sequences.get(key);
    if (known) {
      known.count += 1;
      known.thinkSec = known.thinkSec.map((seconds, at) => seconds + (flow?.thinkSec[at] ?? 0));
    } else if (flow && sequences.size < MOST_SEQUENCES) sequences.set(key, flow);
  };

  return {
    /** @param {LoggedRequest} request @param {string} name of its endpoint */
    follow({ client, atMs }, name) {
      const known = clients.get(client);
      const requests = (known?.requests ?? 0) + 1;
      totals.mostOfClient = Math.max(totals.mostOfClient, requests);
      clients.delete(client);
      // Lines of several files can go back in time.
      const gapSec = known ? Math.abs(atMs - known.atMs) / 1000 : Infinity;
      if (gapSec > ENDS_AFTER_SEC) totals.sessions += 1;
      else {
        totals.thinks += 1;
        totals.thinkSec += gapSec;
      }
      const flow = known?.flow;
      const isNear = Math.abs(atMs - (flow?.fromMs ?? Infinity)) <= LONGEST_FLOW_MS;
      if (flow && isNear && flow.names.length < MOST_STEPS) {
        flow.names.push(name);
        flow.thinkSec.push(gapSec);
        clients.set(client, { atMs, requests, flow });
        return;
      }
      endFlow(flow);
      const begun = { names: [name], thinkSec: [], count: 1, fromMs: atMs };
      clients.set(client, { atMs, requests, flow: begun });
      if (clients.size <= MOST_CLIENTS) return;
      const [[oldest, ended] = /** @type {never} */ ([])] = clients;
      clients.delete(oldest);
      endFlow(ended.flow);
    },
    finish() {
      for (const { flow } of clients.values()) endFlow(flow);
      return { ...totals, sequences: [...sequences.values()] };
    },
  };
}
