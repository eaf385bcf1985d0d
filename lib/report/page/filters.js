import { formatClock, formatCount, formatDuration, formatNumberOf } from '../../format.js';
import { h, swatch } from './dom.js';
import { writeFragment } from './state/fragment.js';
import { isNarrowed, toggleEntry } from './state/store.js';

/** @import { Child } from './dom.js' */
/** @import { Computed } from './compute/compute.js' */
/** @import { Model } from './compute/model.js' */
/** @import { Store } from './state/store.js' */

/**
 * The bar that says what is selected, and selects: it stays in sight while what depends on it is.
 * @param {Model} model
 * @param {Store} store
 */
export function makeFilters(model, store) {
  const { report, endpoints, edgesMs } = model;
  const table = report.profile?.table;
  const pickers = [
    table &&
      table.workers.length > 1 &&
      makePicker({
        label: 'Worker',
        options: table.workers.map(pid => ({
          value: pid,
          text: pid < 0 ? 'unknown' : String(pid),
        })),
        get: () => store.get().workers,
        set: workers => store.set({ workers }),
      }),
    endpoints.length > 1 &&
      makePicker({
        label: 'Endpoint',
        options: endpoints.map(name => ({ value: name, text: name })),
        get: () => store.get().endpoints,
        set: picked => store.set({ endpoints: picked }),
      }),
    table &&
      table.categories.length > 1 &&
      makePicker({
        label: 'Category',
        options: table.categories.map(({ id, label, color }) => ({
          value: id,
          text: label,
          color,
        })),
        get: () => store.get().categories,
        set: categories => store.set({ categories }),
      }),
  ].filter(picker => picker !== undefined && picker !== false);
  const time = h('span', { class: 'time-range' });
  const search = h('span', { class: 'search-range' });
  const told = h('span', { class: 'told', role: 'status' });
  const reset = h('button', { type: 'button', class: 'reset' }, 'Reset');
  reset.addEventListener('click', () => store.reset());
  const copy = h('button', { type: 'button', class: 'copy' }, 'Copy link');
  copy.addEventListener('click', async () => {
    try {
      // the address bar follows a moment later
      const [page = ''] = location.href.split('#');
      await navigator.clipboard.writeText(`${page}#${writeFragment(store.get(), edgesMs)}`);
      copy.textContent = 'Copied';
    } catch {
      copy.textContent = 'Copy the address bar';
    }
    setTimeout(() => {
      copy.textContent = 'Copy link';
    }, 2000);
  });
  const element = h(
    'div',
    { class: 'filters', role: 'group', 'aria-label': 'Selection' },
    h('span', { class: 'filters-title' }, 'Selection'),
    edgesMs && time,
    pickers.map(picker => picker.element),
    search,
    told,
    h('span', { class: 'filters-actions' }, copy, reset),
  );
  return {
    element,
    /** @param {Computed} computed */
    show(computed) {
      const narrowed = isNarrowed(computed.state);
      element.classList.toggle('narrowed', narrowed);
      reset.disabled = !narrowed;
      time.replaceChildren(...describeTime(computed, edgesMs, store));
      search.replaceChildren(...describeSearch(computed, store));
      for (const picker of pickers) picker.show();
      told.textContent = describeAmount(computed, model);
    },
  };
}

/**
 * A button that opens a list of boxes to tick.
 * @template {string | number} V
 * @param {object} options
 * @param {string} options.label
 * @param {{value: V, text: string, color?: string}[]} options.options
 * @param {() => V[] | null} options.get
 * @param {(picked: V[] | null) => void} options.set
 */
function makePicker({ label, options, get, set }) {
  const id = `pick-${label.toLowerCase()}`;
  const what = h('span', { class: 'picked' });
  const opener = h(
    'button',
    { type: 'button', popovertarget: id, class: 'pick' },
    h('span', { class: 'pick-label' }, label),
    what,
  );
  const boxes = options.map(({ value, text, color }) => {
    const box = h('input', { type: 'checkbox' });
    box.addEventListener('change', () => set(toggleEntry(get(), value, options.length)));
    return { value, box, row: h('label', {}, box, color !== undefined && swatch(color), text) };
  });
  const list = h(
    'div',
    { id, popover: 'auto', class: 'popup', role: 'group', 'aria-label': label },
    boxes.map(({ row }) => row),
  );
  list.addEventListener('beforetoggle', () => {
    const place = opener.getBoundingClientRect();
    list.style.left = `${Math.max(8, Math.min(place.left, innerWidth - 340))}px`;
    list.style.top = `${place.bottom + 4}px`;
  });
  return {
    element: h('span', { class: 'picker' }, opener, list),
    show() {
      const picked = get();
      opener.classList.toggle('active', picked !== null);
      const names = options.filter(({ value }) => picked?.includes(value)).map(({ text }) => text);
      what.textContent =
        picked === null
          ? 'all'
          : names.length === 1
            ? (names[0] ?? '')
            : `${names.length} of ${options.length}`;
      for (const { value, box } of boxes) box.checked = picked?.includes(value) ?? false;
    },
  };
}

/** @param {Computed} computed @param {number[] | null} edgesMs @param {Store} store @returns {HTMLElement[]} */
function describeTime({ state, windows }, edgesMs, store) {
  if (!edgesMs) return [];
  if (!state.windows) return [h('span', { class: 'muted' }, 'all of the time')];
  const [from = 0, to = 0] = [edgesMs[windows.from], edgesMs[windows.to]];
  const start = edgesMs[0] ?? 0;
  return [
    chip(
      `${formatDuration(from - start)} – ${formatDuration(to - start)}`,
      () => store.set({ windows: null }),
      `${formatClock(from)}–${formatClock(to)} UTC`,
    ),
  ];
}

/** @param {Computed} computed @param {Store} store @returns {HTMLElement[]} */
function describeSearch({ state: { search } }, store) {
  if (!search) return [];
  const text = `${search.without ? 'everything but' : 'only'} “${search.text}”`;
  return [chip(text, () => store.set({ search: null }))];
}

/** @param {string} text @param {() => void} onRemove @param {string} [about] */
function chip(text, onRemove, about) {
  const remove = h(
    'button',
    { type: 'button', class: 'chip-remove', 'aria-label': `Remove: ${text}` },
    '×',
  );
  remove.addEventListener('click', onRemove);
  return h('span', { class: 'chip', title: about }, text, remove);
}

/** @param {Computed} computed @param {Model} model */
function describeAmount({ counts, requests, isWhole }, { report }) {
  const active = report.profile?.samples.active ?? 0;
  /** @type {Child[]} */
  const parts = [];
  if (counts) {
    parts.push(
      isWhole
        ? formatNumberOf(active, 'sample')
        : `${formatCount(counts.total)} of ${formatNumberOf(active, 'sample')}`,
    );
  }
  if (requests !== null) parts.push(formatNumberOf(requests, 'request'));
  return parts.join(' · ');
}
