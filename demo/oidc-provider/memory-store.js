/** Keeps grants, sessions and refresh tokens in memory until they expire; nothing is evicted early. */

/** @typedef {import('oidc-provider').Payload} Payload */
/** @typedef {{payload: Payload, expiresAtMs: number}} Entry */

const SWEEP_INTERVAL_MS = 30_000;

/**
 * Makes the library's adapter (`new Adapter(modelName)`), with one store shared by all models.
 * The library's own in-memory adapter forgets the oldest of 1,000 entries, which a load test with
 * one session per user reaches in seconds.
 */
export function createMemoryStore() {
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  /** @type {Map<string, string>} session uid → id */
  const idsByUid = new Map();
  setInterval(() => sweep(entries, idsByUid), SWEEP_INTERVAL_MS).unref();

  return class MemoryStore {
    /** @param {string} model */
    constructor(model) {
      this.model = model;
    }

    /** @param {string} id */
    key(id) {
      return `${this.model}:${id}`;
    }

    /** @param {string} id @param {Payload} payload @param {number} [expiresInSec] */
    async upsert(id, payload, expiresInSec) {
      const expiresAtMs = expiresInSec ? Date.now() + expiresInSec * 1000 : Infinity;
      entries.set(this.key(id), { payload, expiresAtMs });
      if (this.model === 'Session' && payload.uid) idsByUid.set(payload.uid, id);
    }

    /** @param {string} id */
    async find(id) {
      const entry = entries.get(this.key(id));
      return entry && entry.expiresAtMs > Date.now() ? entry.payload : undefined;
    }

    /** @param {string} uid */
    async findByUid(uid) {
      const id = idsByUid.get(uid);
      return id === undefined ? undefined : this.find(id);
    }

    /** @param {string} id */
    async consume(id) {
      const entry = entries.get(this.key(id));
      if (entry) entry.payload.consumed = Math.floor(Date.now() / 1000);
    }

    /** @param {string} id */
    async destroy(id) {
      const key = this.key(id);
      const uid = entries.get(key)?.payload.uid;
      if (uid) idsByUid.delete(uid);
      entries.delete(key);
    }

    /** @param {string} grantId */
    async revokeByGrantId(grantId) {
      for (const [key, { payload }] of entries) {
        if (payload.grantId === grantId) entries.delete(key);
      }
    }
  };
}

/** @param {Map<string, Entry>} entries @param {Map<string, string>} idsByUid */
function sweep(entries, idsByUid) {
  const nowMs = Date.now();
  for (const [key, { payload, expiresAtMs }] of entries) {
    if (expiresAtMs > nowMs) continue;
    entries.delete(key);
    if (payload.uid) idsByUid.delete(payload.uid);
  }
}
