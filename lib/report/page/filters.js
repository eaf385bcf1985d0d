import { formatClock, formatCount, formatDuration, formatNumberOf } from '../../base/format.js';
import { h, makeButton, swatch } from './dom.js';
import { isNarrowed, toggleEntry } from './state.js';

/** @import { Computed, Model } from './compute/compute.js' */
/** @import { Store } from './state.js' */

/**
 * The bar that shows and changes the selection. It stays visible while content that depends on it is.
 * @param {Model} model
 * @param {Store} store
 */
export function makeFilters(model, store) {
  /** @type {NonNullable<ReturnType<typeof makePicker>>[]} */
  let pickers = [];
  let offered = '';
  const time = h('span', { class: 'time-range' });
  const search = h('span', { class: 'search-range' });
  const choices = h('span', { class: 'pickers' });
  const amount = h('span', { class: 'amount', role: 'status' });
  const reset = makeButton('Reset', store.reset, { class: 'reset' });
  const title = h('span', { class: 'filters-title' }, 'Selection');
  const group = { class: 'filters', role: 'group', 'aria-label': 'Selection' };
  const element = h('div', group, title, time, choices, search, amount, reset);
  return {
    element,
    /** @param {Computed} computed */
    show(computed) {
      const offers = listOffers(model);
      const next = JSON.stringify(offers);
      // an open list stays as it is until it is closed
      if (next !== offered && !choices.querySelector(':popover-open')) {
        pickers = PICKED.flatMap(([label, name]) => {
          const get = () => /** @type {any[] | null} */ (store.get()[name]);
          const set = (/** @type {any[] | null} */ picked) => store.set({ [name]: picked });
          return makePicker({ label, options: offers[name], get, set }) ?? [];
        });
        choices.replaceChildren(...pickers.map(picker => picker.element));
        offered = next;
      }
      const { edgesMs } = model;
      const narrowed = isNarrowed(computed.state);
      element.classList.toggle('narrowed', narrowed);
      reset.disabled = !narrowed && computed.state.kinds === null;
      if (edgesMs) time.textContent = describeTime(edgesMs, computed);
      search.replaceChildren(...describeSearch(computed, store));
      for (const picker of pickers) picker.show();
      amount.textContent = describeSelected(computed, model);
    },
  };
}

/** Options to choose from. @param {Model} model */
function listOffers({ report, endpoints }) {
  const { workers = [], categories = [] } = report.profile?.table ?? {};
  const names = new Map(report.cpu?.workers?.map(({ pid, name }) => [pid, name]));
  return {
    workers: workers.map(pid => ({
      value: pid,
      text: pid < 0 ? 'unknown' : (names.get(pid) ?? `${pid}`),
    })),
    endpoints: endpoints.map(name => ({ value: name, text: name })),
    categories: categories.map(({ id, label, color }) => ({ value: id, text: label, color })),
  };
}

const PICKED = /** @type {const} */ ([
  ['Worker', 'workers'],
  ['Endpoint', 'endpoints'],
  ['Category', 'categories'],
]);

/** The range selected in the timeline, as text. @param {number[]} edgesMs @param {Computed} computed */
function describeTime(edgesMs, { windows, state }) {
  const startMs = edgesMs[0] ?? 0;
  const edges = [windows.from, windows.to].map(edge => edgesMs[edge] ?? 0);
  const [from, to] = edges.map(edge => formatDuration(edge - startMs));
  return state.windows
    ? `Time ${from} to ${to} (${edges.map(formatClock).join('–')} UTC)`
    : `Time all of ${to}`;
}

/** Between a list and the window's edges, px. */
const POPUP_GAP = 8;

/**
 * A button that opens a list of boxes to tick; null if there is nothing to choose.
 * @template {string | number} V
 * @param {object} options
 * @param {string} options.label
 * @param {{value: V, text: string, color?: string}[]} options.options
 * @param {() => V[] | null} options.get
 * @param {(picked: V[] | null) => void} options.set
 */
function makePicker({ label, options, get, set }) {
  if (options.length < 2) return null;
  const id = `pick-${label.toLowerCase()}`;
  const what = h('span', { class: 'picked' });
  const name = h('span', { class: 'pick-label' }, label);
  const opener = h('button', { type: 'button', popovertarget: id, class: 'pick' }, name, what);
  const boxes = options.map(({ value, text, color }) => {
    const box = h('input', { type: 'checkbox' });
    box.addEventListener('change', () => set(toggleEntry(get(), value, options.length)));
    return { value, box, row: h('label', {}, box, color !== undefined && swatch(color), text) };
  });
  const rows = boxes.map(({ row }) => row);
  const attributes = { id, popover: 'auto', class: 'popup', role: 'group', 'aria-label': label };
  const list = h('div', attributes, rows);
  // below or above its button, where there is more room, and never past the window's edge
  const place = () => {
    const { left, top, bottom } = opener.getBoundingClientRect();
    const [above, below] = [top, innerHeight - bottom];
    const isBelow = below >= above;
    list.style.left = `${Math.max(POPUP_GAP, Math.min(left, innerWidth - list.offsetWidth - POPUP_GAP))}px`;
    list.style.top = isBelow ? `${bottom + 4}px` : 'auto';
    list.style.bottom = isBelow ? 'auto' : `${innerHeight - top + 4}px`;
    list.style.maxHeight = `${Math.max(above, below) - 4 - POPUP_GAP}px`;
  };
  list.addEventListener('toggle', () => {
    const isOpen = list.matches(':popover-open');
    for (const event of ['scroll', 'resize'])
      window[isOpen ? 'addEventListener' : 'removeEventListener'](event, place);
    if (isOpen) place();
  });
  return {
    element: h('span', { class: 'picker' }, opener, list),
    show() {
      const picked = get();
      opener.classList.toggle('active', picked !== null);
      const [one, ...others] = options.filter(({ value }) => picked?.includes(value));
      const some = others.length > 0 ? `${others.length + 1} of ${options.length}` : one?.text;
      what.textContent = picked === null ? 'all' : (some ?? '');
      for (const { value, box } of boxes) box.checked = picked?.includes(value) ?? false;
    },
  };
}

/** @param {Computed} computed @param {Store} store @returns {HTMLElement[]} */
function describeSearch({ state: { search } }, store) {
  if (!search) return [];
  const text = `${search.without ? 'everything but' : 'only'} “${search.text}”`;
  const remove = makeButton('×', () => store.set({ search: null }), {
    class: 'chip-remove',
    'aria-label': `Remove: ${text}`,
  });
  return [h('span', { class: 'chip' }, text, remove)];
}

/** @param {Computed} computed @param {Model} model */
function describeSelected({ counts, requests, isWhole }, { report }) {
  const all = formatNumberOf(report.profile?.samples.active ?? 0, 'sample');
  const samples = counts && (isWhole ? all : `${formatCount(counts.total)} of ${all}`);
  const sent = requests !== null && formatNumberOf(requests, 'request');
  return [samples, sent].filter(Boolean).join(' · ');
}
