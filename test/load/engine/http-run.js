/** Runs a scenario on the engine against a server of the test, and tells what came of it. */
import { EventEmitter } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { Endpoints } from '../../../lib/analysis/read/load/endpoints.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { mergeSketches } from '../../../lib/base/math/sketch.js';
import { FUNCTIONS } from '../../../lib/load/engine/flow/functions.js';
import { ARRIVAL } from '../../../lib/load/engine/http/http-user.js';
import { createEngine } from '../../../lib/load/engine/index.js';
import { createErrorSamples } from '../../../lib/load/metrics/error-samples.js';
import { createSecondRecorder } from '../../../lib/load/metrics/second-recorder.js';
import { createTokenHolder } from '../../../lib/load/token-holder.js';
import { listen } from '../../helpers/listen.js';

/**
 * @typedef {object} Seen a request as the server got it
 * @property {string} method
 * @property {string} url
 * @property {Record<string, any>} headers
 * @property {string} body
 * @property {number} connection which one of the server's
 */

/**
 * A server on a free port that notes what it is asked.
 * @param {import('node:test').TestContext} t closes it
 * @param {(request: http.IncomingMessage & {body: string}, response: http.ServerResponse) => void} [answer]
 */
export async function serve(t, answer = (_request, response) => void response.end('{"id":7}')) {
  /** @type {Seen[]} */
  const seen = [];
  /** @type {Map<net.Socket, number>} */
  const connections = new Map();
  const server = http.createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({
        method: String(request.method),
        url: String(request.url),
        headers: request.headers,
        body,
        connection: connections.get(request.socket) ?? 0,
      });
      answer(Object.assign(request, { body }), response);
    });
  });
  server.on('connection', socket => connections.set(socket, connections.size + 1));
  const target = await listen(t, server);
  return { target, seen, connections };
}

/**
 * A server that answers with bytes, whatever it is asked.
 * @param {import('node:test').TestContext} t
 * @param {(socket: net.Socket, data: Buffer) => void} answer once per request
 */
export async function serveBytes(t, answer) {
  const server = net.createServer(socket => {
    socket.on('error', () => {});
    socket.on('data', data => answer(socket, data));
  });
  return { target: await listen(t, server) };
}

/**
 * @param {object} options
 * @param {string} options.target
 * @param {any[]} options.flow
 * @param {Record<string, any>} [options.config]
 * @param {Record<string, any>} [options.scenario]
 * @param {Record<string, any>} [options.vars]
 * @param {Record<string, any>} [options.processor]
 * @param {string[]} [options.tokens]
 * @param {number} [options.users] one after the other
 * @param {any} [options.slot] of a closed-loop user
 */
export async function runScenario({
  target,
  flow,
  config = {},
  scenario = {},
  vars = {},
  processor = {},
  tokens = [],
  users = 1,
  slot = null,
}) {
  /** @type {Record<string, number>} */
  const counters = {};
  /** @type {any[]} */
  const seconds = [];
  /** @type {any[]} */
  const samples = [];
  /** @type {any[]} */
  const errors = [];
  /** @type {string[]} */
  const warnings = [];
  const ee = new EventEmitter();
  const add = (/** @type {string} */ name, value = 1) => {
    counters[name] = (counters[name] ?? 0) + value;
  };
  ee.on('error', code => add(`errors.${code}`));
  ee.on('counter', add);
  ee.on('started', () => add('started'));
  const recorder = createSecondRecorder(record => seconds.push(record));
  const writer = /** @type {any} */ ({
    append: (/** @type {string} */ _kind, /** @type {any} */ sample) => samples.push(sample),
  });
  const redactor = createRedactor();
  const services = {
    recorder,
    samples: createErrorSamples(writer, redactor),
    tokens: createTokenHolder(tokens),
    tokenPlaces: { cookie: null, authField: null },
    learn() {},
    warn: (/** @type {string} */ text) => void warnings.push(text),
    sockets: { open: 0 },
  };
  const script = { config: { target, processor, ...config } };
  const run = createEngine(script, services)({ flow, ...scenario }, ee);
  /** @type {any[]} */
  const contexts = [];
  for (let user = 0; user < users; user++) {
    const context = {
      vars: { target, $scenarioFile: import.meta.filename, ...vars },
      funcs: FUNCTIONS,
      scenario,
      [ARRIVAL]: { intendedAtMs: performance.now() - 5, slot },
    };
    contexts.push(context);
    await new Promise(resolve => {
      run(context, error => {
        if (error) errors.push(error);
        resolve(undefined);
      });
    });
  }
  recorder.flush({ all: true });
  /** @type {Record<string, any>} */
  const endpoints = {};
  for (const record of seconds) {
    for (const [name, count] of Object.entries(record.counters)) add(name, Number(count));
    for (const [name, part] of Object.entries(record.endpoints)) {
      endpoints[name] = addEndpoint(endpoints[name], part);
    }
  }
  const sums = new Endpoints();
  for (const record of seconds) sums.add(record);
  for (const name of Object.keys(endpoints)) {
    const { server } = sums.of(name);
    if (server) endpoints[name].server = server;
  }
  return {
    counters,
    endpoints,
    samples,
    seconds,
    errors,
    warnings,
    contexts,
    services,
    vars: contexts[0].vars,
  };
}

/**
 * An endpoint's figures of two seconds: a scenario may lie on both sides of a full one.
 * @param {any} one @param {any} other
 */
function addEndpoint(one, other) {
  if (!one) return other;
  const statuses = { ...one.statuses };
  for (const [status, answers] of Object.entries(other.statuses)) {
    const before = statuses[status];
    statuses[status] = before ? addAnswers(before, answers) : answers;
  }
  return {
    ...one,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    statuses,
    ...addCounts('routes', one.routes, other.routes),
  };
}

/** @param {string} name @param {Record<string, number>} one @param {Record<string, number>} [other] */
function addCounts(name, one = {}, other = {}) {
  const all = { ...one };
  for (const [key, count] of Object.entries(other)) all[key] = (all[key] ?? 0) + count;
  return Object.keys(all).length > 0 ? { [name]: all } : {};
}

/** @param {any} one @param {any} other */
function addAnswers(one, other) {
  const merge = (/** @type {string} */ name) => {
    const parts = [one[name], other[name]].filter(Boolean);
    return parts.length > 0 ? { [name]: mergeSketches(parts).toJson() } : {};
  };
  return { count: one.count + other.count, ...merge('timeToFirstByte'), ...merge('total') };
}
