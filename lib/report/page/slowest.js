/** A drawer with the slowest requests, of all endpoints or of some: where the time of each went. Its key is `s`. */
import { describeRequest, describeSlow, sortSlowest } from '../../text/slowest.js';
import { printOnPage } from '../print/html.js';
import { h, makeButton } from './dom.js';

/** @import { RequestPart, SlowRequest } from '../../run/facts/slow-requests.d.ts' */
/** @import { Model } from './compute/compute.js' */

/** Beside more of them a mark could not be met. */
const MOST_MARKS = 10;

/** @param {Model} model */
export function makeSlowest(model) {
  const list = h('div', {});
  const close = makeButton('Close', () => element.close());
  const head = h('header', {}, h('h2', {}, 'Slowest requests'), close);
  const element = h('dialog', { class: 'drawer', 'aria-label': 'Slowest requests' }, head, list);
  /** @param {string[] | null} endpoints null: all @param {SlowRequest} [first] what is unfolded; else the slowest */
  const open = (endpoints, first) => {
    const all = sortSlowest(model.report, endpoints);
    if (all.length === 0) return;
    const folds = all.map(own => {
      const content = printOnPage(describeRequest(own), { part: drawPart });
      const isOpen = own === (first ?? all[0]);
      return h('details', { open: isOpen }, h('summary', {}, describeSlow(own)), content);
    });
    list.replaceChildren(...folds);
    element.showModal();
    list.querySelector('details[open]')?.scrollIntoView({ block: 'nearest' });
  };
  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    const isTyping = target instanceof Element && target.matches('input, textarea, select');
    if (key !== 's' || isTyping || ctrlKey || metaKey || altKey) return;
    if (element.open) element.close();
    else open(null);
  });
  return {
    element,
    /** @param {string} name of an endpoint @param {string | null} longest its longest time */
    buttonOf(name, longest) {
      if (sortSlowest(model.report, [name]).length === 0) return longest;
      const about = `Slowest requests of ${name}`;
      const label = { class: 'slowest', title: about, 'aria-label': about };
      return makeButton(longest ?? 'slowest', () => open([name]), label);
    },
    /**
     * The slowest ones as buttons for a chart of latencies. They are not in the order of tabs: the drawer has a key.
     * @param {string[] | null} endpoints null: all
     * @returns {{request: SlowRequest, button: HTMLElement}[]}
     */
    marksOf: endpoints =>
      sortSlowest(model.report, endpoints)
        .slice(0, MOST_MARKS)
        .map(request => {
          const about = describeSlow(request);
          const names = { class: 'slow-mark', title: about, 'aria-label': about, tabindex: -1 };
          return { request, button: makeButton('', () => open(endpoints, request), names) };
        }),
  };
}

/** Where a part lies inside of the worker is not known: its bar is hatched. @param {RequestPart & {from: number, share: number}} part */
function drawPart({ startMs, from, share }) {
  const bar = h('div', { class: startMs === null ? 'bar somewhere' : 'bar' });
  bar.style.marginLeft = `${from * 100}%`;
  bar.style.width = `${share * 100}%`;
  return h('div', { class: 'lane' }, bar);
}
