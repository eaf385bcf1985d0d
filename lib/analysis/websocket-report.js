/** Connections, messages and their times of a load test over WebSocket. */
import { mergeNamedSketches } from './counters.js';
import { summarizeLatency } from './latency.js';

/**
 * @param {Record<string, number>} counters
 * @param {Record<string, any>[]} records
 * @returns {import('./report.d.ts').LoadReport['websocket']} null where it was not used
 */
export function buildWebsocket(counters, records) {
  const count = (/** @type {string} */ name) => counters[`websocket.${name}`] ?? 0;
  const times = (/** @type {string} */ name) =>
    summarizeLatency(mergeNamedSketches(records, `websocket.${name}`));
  if (count('connect') + count('connect_error') + count('messages_sent') === 0) return null;
  return {
    connects: count('connect'),
    connectErrors: count('connect_error'),
    sent: count('messages_sent'),
    received: count('messages_received'),
    replies: count('replies'),
    bytesSent: count('bytes_sent'),
    bytesReceived: count('bytes_received'),
    connectTime: times('connect_time'),
    replyTime: times('reply_time'),
  };
}
