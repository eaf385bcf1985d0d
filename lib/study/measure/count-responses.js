/** What was asked and answered over HTTP, socket.io and WebSocket, from `second` records. */
import { countersBelow, Sums, totalCount } from '../../analysis/load/counters.js';
import { Sketch } from '../../math/sketch.js';

/** Sketches that have an entry for each answer that came over a socket. */
const SOCKET_TIMES = [
  'socketio.acknowledge_time',
  'socketio.response_wait',
  'websocket.reply_time',
];
const OVER_SOCKETS = /^(socketio|websocket)\./;
/** Errors of a step whose answer came and was not the one that the scenario wants. */
const WRONG_ANSWERS = ['data is not valid', 'Failed capture or match'];

/**
 * @typedef {object} Responses
 * @property {number} requests sent over HTTP; messages that wait for an answer
 * @property {number} answers
 * @property {number} good HTTP below 400, acknowledgements, replies
 * @property {number} redirects
 * @property {number} errors 400 and above, wrong answers over a socket, and no answer
 * @property {{name: string, count: number}[]} errorNames the most frequent first; with `HTTP 500`
 * @property {Sketch} times ms, of all answers
 */

/** @param {Record<string, any>[]} records `second` records @returns {Responses} */
export function countResponses(records) {
  const sums = Sums.of(records);
  const { counters } = sums;
  const http = countHttp(records, counters);
  const errorNames = countersBelow(counters, 'errors.');
  const total = sums.sketch('http.total');
  const sockets = SOCKET_TIMES.map(name => sums.sketch(name));
  const times = new Sketch();
  times.merge(total.count > 0 ? total : sums.sketch('http.response_time'));
  for (const sketch of sockets) times.merge(sketch);
  const replies = totalCount(sockets);
  const usesSockets = Object.keys(counters).some(name => OVER_SOCKETS.test(name));
  // Each HTTP request without an answer is one of the errors, too.
  const failed = usesSockets ? Math.max(0, totalCount(errorNames) - http.unanswered) : 0;
  const wrong = totalCount(errorNames.filter(({ name }) => WRONG_ANSWERS.includes(name)));
  const wrongReplies = Math.min(failed, replies, wrong);
  return {
    requests: http.requests + replies + failed - wrongReplies,
    answers: http.answers + replies,
    good: http.answers - http.refused + replies - wrongReplies,
    redirects: http.redirects,
    errors: http.refused + http.unanswered + failed,
    errorNames: [
      ...errorNames,
      ...http.refusals.map(({ name, count }) => ({ name: `HTTP ${name}`, count })),
    ].sort((a, b) => b.count - a.count),
    times,
  };
}

/** @param {Record<string, any>[]} records @param {Record<string, number>} counters */
function countHttp(records, counters) {
  const codes = countersBelow(counters, 'http.codes.');
  const refusals = codes.filter(({ name }) => Number(name) >= 400);
  const refused = totalCount(refusals);
  const endpoints = records.flatMap(record => Object.values(record.endpoints ?? {}));
  const failed = endpoints.reduce((sum, endpoint) => sum + Number(endpoint.errors ?? 0), 0);
  return {
    requests: counters['http.requests'] ?? 0,
    answers: totalCount(codes),
    redirects: totalCount(codes.filter(({ name }) => name.startsWith('3'))),
    refusals,
    refused,
    unanswered: Math.max(0, failed - refused),
  };
}
