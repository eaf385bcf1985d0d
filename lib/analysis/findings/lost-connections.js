import { formatNumberOf, formatPercent } from '../../format.js';

/** The user's own goodbye. */
const OWN_END = 'io client disconnect';
/** Share of the connections. */
const MANY = 0.01;

/** Reasons in socket.io's words, and what they mean to somebody who runs a server. @type {Record<string, string>} */
const MEANINGS = {
  'transport close':
    'the server or something between closed the connection: a worker was restarted, or a proxy gave up',
  'transport error': 'the connection broke: a worker was killed, or a proxy gave up',
  'ping timeout': "the server's pings did not come in time: its event loop was busy or stuck",
  'io server disconnect': 'the server sent the user away: an expired token, or its own rules',
  'parse error': 'something arrived that is no socket.io message',
};

/** Socket.io connections that ended against the user's will. @type {import('./index.js').FindingRule} */
export function findLostConnections({ load }) {
  const socketio = load?.socketio;
  const lost = socketio?.disconnects.filter(({ reason }) => reason !== OWN_END) ?? [];
  const [most] = lost;
  if (!socketio?.connects || !most) return [];
  const total = lost.reduce((sum, { count }) => sum + count, 0);
  const share = Math.min(1, total / socketio.connects);
  return [
    {
      id: 'lost-connections',
      severity: share > MANY ? 'warn' : 'info',
      title: `${formatNumberOf(total, 'socket.io connection')} of ${socketio.connects} ended against the user's will (${formatPercent(share)}), most with "${most.reason}".`,
      detail: MEANINGS[most.reason] ?? 'This reason is not one of socket.io itself.',
      evidence: [
        ...lost.map(({ reason, count }) => ({ label: reason, value: `${count} ×` })),
        ...(socketio.reconnects
          ? [{ label: 'connected again', value: `${socketio.reconnects} ×` }]
          : []),
      ],
      advice: 'Read the log of the API, and of the proxy before it, at the same time.',
      link: 'load',
    },
  ];
}
