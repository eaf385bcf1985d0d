/**
 * Takes what is large out of `second` records: endpoints and sketches become bytes, and are made again
 * when they are asked for. An hour of 40 endpoints is held in 10 MB instead of 250.
 */
import { ByteReader, ByteStore, isStorableCount, MAX_VARINT_BYTES } from './byte-store.js';
import { isStorableSketch, StoredSketch, sizeOfSketch, writeSketch } from './stored-sketch.js';

/** @typedef {import('./sketch.js').SketchJson} SketchJson */

/**
 * An endpoint of a `second` record (`docs/run-folder.md`).
 * @typedef {object} EndpointSecond
 * @property {number} requests
 * @property {number} errors
 * @property {Record<string, {count: number, timeToFirstByte?: SketchJson, total?: SketchJson}>} statuses
 * @property {{count: number, totalMs: number, cpuMs: number | null}} [server]
 */

const TIMES = /** @type {const} */ (['timeToFirstByte', 'total']);
const SERVER_BYTES = MAX_VARINT_BYTES + 16;

export class SecondStore {
  #store = new ByteStore();
  /** @type {string[]} names of endpoints, and statuses */
  #names = [];
  /** @type {Map<string, number>} */
  #numbers = new Map();

  /**
   * What is not as the contract says stays as it is.
   * @param {Record<string, any>} record its `endpoints` and `sketches` are exchanged
   */
  shrink(record) {
    if (record.kind !== 'second') return;
    for (const [name, sketch] of Object.entries(record.sketches ?? {})) {
      if (!isStorableSketch(sketch)) continue;
      const place = this.#store.reserve(sizeOfSketch(sketch));
      writeSketch(this.#store, sketch);
      record.sketches[name] = new StoredSketch(new ByteReader(place));
    }
    if (!areStorable(record.endpoints)) return;
    const place = this.#store.reserve(sizeOf(record.endpoints));
    this.#write(record.endpoints);
    Object.defineProperty(record, 'endpoints', {
      enumerable: true,
      get: () => this.#read(new ByteReader(place)),
    });
  }

  /** @param {Record<string, EndpointSecond>} endpoints */
  #write(endpoints) {
    const store = this.#store;
    const entries = Object.entries(endpoints);
    store.writeNumber(entries.length);
    for (const [name, { requests, errors, statuses, server }] of entries) {
      store.writeNumber(this.#numberOf(name));
      store.writeNumber(requests);
      store.writeNumber(errors);
      store.writeNumber(server ? 1 : 0);
      if (server) {
        store.writeNumber(server.count);
        store.writeDouble(server.totalMs);
        store.writeDouble(server.cpuMs);
      }
      const answers = Object.entries(statuses);
      store.writeNumber(answers.length);
      for (const [status, answer] of answers) {
        store.writeNumber(this.#numberOf(status));
        store.writeNumber(answer.count);
        for (const times of TIMES) {
          const sketch = answer[times];
          store.writeNumber(sketch ? 1 : 0);
          if (sketch) writeSketch(store, sketch);
        }
      }
    }
  }

  /** @param {ByteReader} reader @returns {Record<string, EndpointSecond>} */
  #read(reader) {
    /** @type {Record<string, EndpointSecond>} */
    const endpoints = {};
    for (let left = reader.readNumber(); left > 0; left--) {
      const name = this.#names[reader.readNumber()] ?? '';
      const requests = reader.readNumber();
      const errors = reader.readNumber();
      const server = reader.readNumber() === 0 ? null : readServer(reader);
      /** @type {EndpointSecond['statuses']} */
      const statuses = {};
      for (let answers = reader.readNumber(); answers > 0; answers--) {
        const status = this.#names[reader.readNumber()] ?? '';
        /** @type {EndpointSecond['statuses'][string]} */
        const answer = { count: reader.readNumber() };
        for (const times of TIMES)
          if (reader.readNumber() !== 0) answer[times] = new StoredSketch(reader);
        statuses[status] = answer;
      }
      endpoints[name] = { requests, errors, statuses, ...(server && { server }) };
    }
    return endpoints;
  }

  /** @param {string} name */
  #numberOf(name) {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    return this.#names.push(name) - 1;
  }
}

/** @param {ByteReader} reader @returns {NonNullable<EndpointSecond['server']>} */
function readServer(reader) {
  const count = reader.readNumber();
  return { count, totalMs: reader.readDouble() ?? 0, cpuMs: reader.readDouble() };
}

/** Bytes that they take at most. @param {Record<string, EndpointSecond>} endpoints */
function sizeOf(endpoints) {
  let bytes = MAX_VARINT_BYTES;
  for (const { statuses } of Object.values(endpoints)) {
    bytes += 5 * MAX_VARINT_BYTES + SERVER_BYTES;
    for (const answer of Object.values(statuses)) {
      bytes += 4 * MAX_VARINT_BYTES;
      for (const times of TIMES) {
        const sketch = answer[times];
        if (sketch) bytes += sizeOfSketch(sketch);
      }
    }
  }
  return bytes;
}

/** A folder may come from somebody else, or from a later version with more in it. @param {any} endpoints */
function areStorable(endpoints) {
  return (
    isObject(endpoints, null) &&
    Object.keys(endpoints).every(name => name !== '__proto__') &&
    Object.values(endpoints).every(
      endpoint =>
        isObject(endpoint, ['requests', 'errors', 'statuses', 'server']) &&
        isStorableCount(endpoint.requests) &&
        isStorableCount(endpoint.errors) &&
        isObject(endpoint.statuses, null) &&
        Object.values(endpoint.statuses).every(isStorableAnswer) &&
        (endpoint.server === undefined || isStorableServer(endpoint.server)),
    )
  );
}

/** @param {any} answer */
function isStorableAnswer(answer) {
  return (
    isObject(answer, ['count', ...TIMES]) &&
    isStorableCount(answer.count) &&
    TIMES.every(times => answer[times] === undefined || isStorableSketch(answer[times]))
  );
}

/** @param {any} server */
function isStorableServer(server) {
  return (
    isObject(server, ['count', 'totalMs', 'cpuMs']) &&
    isStorableCount(server.count) &&
    Number.isFinite(server.totalMs) &&
    (server.cpuMs === null || Number.isFinite(server.cpuMs))
  );
}

/** @param {unknown} value @param {readonly string[] | null} keys that it may have; null: any */
function isObject(value, keys) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return keys === null || Object.keys(value).every(key => keys.includes(key));
}
