/** @import { PageState } from './page-state.d.ts' */

/** @type {PageState} */
const EVERYTHING = {
  windows: null,
  workers: null,
  endpoints: null,
  categories: null,
  search: null,
  inverted: false,
};

/** @param {PageState} state whether it leaves anything out */
export function isNarrowed({ windows, workers, endpoints, categories, search }) {
  return [windows, workers, endpoints, categories, search].some(part => part !== null);
}

/**
 * The one place that knows what a reader picked. Views only ever read it and set parts of it.
 * @param {Partial<PageState>} start
 */
export function createStore(start) {
  /** @type {PageState} */
  let state = { ...EVERYTHING, ...start };
  /** @type {((state: PageState) => void)[]} */
  const listeners = [];
  /** @param {PageState} next */
  const take = next => {
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    for (const listener of listeners) listener(state);
  };
  return {
    get: () => state,
    /** @param {Partial<PageState>} part */
    set: part => take({ ...state, ...part }),
    /** Back to everything; how the flamegraph is drawn stays. */
    reset: () => take({ ...EVERYTHING, inverted: state.inverted }),
    /** @param {(state: PageState) => void} listener */
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */

/**
 * A list with one more entry, or without it; null where that leaves nothing or everything.
 * @template T
 * @param {T[] | null} list
 * @param {T} entry
 * @param {number} [all] how many there are
 * @returns {T[] | null}
 */
export function toggleEntry(list, entry, all = Infinity) {
  const next = list?.includes(entry) ? list.filter(own => own !== entry) : [...(list ?? []), entry];
  return next.length === 0 || next.length >= all ? null : next;
}
