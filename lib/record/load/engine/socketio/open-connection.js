/** A connection of a user: one manager of socket.io, watched. */
import { Manager } from 'socket.io-client';

/** Of socket.io's protocol, version 5. */
const EVENT = 2;
const ACKNOWLEDGE = 3;
const CONNECT_ERROR = 4;

/**
 * Nothing is sent yet: the first namespace that connects opens it.
 * @param {string} origin `http(s)://host:port`
 * @param {Record<string, any>} options
 * @param {import('../engine.d.ts').Services} services
 * @returns {Manager}
 */
export function openConnection(origin, options, { recorder, sockets }) {
  const manager = new Manager(origin, options);
  let isOpen = false;
  manager.on('open', () => {
    isOpen = true;
    sockets.open += 1;
    if (options.transports.length > 1) measureUpgrade(manager.engine, recorder);
  });
  manager.on('close', () => {
    if (!isOpen) return;
    isOpen = false;
    sockets.open -= 1;
  });
  manager.on('reconnect', () => recorder.count('socketio.reconnect', 1));
  /** @type {any} */ (manager).decoder.on('decoded', completePacket);
  return manager;
}

/** @param {Manager['engine']} engine @param {import('../engine.d.ts').Recorder} recorder */
function measureUpgrade(engine, recorder) {
  const startedAt = performance.now();
  engine.once('upgrade', () =>
    recorder.measure('socketio.upgrade_time', performance.now() - startedAt),
  );
}

/**
 * socket.io's client reads fields of these where they may be missing, and throws in a callback.
 * @param {{type: number, data?: any}} packet
 */
function completePacket(packet) {
  if (packet.type === EVENT) packet.data ??= [''];
  else if (packet.type === ACKNOWLEDGE) packet.data ??= [];
  else if (packet.type === CONNECT_ERROR && !packet.data?.message) {
    packet.data = {
      message: typeof packet.data === 'string' ? packet.data : 'connect error',
      data: packet.data,
    };
  }
}
