/**
 * engine.io's transports with a count of what goes through them (engine.io packets; neither frames
 * of WebSocket nor headers of HTTP), with fresh headers, and proof against a malformed greeting.
 */
import { NodeWebSocket, NodeXHR } from 'socket.io-client';

/** A server that does not answer a closing handshake holds a connection no longer than this. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * What any transport receives: counted, and looked at before engine.io takes it.
 * @param {any} Transport of engine.io
 */
const counting = Transport =>
  class extends Transport {
    /** @param {any} data */
    onData(data) {
      count(this.opts, 'socketio.bytes_received', data);
      super.onData(data);
    }

    /** @param {any} packet */
    onPacket(packet) {
      if (isReadable(packet)) super.onPacket(packet);
      else this.onError('invalid handshake', new Error(`${packet.data}`.slice(0, 120)));
    }
  };

class CountingWebSocket extends counting(NodeWebSocket) {
  /** @param {string} uri @param {any} protocols @param {Record<string, any>} options */
  createSocket(uri, protocols, options) {
    const { handshake, secureContext } = /** @type {any} */ (this.opts);
    try {
      const headers = handshake.headers();
      const socket = super.createSocket(uri, protocols, {
        ...options,
        ...(secureContext && { secureContext }),
        headers,
        closeTimeout: CLOSE_TIMEOUT_MS,
      });
      socket.once('upgrade', (/** @type {any} */ answer) =>
        handshake.store(answer.headers['set-cookie']),
      );
      return socket;
    } catch (error) {
      // Nobody listens yet: told at once, the error would be lost and a timeout reported instead.
      process.nextTick(() => this.onError('websocket error', error));
      return { close() {} };
    }
  }

  /** @param {any} packet @param {any} data */
  doWrite(packet, data) {
    count(this.opts, 'socketio.bytes_sent', data);
    super.doWrite(packet, data);
  }

  /** Given to the system, and not yet taken by the network. */
  unsentBytes() {
    return this.ws?.bufferedAmount ?? 0;
  }
}

class CountingPolling extends counting(NodeXHR) {
  /** @param {string} data @param {() => void} sent */
  doWrite(data, sent) {
    count(this.opts, 'socketio.bytes_sent', data);
    super.doWrite(data, sent);
  }
}

/** @type {Record<string, typeof CountingWebSocket | typeof CountingPolling>} */
const TRANSPORTS = { polling: CountingPolling, websocket: CountingWebSocket };

/**
 * @param {unknown} names as in socket.io's option `transports`
 * @returns {(typeof CountingWebSocket | typeof CountingPolling)[]}
 * @throws {Error} for a name that is no transport here
 */
export function chooseTransports(names = ['polling', 'websocket']) {
  return [names].flat().map(name => {
    const transport = TRANSPORTS[String(name)];
    if (!transport) throw new Error(`unknown transport: ${name}`);
    return transport;
  });
}

/** @param {any} options of the transport @param {string} name @param {any} data */
function count({ recorder }, name, data) {
  recorder.count(name, typeof data === 'string' ? Buffer.byteLength(data) : (data?.length ?? 0));
}

/** engine.io parses the greeting where an error ends the thread. @param {any} packet */
function isReadable({ type, data }) {
  if (type !== 'open') return true;
  try {
    const greeting = JSON.parse(data);
    return typeof greeting?.sid === 'string' && Array.isArray(greeting.upgrades);
  } catch {
    return false;
  }
}
