import {
  formatCount,
  formatMs,
  formatMsInterval,
  formatPercent,
  formatRate,
} from '../../format.js';
import { emptyState, h, safeColor, section } from './dom.js';
import { toggleEntry } from './state/store.js';
import { table } from './table.js';

/** @import { Computed } from './compute/compute.js' */
/** @import { EndpointRow, Times } from './compute/count-endpoints.js' */
/** @import { Model } from './compute/model.js' */
/** @import { Store } from './state/store.js' */

const WAYS = {
  companion: 'the route stood on the stack',
  name: 'by the name of its view',
  'least-squares': 'by how its view’s CPU followed the rate',
  view: 'per view function only',
};

/**
 * What was asked for, how long it took and what it cost the server, for the selection.
 * @param {Model} model
 * @param {Store} store
 */
export function makeEndpoints(model, store) {
  const { report } = model;
  const { load, costs } = report;
  if (model.endpoints.length === 0) return null;
  let firstByte = load?.endpoints.every(({ totalTime }) => !totalTime) ?? false;
  const both = !firstByte && load?.endpoints.some(({ timeToFirstByte }) => timeToFirstByte);
  const place = h('div', {});
  /** @type {import('./table.js').Sorting} */
  const sorting = { column: -1, down: true };
  /** @type {Computed | null} */
  let current = null;
  const choose = h(
    'div',
    { class: 'switch', role: 'group', 'aria-label': 'Which times' },
    [false, true].map(value => {
      const button = h(
        'button',
        { type: 'button', class: 'quiet', 'aria-pressed': String(value === firstByte) },
        value ? 'to the first byte' : 'total',
      );
      button.addEventListener('click', () => {
        firstByte = value;
        for (const other of choose.children)
          other.setAttribute('aria-pressed', String(other === button));
        if (current) show(current);
      });
      return button;
    }),
  );
  /** @param {Computed} computed */
  const show = computed => {
    current = computed;
    const { activeElement } = document;
    const focused = place.contains(activeElement) ? activeElement?.textContent : null;
    place.replaceChildren(
      renderTable(computed, { store, firstByte, hasCosts: Boolean(costs), sorting }),
    );
    // drawing anew must not take the keyboard away from whoever pressed a name
    for (const button of focused ? place.querySelectorAll('button') : [])
      if (button.textContent === focused) button.focus({ preventScroll: true });
  };
  const element = section(
    'endpoints',
    'Endpoints',
    h(
      'p',
      { class: 'lede' },
      costs
        ? costs.explanation
        : report.profile
          ? 'Samples were not tied to endpoints.'
          : 'No profile is part of this run, so what an endpoint costs is not known.',
    ),
    both && h('div', { class: 'tools' }, h('span', { class: 'muted' }, 'Times: '), choose),
    place,
    costs &&
      costs.unattributed.samples > 0 &&
      h(
        'p',
        { class: 'muted small' },
        `${formatPercent(costs.unattributed.share)} of the CPU (${formatCount(costs.unattributed.samples)} samples) belongs to no endpoint: the server’s own work between requests, and background threads.`,
      ),
  );
  return { element, show };
}

/**
 * @param {Computed} computed
 * @param {{store: Store, firstByte: boolean, hasCosts: boolean, sorting: import('./table.js').Sorting}} options
 */
