/**
 * Artillery's socket.io engine, with what it lacks: a token that is current when a user connects,
 * a count of connections, the time that an answer took, and an end to waiting for one that never
 * comes. Without the last, one unanswered message keeps a load test from ever ending.
 */

import { nameError } from '../metrics/error-samples.js';
import { SocketIoEngine } from './artillery-internals.js';

const DEFAULT_TIMEOUT_SEC = 10;
/** On the context of a user: the emit that waits for an answer now. */
const WAIT = Symbol('wait for an answer');

/**
 * @typedef {object} TokenPlaces where a handshake carries the token
 * @property {string | null} cookie name of the cookie
 * @property {string | null} authField field of the `auth` payload
 */

/**
 * @param {import('../token-holder.js').TokenHolder} tokens
 * @param {TokenPlaces} places
 * @param {import('../metrics/error-samples.js').ErrorSamples} samples
 */
export function patchSocketIoEngine(tokens, places, samples) {
  const { step, createScenario, loadContextSocket } = SocketIoEngine.prototype;
  /** @type {WeakMap<object, any>} the event emitter of an engine */
  const emitters = new WeakMap();

  /** @this {any} @param {any} spec @param {any} ee */
  SocketIoEngine.prototype.createScenario = function patchedCreateScenario(spec, ee) {
    emitters.set(this, ee);
    return createScenario.call(this, spec, ee);
  };

  /** @this {any} @param {string} namespace @param {any} context @param {any} callback */
  SocketIoEngine.prototype.loadContextSocket = function patchedLoadContextSocket(
    namespace,
    context,
    callback,
  ) {
    if (context.sockets?.[namespace]) {
      return loadContextSocket.call(this, namespace, context, callback);
    }
    const ee = emitters.get(this);
    const token = () => tokens.pick(context, this.config);
    // Options of all scenarios end up in one shared object; a user gets those of its own scenario.
    const socketioOpts = addToken(
      { forceNew: true, ...this.config.socketio, ...context.scenario?.socketio },
      token,
      places,
    );
    const engine = Object.create(this, { socketioOpts: { value: socketioOpts } });
    let called = false;
    // A connection that breaks later reports again, and a second call would end the worker.
    const result = loadContextSocket.call(
      engine,
      namespace,
      context,
      (/** @type {any[]} */ ...args) => {
        if (called) return;
        called = true;
        callback(...args);
      },
    );
    keepAnswers(context.sockets[namespace], context);
    watch(context.sockets[namespace], ee, samples, () => {
      const fresh = addToken(socketioOpts, token, places);
      context.sockets[namespace].io.opts.extraHeaders = fresh.extraHeaders;
    });
    return result;
  };

  /** @this {any} @param {any} spec @param {any} ee */
  SocketIoEngine.prototype.step = function patchedStep(spec, ee) {
    if (!spec.emit || spec.loop || !(spec.acknowledge || spec.response)) {
      return step.call(this, spec, ee);
    }
    return (/** @type {any} */ context, /** @type {any} */ callback) => {
      const wait = createWait(this.config, spec, ee, samples, callback);
      context[WAIT] = wait;
      return step.call(this, spec, wait.emitter)(context, wait.finish);
    };
  };
}

/**
 * @param {Record<string, any>} options of the socket.io client
 * @param {() => string | null} token
 * @param {TokenPlaces} places
 */
function addToken(options, token, { cookie, authField }) {
  const value = token();
  if (!value) return options;
  const added = { ...options };
  if (cookie) {
    const { cookie: own, Cookie, ...headers } = options.extraHeaders ?? {};
    const others = String(own ?? Cookie ?? '')
      .split(/;\s*/)
      .filter(item => item !== '' && !item.startsWith(`${cookie}=`));
    added.extraHeaders = { ...headers, cookie: [...others, `${cookie}=${value}`].join('; ') };
  }
  if (authField && typeof options.auth !== 'function') {
    // A function is asked again at every reconnection.
    added.auth = (/** @type {(payload: any) => void} */ answer) =>
      answer({ ...options.auth, [authField]: token() });
  }
  return added;
}

/**
 * @param {any} socket @param {any} ee
 * @param {import('../metrics/error-samples.js').ErrorSamples} samples
 * @param {() => void} refresh
 */
function watch(socket, ee, samples, refresh) {
  socket.on('connect', () => ee.emit('counter', 'socketio.connect', 1));
  socket.on('connect_error', (/** @type {any} */ error) => {
    ee.emit('counter', 'socketio.connect_error', 1);
    const code = nameError(error?.description?.message ?? error);
    const status = error?.context?.status ?? null;
    const body = [error?.message, error?.context?.responseText, JSON.stringify(error?.data)]
      .filter(Boolean)
      .join('\n');
    samples.add({ endpoint: 'socket.io connect', code, status, url: socket.io?.uri, body });
  });
  socket.io?.on('reconnect_attempt', refresh);
}

/**
 * An answer is shown beside the error that it leads to. One that the engine can't cope with (text
 * was expected, something else came) throws in a callback of the socket, which would end the worker.
 * @param {any} socket @param {any} context
 */
function keepAnswers(socket, context) {
  const { emit } = socket;
  socket.emit = function emitAndKeep(/** @type {any[]} */ ...args) {
    const acknowledge = args.at(-1);
    if (typeof acknowledge !== 'function') return emit.apply(this, args);
    const wait = context[WAIT];
    return emit.call(this, ...args.slice(0, -1), (/** @type {any[]} */ ...answer) => {
      if (wait) wait.answer = JSON.stringify(answer);
      try {
        acknowledge(...answer);
      } catch (error) {
        wait?.fail(error);
      }
    });
  };
}

/**
 * One emit that waits for an answer.
 * @param {any} config @param {any} spec @param {any} ee
 * @param {import('../metrics/error-samples.js').ErrorSamples} samples
 * @param {(error?: any, context?: any) => void} callback
 */
function createWait(config, spec, ee, samples, callback) {
  let startedAt = 0;
  let over = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @param {any} error @param {any} [context] */
  const finish = (error, context) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    if (!error) ee.emit('histogram', 'socketio.acknowledge_time', performance.now() - startedAt);
    else {
      const channel = spec.emit.channel ?? spec.emit[0];
      const body = wait.answer;
      samples.add({ endpoint: `socket.io ${channel}`, code: nameError(error), body });
    }
    callback(error, context);
  };
  const limitMs = Number(config.timeout ?? DEFAULT_TIMEOUT_SEC) * 1000;
  const emitter = {
    /** @param {string} event @param {any[]} args */
    emit(event, ...args) {
      // The engine says so right before it sends, after the connection of a namespace is made.
      if (event === 'counter' && args[0] === 'socketio.emit') {
        startedAt = performance.now();
        if (spec.acknowledge && !spec.response) {
          timer = setTimeout(() => wait.fail(new Error('acknowledge timeout')), limitMs);
        }
      }
      return ee.emit(event, ...args);
    },
  };
  const wait = {
    emitter,
    finish,
    /** JSON of what came */
    answer: '',
    /** @param {any} error */
    fail(error) {
      ee.emit('error', nameError(error));
      finish(error);
    },
  };
  return wait;
}
