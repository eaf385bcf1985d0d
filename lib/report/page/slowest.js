/** A drawer with the slowest requests, of all endpoints or of one: where the time of each went. Its key is `s`. */
import { describeRequest, describeSlow, sortSlowest } from '../../text/slowest.js';
import { printOnPage } from '../print/html.js';
import { h, makeButton } from './dom.js';

/** @import { RequestPart } from '../../run/facts/slow-requests.d.ts' */
/** @import { Model } from './compute/compute.js' */

/** @param {Model} model */
export function makeSlowest(model) {
  const list = h('div', {});
  const close = makeButton('Close', () => element.close());
  const head = h('header', {}, h('h2', {}, 'Slowest requests'), close);
  const element = h('dialog', { class: 'drawer', 'aria-label': 'Slowest requests' }, head, list);
  const open = (/** @type {string | null} */ endpoint) => {
    const all = sortSlowest(model.report, endpoint);
    if (all.length === 0) return;
    const folds = all.map((own, at) => {
      const content = printOnPage(describeRequest(own), { part: drawPart });
      return h('details', { open: at === 0 }, h('summary', {}, describeSlow(own)), content);
    });
    list.replaceChildren(...folds);
    element.showModal();
  };
  document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
    const isTyping = target instanceof Element && target.matches('input, textarea, select');
    if (key !== 's' || isTyping || ctrlKey || metaKey || altKey) return;
    if (element.open) element.close();
    else open(null);
  });
  return {
    element,
    /** @param {string} name of an endpoint */
    buttonOf(name) {
      if (sortSlowest(model.report, name).length === 0) return null;
      const label = { class: 'quiet slowest', 'aria-label': `Slowest requests of ${name}` };
      return makeButton('slowest', () => open(name), label);
    },
  };
}

/** Where a part lies inside of the worker is not known: its bar is hatched. @param {RequestPart & {from: number, share: number}} part */
function drawPart({ startMs, from, share }) {
  const bar = h('div', { class: startMs === null ? 'bar somewhere' : 'bar' });
  bar.style.marginLeft = `${from * 100}%`;
  bar.style.width = `${share * 100}%`;
  return h('div', { class: 'lane' }, bar);
}
