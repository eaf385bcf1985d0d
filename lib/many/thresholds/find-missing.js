/** Why a run does not know what a threshold is about. */
import { findSent } from '../../facts/measures.js';

/** @import { Measure } from '../../facts/measures.js' */
/** @import { Report } from '../../facts/report.d.ts' */
/** @import { Missing, Threshold } from '../../facts/threshold.d.ts' */

/**
 * @param {Measure} measure @param {Report} report @param {Pick<Threshold, 'endpoint' | 'category'>} threshold
 * @returns {Missing}
 */
export function findMissing({ id, threshold = id, needs }, report, { endpoint, category }) {
  const { load, cpu, profile } = report;
  if (load && load.http.requests > 0 && !findSent(load, endpoint))
    return endpoint === '*'
      ? { id: 'no-endpoints', facts: {} }
      : { id: 'no-endpoint', facts: { endpoint: endpoint ?? '' } };
  if (needs === 'profile' || needs === 'workers') {
    if (needs === 'profile' || category !== null ? !profile : !cpu)
      return { id: 'no-profile', facts: {} };
    if (needs === 'profile') return { id: 'no-samples', facts: {} };
    const isPerRequest = id === 'cpuMsPerRequest' && cpu?.basis === 'process-cpu';
    if (!isPerRequest || (load && load.http.requests > 0)) return { id: 'no-workers', facts: {} };
  }
  if (!load) return { id: 'no-load', facts: {} };
  if (needs === 'users') return { id: 'no-users', facts: {} };
  if (needs === 'socketio')
    return { id: 'no-socketio-time', facts: { isUsed: Boolean(load.socketio) } };
  const { requests, timeToFirstByte, totalTime } = load.http;
  if (requests === 0) {
    const { websocket, socketio } = load;
    return {
      id: 'no-requests',
      facts: { websocket: Boolean(websocket), socketio: Boolean(socketio) },
    };
  }
  if (!timeToFirstByte && !totalTime) return { id: 'no-responses', facts: { requests } };
  if (needs === 'schedule') {
    const isClosed = load.phases.some(({ model }) => model === 'closed');
    return { id: 'no-schedule', facts: { isClosed } };
  }
  return threshold.startsWith('http.') && !totalTime
    ? { id: 'no-total-time', facts: { use: threshold.replace('http.', 'ttfb.') } }
    : { id: 'no-responses', facts: { requests: findSent(load, endpoint)?.requests ?? requests } };
}
