/** Socket.io connections that failed. @type {import('./index.js').FindingRule} */
export function findUnansweredEvents({ load }) {
  const socketio = load?.socketio;
  if (!socketio?.connectErrors || socketio.connects === null) return [];
  const all = socketio.connects + socketio.connectErrors;
  return [
    {
      id: 'socketio-connect-errors',
      severity: socketio.connectErrors > all * 0.05 ? 'bad' : 'warn',
      title: `${socketio.connectErrors} of ${all} socket.io connections failed.`,
      detail:
        'With several gunicorn workers there are no sticky sessions: only the websocket transport works, or one worker per pod.',
      evidence: [{ label: 'connections', value: `${socketio.connects} made` }],
      advice: 'Check `socketio.path` and `transports: [websocket]` in the scenario.',
      link: 'errors',
    },
  ];
}
