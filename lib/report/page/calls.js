/** Calls to databases and other services: counts what a selection changes. The words come from `text/`. */
import { nameCall, nameCaller } from '../../text/calls.js';
import { callsOfRun, describeCalls } from '../../text/document/run-calls.js';
import { printOnPage } from '../print/html.js';
import { fold, h, mono, muted, renewChildren } from './dom.js';

/** @import { StatementRow } from '../../text/document/run-calls.js' */
/** @import { Computed, Model } from './compute/compute.js' */

/** Longer text is folded; its beginning, without the columns of a SELECT, stays visible. */
const LONG = 120;
const BEGINNING = 90;

/** @param {Model} model */
export function makeCalls({ report }) {
  const element = h('div', {});
  /** @param {Pick<Computed, 'calls'>} computed */
  const show = ({ calls }) => {
    const ofRun = callsOfRun(report);
    if (!ofRun) return element.replaceChildren();
    renewChildren(element, printOnPage(describeCalls(report, calls ?? ofRun), DRAWINGS));
  };
  return { element, show };
}

const DRAWINGS = {
  /** Its text, and the line that sends it. @param {StatementRow & {short: string}} row */
  statement(row) {
    const text = nameCall(row);
    const { short } = row;
    const from = [nameCaller(row), row.function, row.relation].filter(Boolean).join(' · ');
    const begins = short.length > BEGINNING ? `${short.slice(0, BEGINNING)}…` : short;
    const whole = h('pre', { tabindex: 0 }, text);
    return [
      text.length > LONG ? fold(mono(begins), { class: 'statement' }, whole) : mono(text),
      h('div', { class: 'from' }, muted(from)),
    ];
  },
};
