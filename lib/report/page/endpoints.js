/** The endpoints, their times and their CPU: counts what a selection changes. The words come from `text/`. */
import { formatMs, formatPercent } from '../../base/format.js';
import { describeEndpoints } from '../../text/document/run-endpoints.js';
import { printOnPage } from '../print/html.js';
import { emptyState, h, makeButton, renewChildren, section, shareBar } from './dom.js';
import { toggleEntry } from './state.js';

/** @import { Computed, Model } from './compute/compute.js' */
/** @import { EndpointRow } from './compute/count-endpoints.js' */
/** @import { Store } from './state.js' */

/**
 * @param {Model} model
 * @param {Store} store
 * @param {ReturnType<typeof import('./slowest.js').makeSlowest>} slowest
 */
export function makeEndpoints(model, store, slowest) {
  const element = h('div', {});
  return {
    element,
    /** @param {Computed} computed */
    show({ endpoints }) {
      const { report } = model;
      if (endpoints.length === 0) return element.replaceChildren();
      const costOf = (/** @type {EndpointRow} */ row) => row.cpuMsPerRequest?.value ?? 0;
      const rows = endpoints
        .filter(({ requests, samples }) => requests !== null || samples)
        .sort((a, b) => costOf(b) - costOf(a));
      const highest = Math.max(...rows.map(costOf));
      const drawings = {
        endpoint: (/** @type {EndpointRow} */ { name }) => endpointButton(name, store),
        longest: (/** @type {EndpointRow} */ { name, times }) =>
          slowest.buttonOf(name, times && formatMs(times.maxMs)),
        split: (/** @type {EndpointRow} */ row) => splitBar(row, highest),
      };
      const of = rows.length > 0 ? describeEndpoints(report, rows) : null;
      const none = 'No endpoint has requests or samples in this selection.';
      renewChildren(
        element,
        of ? printOnPage(of, drawings) : [section('endpoints', 'Endpoints', emptyState(none))],
      );
    },
  };
}

/** @param {string} name @param {Store} store */
function endpointButton(name, store) {
  const { endpoints } = store.get();
  return makeButton(name, () => store.set({ endpoints: toggleEntry(endpoints, name) }), {
    class: 'name mono',
    'aria-pressed': String(endpoints?.includes(name) ?? false),
  });
}

/** CPU by category; the length is the CPU per request. @param {EndpointRow} row @param {number} highest CPU-ms that fill the cell */
function splitBar({ byCategory, cpuMsPerRequest }, highest) {
  if (byCategory.length === 0) return null;
  const whole = shareBar(byCategory, 'split');
  const width = cpuMsPerRequest && highest > 0 ? cpuMsPerRequest.value / highest : 1;
  whole.style.width = `${Math.max(2, width * 100)}%`;
  const words = byCategory.map(({ label, share }) => `${label} ${formatPercent(share)}`).join(', ');
  return h('div', { role: 'img', 'aria-label': words, title: words }, whole);
}
