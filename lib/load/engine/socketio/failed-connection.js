/** A connection of socket.io that could not be opened: counts it, and keeps a sample with the reason. */
import { nameError } from '../../metrics/error-samples.js';

/** @import { Socket } from 'socket.io-client' */
/** @import { Services } from '../engine.d.ts' */

/**
 * @param {any} error from `connect_error`
 * @param {Socket} socket
 * @param {Services} services
 */
export function countFailedConnection(error, socket, { recorder, samples }) {
  recorder.count('socketio.connect_error', 1);
  // The transport's message is "websocket error"; its description has the reason.
  const { description } = error;
  const code = nameError(description?.error ?? description ?? error);
  const endpoint = 'socket.io connect';
  if (!samples.wants(endpoint, code)) return;
  const { status = null, responseText } = error.context ?? {};
  const parts = [error.message, responseText, JSON.stringify(error.data)];
  const { uri: url } = /** @type {any} */ (socket.io);
  samples.add({ endpoint, code, status, url, body: parts.filter(Boolean).join('\n') });
}
