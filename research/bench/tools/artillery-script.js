/** The scripts that this engine and Artillery's run: the same for both. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** More than a run gets through. */
const FOR_EVER = 1_000_000_000;
const GET = { get: { url: '/' } };
const EMIT = { emit: { channel: 'echo', data: 'hello' }, acknowledge: {} };
const SOCKETS = { engine: 'socketio', socketio: { transports: ['websocket'] } };

/**
 * Users per second, a little more than the engine gets done on one processor: with more it skips
 * more arrivals, and these cost, too. Measured for Artillery: 300 to 400 users of 10 requests, 1,400
 * to 1,600 users of one.
 */
const SATURATION = {
  artillery: { 'users-of-10': 500, 'users-of-1': 2000 },
  loadflame: { 'users-of-10': 3500, 'users-of-1': 8000 },
};

/** @typedef {import('../bench.d.ts').Job} Job */
/** @typedef {keyof typeof SATURATION} Engine */

/** @type {Record<import('../bench.d.ts').Shape, (job: Job, engine: Engine) => {phase: object, scenario: object, config?: object}>} */
const SHAPES = {
  closed: ({ users }) => ({
    phase: { duration: 1, arrivalCount: users },
    scenario: { flow: [{ loop: [GET], count: FOR_EVER }] },
  }),
  'users-of-10': (job, engine) => describeUsers(job, SATURATION[engine]['users-of-10'], 10),
  'users-of-1': (job, engine) => describeUsers(job, SATURATION[engine]['users-of-1'], 1),
  rate: ({ durationSec, perSec, users, keepConnections }) => ({
    phase: { duration: durationSec, arrivalRate: perSec },
    config: keepConnections ? { http: { pool: users } } : {},
    scenario: { flow: [GET] },
  }),
  'sockets-idle': ({ durationSec, users, perSec }) => ({
    phase: { duration: Math.ceil(users / perSec), arrivalCount: users },
    scenario: { ...SOCKETS, flow: [EMIT, { think: durationSec }] },
  }),
  'sockets-emit': ({ users }) => ({
    phase: { duration: 1, arrivalCount: users },
    scenario: { ...SOCKETS, flow: [{ loop: [EMIT], count: FOR_EVER }] },
  }),
};

/** @param {Job} job @param {number} arrivalRate @param {number} requests of each user */
function describeUsers({ durationSec: duration, users: maxVusers }, arrivalRate, requests) {
  const flow = Array(requests).fill(GET);
  return { phase: { duration, arrivalRate, maxVusers }, scenario: { flow } };
}

/**
 * @param {Job} job
 * @param {Engine} engine
 * @param {object} [phase] instead of what the shape says
 * @returns {string} the script's file
 */
export function writeArtilleryScript(job, engine, phase) {
  const shape = SHAPES[job.shape](job, engine);
  const tls = job.url.startsWith('https:') ? { tls: { rejectUnauthorized: false } } : {};
  const config = { target: job.url, phases: [phase ?? shape.phase], ...tls, ...shape.config };
  const file = path.join(job.dir, 'script.json');
  writeFileSync(file, JSON.stringify({ config, scenarios: [shape.scenario] }, null, 2));
  return file;
}
