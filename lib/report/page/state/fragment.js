/**
 * The selection as the fragment of the page's address, so that a link shows what its sender saw.
 * Times are seconds from the start, and everything else goes by name: both survive a rebuilt report.
 */

/** @import { PageState } from './page-state.d.ts' */

/**
 * @param {PageState} state
 * @param {number[] | null} edgesMs of the timeline
 * @returns {string} without `#`; empty where nothing is picked
 */
export function writeFragment(state, edgesMs) {
  const { windows, workers, endpoints, categories, search, inverted } = state;
  const params = new URLSearchParams();
  if (windows && edgesMs) {
    const [from, to] = [windows.from, windows.to].map(edge => secondsAt(edgesMs, edge));
    params.set('t', `${from}-${to}`);
  }
  for (const pid of workers ?? []) params.append('worker', String(pid));
  for (const name of endpoints ?? []) params.append('endpoint', name);
  for (const id of categories ?? []) params.append('category', id);
  if (search) params.set(search.without ? 'without' : 'with', search.text);
  if (inverted) params.set('view', 'inverted');
  return params.toString();
}

/**
 * @param {string} fragment without `#`; one that is only the id of a section picks nothing
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
    inverted: params.get('view') === 'inverted',
  };
}

/** @param {number[]} edgesMs @param {number} edge */
function secondsAt(edgesMs, edge) {
  return Math.round((edgesMs[edge] ?? 0) - (edgesMs[0] ?? 0)) / 1000;
}

/** @param {number[]} edgesMs @param {number} fromSec @param {number} toSec */
function findWindows(edgesMs, fromSec, toSec) {
  const last = edgesMs.length - 1;
  /** @param {number} sec */
  const nearest = sec => {
    let best = 0;
    for (let edge = 1; edge <= last; edge++) {
      const off = Math.abs(secondsAt(edgesMs, edge) - sec);
      if (off < Math.abs(secondsAt(edgesMs, best) - sec)) best = edge;
    }
    return best;
  };
  const [from, to] = [nearest(fromSec), nearest(toSec)];
  return from < to && (from > 0 || to < last) ? { from, to } : null;
}

/**
 * The windows that hold a stretch of time.
 * @param {number[]} edgesMs
 * @param {number} startMs
 * @param {number} endMs
 * @returns {{from: number, to: number} | null} null where that is everything, or nothing
 */
export function windowsBetween(edgesMs, startMs, endMs) {
  const last = edgesMs.length - 1;
  const from = Math.max(
    0,
    edgesMs.findLastIndex(edge => edge <= startMs),
  );
  const after = edgesMs.findIndex(edge => edge >= endMs);
  const to = after < 0 ? last : after;
  return from < to && (from > 0 || to < last) ? { from, to } : null;
}

/** @template T @param {T[]} list @returns {T[] | null} */
function listOf(list) {
  return list.length > 0 ? list : null;
}
