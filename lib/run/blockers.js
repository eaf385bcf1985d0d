/** Which requests kept the event loop while another one was under way. */

/** @import { ServerTiming } from './facts/whole-request.d.ts' */

/** Less is not what a request waits for. */
const LEAST_MS = 1;

/**
 * How long steps of others kept the loop between writing a request and its response. It has waited for at most as long:
 * what it awaits itself may come later.
 * @param {Pick<ServerTiming, 'blockers'>} server
 * @param {number} firstByteMs from writing the request to the headers of its response
 * @returns {{route: string, waitedMs: number}[]}
 */
export function measureBlockers({ blockers }, firstByteMs) {
  return blockers.flatMap(({ route, ms, agoMs }) => {
    const waitedMs = Math.min(firstByteMs, agoMs + ms) - Math.min(firstByteMs, agoMs);
    return waitedMs >= LEAST_MS ? { route, waitedMs } : [];
  });
}
