/** Users of one scenario, run by the engine with real services, and what was recorded of them. */
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { mergeSketches } from '../../../lib/base/math/sketch.js';
import { startChild } from '../../../lib/base/process/child.js';
import { createEngine } from '../../../lib/load/engine/index.js';
import { createErrorSamples } from '../../../lib/load/metrics/error-samples.js';
import { createSecondRecorder } from '../../../lib/load/metrics/second-recorder.js';
import { createTokenHolder } from '../../../lib/load/token-holder.js';

const PYTHON = path.resolve('.venv/bin/python');
const SERVER = path.join(import.meta.dirname, 'fixtures', 'socketio_server.py');

/** Starts a python-socketio server for the tests of a file. */
export function usePythonServer() {
  const server = {
    /** its address, from the first test on */
    target: '',
    /** @type {Record<string, any>[]} what it told */
    told: [],
    /**
     * The messages of a kind, when there are so many: what it told is on its way for a moment.
     * @param {string} kind
     * @param {number} count
     */
    async of(kind, count) {
      for (let tries = 0; tries < 100; tries++) {
        const all = server.told.filter(message => message.kind === kind);
        if (all.length >= count) return all;
        await setTimeout(10);
      }
      return server.told.filter(message => message.kind === kind);
    },
  };
  /** @type {import('../../../lib/base/process/child.js').OwnedChild} */
  let child;
  before(async () => {
    child = startChild(PYTHON, [SERVER], { stdout: 'pipe', stderr: 'inherit' });
    const stdout = /** @type {import('node:stream').Readable} */ (child.process.stdout);
    await new Promise(resolve => {
      createInterface({ input: stdout }).on('line', line => {
        const message = JSON.parse(line);
        server.told.push(message);
        if (message.kind !== 'listening') return;
        server.target = `http://127.0.0.1:${message.port}`;
        resolve(undefined);
      });
    });
  });
  after(() => child.stop({ signal: 'SIGKILL' }));
  return server;
}

/**
 * @param {object} load
 * @param {string} load.target
 * @param {Record<string, any>[]} load.flow
 * @param {'socketio' | 'ws'} [load.engine]
 * @param {Record<string, any>} [load.config]
 * @param {Record<string, any>} [load.socketio] of the scenario
 * @param {Record<string, any>} [load.processor]
 * @param {string[]} [load.tokens]
 * @param {import('../../../lib/load/engine/engine.d.ts').TokenPlaces} [load.tokenPlaces]
 */
export async function createLoad(load) {
  /** @type {Record<string, any>[]} */
  const seconds = [];
  /** @type {Record<string, any>[]} */
  const errors = [];
  /** @type {string[]} */
  const learned = [];
  const writer = /** @type {any} */ ({
    append: (/** @type {string} */ _kind, /** @type {any} */ error) => errors.push(error),
  });
  const recorder = createSecondRecorder(second => seconds.push(second));
  const tokens = createTokenHolder(load.tokens);
  const services = {
    recorder,
    samples: createErrorSamples(writer, createRedactor()),
    tokens,
    tokenPlaces: load.tokenPlaces ?? { cookie: null, authField: null },
    learn: (/** @type {string} */ secret) => learned.push(secret),
    warn: (/** @type {string} */ text) => assertNever(text),
    sockets: { open: 0 },
  };
  const ee = new EventEmitter();
  ee.on('error', name => recorder.count(`errors.${name}`, 1));
  const { target, flow, engine: kind = 'socketio', processor = {} } = load;
  const { socketio = { transports: ['websocket'] } } = load;
  const config = { target, processor, ...load.config };
  const scenario = createEngine({ config }, services)({ engine: kind, socketio, flow }, ee);
  return {
    tokens,
    errors,
    learned,
    sockets: services.sockets,
    /**
     * A user's life.
     * @param {Record<string, any>} [vars]
     * @returns {Promise<{error: any, context: any}>}
     */
    run: (vars = {}) =>
      new Promise(resolve => {
        const context = { vars: { target, ...vars }, funcs: {}, scenario: { socketio, flow } };
        scenario(context, (error, after) => resolve({ error, context: after }));
      }),
    /** Everything that was recorded so far. */
    recorded() {
      recorder.flush({ all: true });
      /** @type {Record<string, number>} */
      const counters = {};
      /** @type {Record<string, any[]>} */
      const parts = {};
      for (const second of seconds) {
        for (const [name, n] of Object.entries(second.counters)) {
          counters[name] = (counters[name] ?? 0) + Number(n);
        }
        for (const [name, sketch] of Object.entries(second.sketches)) {
          parts[name] = [...(parts[name] ?? []), sketch];
        }
      }
      /** @type {Record<string, any>} */
      const sketches = Object.fromEntries(
        Object.entries(parts).map(([name, list]) => [name, mergeSketches(list)]),
      );
      return { counters, sketches };
    },
  };
}

/** @param {string} text @returns {never} */
function assertNever(text) {
  throw new Error(`unexpected warning: ${text}`);
}
