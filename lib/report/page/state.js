/**
 * The reader's selection and its form in the page's address. The address has times in seconds from
 * the start and everything else by name: both survive a rebuilt report.
 */

/**
 * By names that survive a rebuilt report; null: everything.
 * @typedef {object} PageState
 * @property {{from: number, to: number} | null} windows indexes of the first window and of the one after
 *   the last
 * @property {number[] | null} workers pids
 * @property {string[] | null} endpoints names
 * @property {string[] | null} categories ids
 * @property {{text: string, without: boolean} | null} search
 * @property {'cpu' | 'waiting'} flame what the flamegraph shows
 * @property {string[] | null} kinds of wait, ids; they narrow the flamegraph of waiting alone
 */

/** @type {PageState} */
const EVERYTHING = {
  ...{ windows: null, workers: null, endpoints: null, categories: null, search: null, kinds: null },
  flame: 'cpu',
};

/** Whether a selection leaves anything out. @param {PageState} state */
export function isNarrowed({ windows, workers, endpoints, categories, search }) {
  return [windows, workers, endpoints, categories, search].some(part => part !== null);
}

/**
 * Views only read the selection and set parts of it.
 * @param {Partial<PageState>} start
 */
export function createStore(start) {
  /** @type {PageState} */
  let state = { ...EVERYTHING, ...start };
  /** @type {((state: PageState) => void)[]} */
  const listeners = [];
  /** @param {PageState} next @returns {boolean} whether it differs */
  const take = next => {
    if (JSON.stringify(next) === JSON.stringify(state)) return false;
    state = next;
    for (const listener of listeners) listener(state);
    return true;
  };
  return {
    get: () => state,
    /** @param {Partial<PageState>} part */
    set: part => take({ ...state, ...part }),
    /** Back to everything; what the flamegraph shows stays. */
    reset: () => take({ ...EVERYTHING, flame: state.flame }),
    /** @param {(state: PageState) => void} listener */
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof createStore>} Store */

/**
 * Adds an entry to a list, or removes it; null if nothing or everything is left.
 * @template T
 * @param {T[] | null} list
 * @param {T} entry
 * @param {number} [all] number of all entries
 * @returns {T[] | null}
 */
export function toggleEntry(list, entry, all = Infinity) {
  const next = list?.includes(entry) ? list.filter(own => own !== entry) : [...(list ?? []), entry];
  return next.length === 0 || next.length >= all ? null : next;
}

/**
 * @param {PageState} state
 * @param {number[] | null} edgesMs of the timeline
 * @returns {string} without `#`; empty if nothing is selected
 */
export function writeFragment(state, edgesMs) {
  const { windows, workers, endpoints, categories, search, flame, kinds } = state;
  const params = new URLSearchParams();
  if (windows && edgesMs) {
    const [from, to] = [windows.from, windows.to].map(edge => secondsAt(edgesMs, edge));
    params.set('t', `${from}-${to}`);
  }
  for (const pid of workers ?? []) params.append('worker', String(pid));
  for (const name of endpoints ?? []) params.append('endpoint', name);
  for (const id of categories ?? []) params.append('category', id);
  if (search) params.set(search.without ? 'without' : 'with', search.text);
  if (flame === 'waiting') params.set('flame', flame);
  for (const id of kinds ?? []) params.append('wait', id);
  return params.toString();
}

/**
 * @param {string} fragment without `#`; the id of a section selects nothing
 * @param {number[] | null} edgesMs
 * @returns {Partial<PageState>}
 */
export function readFragment(fragment, edgesMs) {
  if (!fragment.includes('=')) return {};
  const params = new URLSearchParams(fragment);
  const [, from, to] = /^([\d.]+)-([\d.]+)$/.exec(params.get('t') ?? '') ?? [];
  const text = params.get('with') ?? params.get('without');
  return {
    windows: edgesMs && from && to ? findWindows(edgesMs, Number(from), Number(to)) : null,
    workers: listOf(params.getAll('worker').map(Number).filter(Number.isInteger)),
    endpoints: listOf(params.getAll('endpoint')),
    categories: listOf(params.getAll('category')),
    search: text ? { text, without: params.has('without') } : null,
    flame: params.get('flame') === 'waiting' ? 'waiting' : 'cpu',
    kinds: listOf(params.getAll('wait')),
  };
}

/** @param {number[]} edgesMs @param {number} edge */
function secondsAt(edgesMs, edge) {
  return Math.round((edgesMs[edge] ?? 0) - (edgesMs[0] ?? 0)) / 1000;
}

/**
 * The windows whose edges are nearest: a rebuilt report may have others.
 * @param {number[]} edgesMs
 * @param {number} fromSec
 * @param {number} toSec
 */
function findWindows(edgesMs, fromSec, toSec) {
  const nearest = (/** @type {number} */ sec) => {
    const off = edgesMs.map((_, edge) => Math.abs(secondsAt(edgesMs, edge) - sec));
    return off.indexOf(Math.min(...off));
  };
  return windowsOf(edgesMs, nearest(fromSec), nearest(toSec));
}

/**
 * The windows of a range of time.
 * @param {number[]} edgesMs
 * @param {number} startMs
 * @param {number} endMs
 * @returns {PageState['windows']} null if that is everything, or nothing
 */
export function windowsBetween(edgesMs, startMs, endMs) {
  const from = edgesMs.findLastIndex(edge => edge <= startMs);
  const to = edgesMs.findIndex(edge => edge >= endMs);
  return windowsOf(edgesMs, Math.max(0, from), to < 0 ? edgesMs.length - 1 : to);
}

/**
 * @param {number[]} edgesMs
 * @param {number} from
 * @param {number} to
 * @returns {PageState['windows']}
 */
function windowsOf(edgesMs, from, to) {
  return from < to && (from > 0 || to < edgesMs.length - 1) ? { from, to } : null;
}

/** @template T @param {T[]} list @returns {T[] | null} */
const listOf = list => (list.length > 0 ? list : null);
