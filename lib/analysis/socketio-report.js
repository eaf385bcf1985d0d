/** Connections, events and their times of a load test with socket.io. */
import { countersBelow, mergeNamedSketches } from './counters.js';
import { summarizeLatency } from './latency.js';

/**
 * @param {Record<string, number>} counters
 * @param {Record<string, any>[]} records
 * @returns {import('./report.d.ts').LoadReport['socketio']} null where socket.io was not used
 */
export function buildSocketio(counters, records) {
  const connects = counters['socketio.connect'] ?? 0;
  const connectErrors = counters['socketio.connect_error'] ?? 0;
  const emits = counters['socketio.emit'] ?? 0;
  if (connects + connectErrors + emits === 0) return null;
  const times = (/** @type {string} */ name) =>
    summarizeLatency(mergeNamedSketches(records, `socketio.${name}`));
  return {
    connects,
    connectErrors,
    reconnects: counters['socketio.reconnect'] ?? 0,
    disconnects: countersBelow(counters, 'socketio.disconnect.').map(({ name, count }) => ({
      reason: name,
      count,
    })),
    emits,
    received: counters['socketio.received'] ?? null,
    bytesSent: counters['socketio.bytes_sent'] ?? null,
    bytesReceived: counters['socketio.bytes_received'] ?? null,
    connectTime: times('connect_time'),
    upgradeTime: times('upgrade_time'),
    acknowledged: times('acknowledge_time'),
    responseWait: times('response_wait'),
    pushWait: times('push_wait'),
    pushLatency: times('push_latency'),
  };
}