function renderTable(computed, { store, firstByte, hasCosts, sorting }) {
  const rows = computed.endpoints.filter(({ requests, samples }) => requests !== null || samples);
  if (rows.length === 0) return emptyState('No endpoint has anything in this selection.');
  const picked = computed.state.endpoints;
  const about = firstByte ? 'time to first byte' : 'from the wish to send to the last byte';
  const measured = hasCosts && rows.some(row => row.threadCpuMsPerRequest !== null);
  const dearest = Math.max(...rows.map(row => row.cpuMsPerRequest?.value ?? 0));
  return table(
    'Endpoints of the selection',
    [
      { label: 'Endpoint', about: 'press to select' },
      { label: 'Requests', number: true },
      { label: 'Rate', number: true },
      { label: 'p50', number: true, about },
      { label: 'p95', number: true, about },
      { label: 'p99', number: true, about },
      { label: 'max', number: true, about },
      { label: 'Failed', number: true },
      ...(hasCosts
        ? [
            {
              label: 'CPU per request',
              number: true,
              about: 'CPU time of the workers, with its 95 % interval',
            },
            { label: 'of which', about: 'by category; as long as its CPU per request' },
            ...(measured
              ? [
                  {
                    label: 'Measured',
                    number: true,
                    about: 'thread CPU per request that the companion measured, whole run',
                  },
                ]
              : []),
            { label: 'Of all CPU', number: true },
          ]
        : []),
    ],
    rows.map(row => {
      const times = row.times(firstByte ? 'timeToFirstByte' : 'total');
      return {
        class: picked?.includes(row.name) ? 'picked-row' : null,
        cells: cellsOf(row, times, { store, picked, hasCosts, measured, dearest }),
        keys: keysOf(row, times, { hasCosts, measured }),
      };
    }),
    sorting,
  );
}

/**
 * @param {EndpointRow} row
 * @param {Times | null} times
 * @param {{store: Store, picked: string[] | null, hasCosts: boolean, measured: boolean, dearest: number}} options
 * @returns {import('./dom.js').Child[]}
 */
function cellsOf(row, times, { store, picked, hasCosts, measured, dearest }) {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'name mono',
      'aria-pressed': String(picked?.includes(row.name) ?? false),
      title: row.basis ? `Samples tied to it: ${WAYS[row.basis]}` : null,
    },
    row.name,
  );
  button.addEventListener('click', () =>
    store.set({ endpoints: toggleEntry(store.get().endpoints, row.name) }),
  );
  const { shareOfCpu, cpuMsPerRequest, errors } = row;
  return [
    button,
    formatCount(row.requests),
    formatRate(row.ratePerSec),
    formatMs(times?.p50Ms ?? null),
    formatMs(times?.p95Ms ?? null),
    formatMs(times?.p99Ms ?? null),
    formatMs(times?.maxMs ?? null),
    errors ? h('strong', { class: 'bad' }, formatCount(errors)) : formatCount(errors),
    ...(hasCosts
      ? [
          cpuMsPerRequest
            ? [
                h('span', { class: 'cost' }, formatMs(cpuMsPerRequest.value)),
                h('span', { class: 'interval' }, formatMsInterval(cpuMsPerRequest)),
              ]
            : '–',
          splitBar(row, dearest),
          ...(measured ? [formatMs(row.threadCpuMsPerRequest)] : []),
          formatPercent(shareOfCpu?.value ?? null),
        ]
      : []),
  ];
}

/** @param {EndpointRow} row @param {Times | null} times @param {{hasCosts: boolean, measured: boolean}} options */
function keysOf(row, times, { hasCosts, measured }) {
  const values = [
    row.requests,
    row.ratePerSec,
    times?.p50Ms,
    times?.p95Ms,
    times?.p99Ms,
    times?.maxMs,
    row.errors,
    ...(hasCosts
      ? [
          row.cpuMsPerRequest?.value,
          row.cpuMsPerRequest?.value,
          ...(measured ? [row.threadCpuMsPerRequest] : []),
          row.shareOfCpu?.value,
        ]
      : []),
  ];
  return [row.name, ...values.map(value => value ?? -1)];
}

/** @param {EndpointRow} row @param {number} dearest CPU-ms that fill the cell */
function splitBar({ byCategory, cpuMsPerRequest }, dearest) {
  const words = byCategory.map(({ label, share }) => `${label} ${formatPercent(share)}`).join(', ');
  const parts = byCategory.map(({ color, share }) => {
    const part = h('span', {});
    part.style.flexGrow = String(share);
    part.style.backgroundColor = safeColor(color);
    return part;
  });
  const whole = h(
    'span',
    { class: 'split', role: 'img', 'aria-label': words || 'nothing', title: words },
    parts,
  );
  const part =
    cpuMsPerRequest && dearest > 0
      ? cpuMsPerRequest.value / dearest
      : byCategory.length > 0
        ? 1
        : 0;
  whole.style.width = `${Math.max(2, part * 100)}%`;
  return whole;
}
