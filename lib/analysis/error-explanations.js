/** What the names of errors mean to somebody who did not write the load generator. */

/** @type {[pattern: RegExp, explanation: string][]} */
const EXPLANATIONS = [
  [
    /ECONNREFUSED/,
    'nothing listens at the target address: is the API running, and is the port right?',
  ],
  [
    /ECONNRESET|EPIPE/,
    'the target closed the connection in the middle: a worker was restarted or killed, or a proxy gave up',
  ],
  [
    /ETIMEDOUT|ESOCKETTIMEDOUT|Timeout awaiting/i,
    'no answer within the timeout (10 s unless the script says otherwise): the target is overloaded or stuck',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name of the target can not be looked up'],
  [
    /EADDRNOTAVAIL/,
    'this machine ran out of local ports: set config.http.pool so that connections are reused',
  ],
  [/EMFILE/, 'this machine ran out of file descriptors: raise `ulimit -n`'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|certificate/i,
    "the target's TLS certificate is not trusted here",
  ],
  [/HPE_|Parse Error/, 'the answer is not valid HTTP'],
  [/capture|match/i, 'a capture or match of the script did not find what it wants in the answer'],
  [
    /websocket error|xhr poll error|transport/i,
    'the socket.io connection failed: with several gunicorn workers only the websocket transport works',
  ],
  [
    /response timeout|acknowledge/i,
    'a socket.io event was not answered in time: the server ignores it, often because the cookie or token is missing',
  ],
  [/Too many redirects|ERR_TOO_MANY/i, 'redirects went round in a circle'],
];

/** @param {string} name @returns {string | null} */
export function explainError(name) {
  return EXPLANATIONS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
