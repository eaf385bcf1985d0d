import { formatCount, formatMs, formatMsInterval, formatPercent } from '../../format.js';
import { WITHOUT_VIEWS } from '../../text/endpoint-costs.js';
import { ENDPOINT_COLUMNS } from '../../text/measures.js';
import {
  emptyState,
  h,
  lede,
  makeButton,
  makeChoice,
  muted,
  prose,
  section,
  shareBar,
} from './dom.js';
import { toggleEntry } from './state.js';
import { amount, measureColumns, table } from './table.js';

/** @import { Computed, Model } from './compute/compute.js' */
/** @import { EndpointRow } from './compute/count-endpoints.js' */
/** @import { Store } from './state.js' */
/** @import { Sorting } from './table.js' */

const WAYS = {
  companion: 'the route was on the stack',
  source: 'by the route in the source of its view',
  only: 'the load had no other endpoint',
  view: 'per view function only',
};

/**
 * What was asked for, how long it took and what it cost the server, for the selection.
 * @param {Model} model
 * @param {Store} store
 */
export function makeEndpoints(model, store) {
  const { load, costs = null, profile } = model.report;
  if (model.endpoints.length === 0) return null;
  const hasTotal = load?.endpoints.some(({ totalTime }) => totalTime) ?? false;
  const hasFirstByte = load?.endpoints.some(({ timeToFirstByte }) => timeToFirstByte) ?? false;
  /** @type {TableView} */
  const view = {
    store,
    which: hasTotal || !load ? 'total' : 'timeToFirstByte',
    hasCosts: costs !== null,
    costTitle:
      costs?.basis === 'source' || costs?.basis === 'view' ? 'CPU in the view' : 'CPU per request',
    shareTitle: costs?.unattributed ? 'Of all CPU' : 'Of this CPU',
    sorting: { column: -1, down: true },
  };
  const place = h('div', {});
  /** @type {Computed | null} */
  let current = null;
  /** @param {Computed} computed */
  const show = computed => {
    current = computed;
    const { activeElement } = document;
    const focused = place.contains(activeElement) ? activeElement?.textContent : null;
    place.replaceChildren(renderTable(computed, view));
    // drawing anew must not take the keyboard away from whoever pressed a name
    for (const button of focused ? place.querySelectorAll('button') : [])
      if (button.textContent === focused) button.focus({ preventScroll: true });
  };
  const choice = makeChoice({
    label: 'Which times',
    className: 'switch',
    options: [
      { value: /** @type {const} */ ('total'), label: 'total' },
      { value: /** @type {const} */ ('timeToFirstByte'), label: 'to the first byte' },
    ],
    picked: view.which,
    onPick(which) {
      view.which = which;
      if (current) show(current);
    },
  });
  const explanation = profile
    ? WITHOUT_VIEWS
    : 'Neither a profile nor the companion is part of this run, so the CPU cost of an endpoint is not known.';
  const element = section(
    'endpoints',
    'Endpoints',
    lede(prose(costs ? costs.text : explanation)),
    hasTotal && hasFirstByte && h('div', { class: 'tools' }, muted('Times: '), choice.element),
    place,
  );
  return { element, show };
}

/** @typedef {{store: Store, which: 'total' | 'timeToFirstByte', hasCosts: boolean, costTitle: string, shareTitle: string, sorting: Sorting}} TableView */

/** @param {Computed} computed @param {TableView} view */
function renderTable(
  { endpoints, state },
  { store, which, hasCosts, costTitle, shareTitle, sorting },
) {
  const rows = endpoints
    .filter(({ requests, samples }) => requests !== null || samples)
    .map(row => ({ ...row, figures: { ...row, ...row.times(which), ...row.means } }))
    // as in the terminal
    .sort((a, b) => (b.cpuMsPerRequest?.value ?? 0) - (a.cpuMsPerRequest?.value ?? 0));
  if (rows.length === 0)
    return emptyState('No endpoint has requests or samples in this selection.');
  const picked = state.endpoints;
  const about =
    which === 'total' ? 'from when the request was queued to the last byte' : 'time to first byte';
  const columns = ENDPOINT_COLUMNS.filter(({ id }) => rows.some(({ figures }) => id in figures));
  const isMixed = hasCosts && new Set(rows.map(row => row.isMeasured)).size > 1;
  const highest = Math.max(...rows.map(row => row.cpuMsPerRequest?.value ?? 0));
  return table(
    'Endpoints of the selection',
    rows,
    [
      {
        label: 'Endpoint',
        about: 'select one with a click',
        cell: row => endpointButton(row, picked, store),
        key: ({ name }) => name,
      },
      ...measureColumns(columns, ({ figures }, id) => figures[id], about),
      {
        label: 'Failed',
        number: true,
        cell: ({ errors }) =>
          errors ? h('strong', { class: 'bad' }, formatCount(errors)) : formatCount(errors),
        key: ({ errors }) => errors,
      },
      hasCosts && {
        label: costTitle,
        number: true,
        about: 'CPU time of the workers, with its 95 % interval',
        cell: ({ cpuMsPerRequest }) =>
          cpuMsPerRequest
            ? [
                h('span', { class: 'cost' }, formatMs(cpuMsPerRequest.value)),
                h('span', { class: 'interval' }, formatMsInterval(cpuMsPerRequest)),
              ]
            : '–',
        key: ({ cpuMsPerRequest }) => cpuMsPerRequest?.value,
      },
      hasCosts && {
        label: 'of which',
        about: 'by category; the length is the CPU per request',
        cell: row => splitBar(row, highest),
      },
      isMixed && { label: 'CPU by', cell: row => (row.isMeasured ? 'measured' : 'samples') },
      hasCosts && amount(shareTitle, ({ shareOfCpu }) => shareOfCpu?.value, formatPercent),
    ],
    { sorting, rowClass: ({ name }) => (picked?.includes(name) ? 'picked-row' : null) },
  );
}

/** @param {Pick<EndpointRow, 'name' | 'basis'>} row @param {string[] | null} picked @param {Store} store */
function endpointButton({ name, basis }, picked, store) {
  return makeButton(
    name,
    () => store.set({ endpoints: toggleEntry(store.get().endpoints, name) }),
    {
      class: 'name mono',
      'aria-pressed': String(picked?.includes(name) ?? false),
      title: basis && `Samples attributed: ${WAYS[basis]}`,
    },
  );
}

/** @param {Pick<EndpointRow, 'byCategory' | 'cpuMsPerRequest'>} row @param {number} highest CPU-ms that fill the cell */
function splitBar({ byCategory, cpuMsPerRequest }, highest) {
  if (byCategory.length === 0) return null;
  const whole = shareBar(byCategory, 'split');
  const width = cpuMsPerRequest && highest > 0 ? cpuMsPerRequest.value / highest : 1;
  whole.style.width = `${Math.max(2, width * 100)}%`;
  const words = byCategory.map(({ label, share }) => `${label} ${formatPercent(share)}`);
  return h('div', { role: 'img', 'aria-label': words.join(', '), title: words.join(', ') }, whole);
}
