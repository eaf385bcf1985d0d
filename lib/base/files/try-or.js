/**
 * Reads what may fail in silence, because its absence is normal.
 * @template T, F
 * @param {F} fallback
 * @param {() => T} read
 * @returns {T | F} what it returns; the fallback where it throws
 */
export function tryOr(fallback, read) {
  try {
    return read();
  } catch {
    return fallback;
  }
}
