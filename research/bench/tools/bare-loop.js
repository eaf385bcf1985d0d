/**
 * `node bare-loop.js <job as JSON>`: the floor. The least that a program of Node's can do for a load,
 * over its own sockets: it writes a GET, looks for the response's end, and that is all. Nothing is
 * checked, named or recorded; with `rate` it keeps the times, for a latency to compare with, and
 * prints them at the end.
 */
import net from 'node:net';
import tls from 'node:tls';
import { quantile } from '../../../lib/base/math/summary.js';

/** @type {Pick<import('../bench.d.ts').Job, 'shape' | 'url' | 'durationSec' | 'users' | 'perSec' | 'keepConnections'>} */
const job = JSON.parse(process.argv[2] ?? '{}');
const { hostname, port, host, protocol } = new URL(job.url);
const GET = Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
const untilMs = performance.now() + job.durationSec * 1000;

/** @typedef {net.Socket & {onResponse: () => void}} Connection */

/** @returns {Connection} */
function open() {
  const address = { host: hostname, port: Number(port), noDelay: true };
  const socket =
    protocol === 'https:'
      ? tls.connect({ ...address, rejectUnauthorized: false }).setNoDelay(true)
      : net.connect(address);
  const connection = Object.assign(socket, { onResponse() {} });
  let missing = 0;
  connection.on('data', (/** @type {Buffer} */ chunk) => {
    missing = (missing || readLength(chunk)) - chunk.length;
    if (missing === 0) connection.onResponse();
  });
  return connection;
}

/** Of a response whose head is in one piece, as these servers send it. @param {Buffer} chunk */
function readLength(chunk) {
  const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4);
  return head.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
}

/** One user: so many requests on a connection, then, while there is time, anew. @param {number} requests */
function repeat(requests) {
  const connection = open();
  let left = requests;
  connection.onResponse = () => {
    left -= 1;
    if (left > 0 && performance.now() < untilMs) connection.write(GET);
    else {
      connection.destroy();
      if (performance.now() < untilMs) repeat(requests);
    }
  };
  connection.write(GET);
}

/** Requests that begin at a rate; prints their latency. */
function pace() {
  const { perSec, durationSec, keepConnections } = job;
  const count = perSec * durationSec;
  const latencies = new Float64Array(count);
  /** @type {Connection[]} */
  const free = [];
  const startMs = performance.now();
  let sent = 0;
  let answered = 0;
  const send = (/** @type {number} */ at) => {
    const sentMs = performance.now();
    const connection = free.pop() ?? open();
    connection.onResponse = () => {
      latencies[at] = performance.now() - sentMs;
      if (keepConnections) free.push(connection);
      else connection.destroy();
      answered += 1;
      if (answered < count) return;
      for (const one of free) one.destroy();
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map(q => quantile([...latencies], q));
      console.log(JSON.stringify({ p50, p95, p99 }));
    };
    connection.write(GET);
  };
  const wake = () => {
    while (sent < count && startMs + (sent * 1000) / perSec <= performance.now()) send(sent++);
    if (sent < count) {
      const waitMs = startMs + (sent * 1000) / perSec - performance.now();
      setTimeout(wake, Math.max(1, Math.ceil(waitMs - 0.05)));
    }
  };
  wake();
}

const REQUESTS = { closed: Number.POSITIVE_INFINITY, 'users-of-10': 10, 'users-of-1': 1 };
const requests = REQUESTS[/** @type {keyof typeof REQUESTS} */ (job.shape)];
if (job.shape === 'rate') pace();
else for (let user = 0; user < job.users; user++) repeat(requests);
