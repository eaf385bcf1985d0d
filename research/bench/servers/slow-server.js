/**
 * `node slow-server.js <delayMs> [<stallEveryMs> <stallForMs>]`: an HTTP server that takes exactly as
 * long as it is told to, and keeps the true time of each answer. Prints its port.
 *
 * A timer of Node fires up to a millisecond late, so this one looks at the clock all the time while
 * an answer is due; it wants a processor of its own. In a stall nothing is answered until its end.
 * `GET /truth` gives the times as JSON: from the request's headers being read to the answer being
 * handed to the kernel.
 */
import { createServer } from 'node:http';
import { quantile } from '../../../lib/base/math/summary.js';

const [delayMs = 0, stallEveryMs = 0, stallForMs = 0] = process.argv.slice(2).map(Number);
const BODY = '{"ok":true}';
const HEADERS = { 'content-type': 'application/json', 'content-length': String(BODY.length) };

/** @type {{response: import('node:http').ServerResponse, startMs: number, dueMs: number}[]} */
let waiting = [];
/** @type {number[]} */
let times = [];
let watching = false;
const bornMs = performance.now();

/** When a request that came at `nowMs` is to be answered. @param {number} nowMs */
function dueAt(nowMs) {
  const intoPeriod = stallEveryMs ? (nowMs - bornMs) % stallEveryMs : Number.POSITIVE_INFINITY;
  const stallLeftMs = Math.max(0, stallForMs - intoPeriod);
  return nowMs + stallLeftMs + delayMs;
}

function answerWhatIsDue() {
  const nowMs = performance.now();
  if (waiting.some(({ dueMs }) => dueMs <= nowMs)) {
    const due = waiting.filter(({ dueMs }) => dueMs <= nowMs);
    waiting = waiting.filter(({ dueMs }) => dueMs > nowMs);
    for (const { response, startMs } of due) {
      response.writeHead(200, HEADERS).end(BODY);
      times.push(performance.now() - startMs);
    }
  }
  watching = waiting.length > 0;
  if (watching) setImmediate(answerWhatIsDue);
}

const server = createServer({ keepAliveTimeout: 3_600_000 }, (request, response) => {
  const startMs = performance.now();
  if (request.url === '/truth') {
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(describeTimes()));
    return;
  }
  waiting.push({ response, startMs, dueMs: dueAt(startMs) });
  if (!watching) {
    watching = true;
    setImmediate(answerWhatIsDue);
  }
});

/** Of everything since the last question. */
function describeTimes() {
  const truth = {
    count: times.length,
    min: Math.min(...times.slice(0, 100_000)),
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
  };
  times = [];
  return truth;
}

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(port);
});
