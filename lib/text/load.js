/** What a load test was: its engine and times. */

/** @import { LatencySummary } from '../facts/estimate.d.ts' */
/** @import { LoadReport } from '../facts/load-report.d.ts' */

/** @type {Record<LoadReport['phases'][number]['model'], string | null>} */
const MODELS = { open: 'open arrivals', closed: 'closed loop', none: null };

/**
 * Who sent the load and how users came: "loadflame's engine, open arrivals". Times of a closed loop
 * say something else than those of open arrivals, so it is always said where it is known.
 * @param {LoadReport} load
 */
export function describeEngine({ engine, phases }) {
  const name = engine === 'artillery' ? 'Artillery' : engine;
  const models = new Set(phases.flatMap(({ model }) => MODELS[model] ?? []));
  return `${name}'s engine${models.size > 0 ? `, ${[...models].join(' and ')}` : ''}`;
}

const FROM_INTENDED = 'total from the intended start';

/**
 * Times of a load test with their names, the most telling first.
 * @param {LoadReport} load
 * @returns {{name: string, times: LatencySummary, detail: boolean}[]}
 *   only what was measured; `detail` is what the page alone shows, because a doubt about it is told
 *   with the quality of the measurement
 */
export function listTimes({ http, socketio, websocket, users }) {
  /** @type {[string, LatencySummary | null | undefined][]} */
  const all = [
    ['time to first byte', http.timeToFirstByte],
    ['total', http.totalTime],
    [FROM_INTENDED, http.totalFromIntended],
    ['socket.io connect', socketio?.connectTime],
    ['socket.io upgrade', socketio?.upgradeTime],
    ['socket.io acknowledgement', socketio?.acknowledged],
    ['socket.io response', socketio?.responseWait],
    ['socket.io wait for a push', socketio?.pushWait],
    ['WebSocket connect', websocket?.connectTime],
    ['WebSocket reply', websocket?.replyTime],
    ['session of a user', users.sessionMs],
  ];
  return all.flatMap(([name, times]) =>
    times ? [{ name, times, detail: name === FROM_INTENDED }] : [],
  );
}

/** How socket.io connections ended: "39 × io client disconnect, 2 × transport close". @param {NonNullable<LoadReport['socketio']>} socketio */
export function describeDisconnects({ disconnects }) {
  return disconnects.map(({ reason, count }) => `${count} × ${reason}`).join(', ');
}
