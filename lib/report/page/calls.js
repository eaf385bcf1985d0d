/** Calls to databases and other services: counts what a selection changes. The words come from `text/`. */
import { formatNumberOf } from '../../format.js';
import { nameCall, nameCaller } from '../../text/calls.js';
import { callsOfRun, describeCalls } from '../../text/document/run-calls.js';
import { printOnPage } from '../print/html.js';
import { fold, h, makeButton, mono, muted, renewChildren } from './dom.js';

/** @import { StatementRow } from '../../text/document/run-calls.js' */
/** @import { Computed, Model } from './compute/compute.js' */

/** A button shows the others; they are not printed without it. */
const MOST_STATEMENTS = 25;
/** Longer text is folded; its beginning, without the columns of a SELECT, stays visible. */
const LONG = 120;
const BEGINNING = 200;

/** @param {Model} model */
export function makeCalls({ report }) {
  const element = h('div', {});
  let most = MOST_STATEMENTS;
  /** @param {Pick<Computed, 'calls'>} computed */
  const show = ({ calls }) => {
    const ofRun = callsOfRun(report);
    if (!ofRun) return element.replaceChildren();
    const all = calls ?? ofRun;
    const count = all.statements.length;
    const described = describeCalls(report, { ...all, statements: all.statements.slice(0, most) });
    const printed = printOnPage(described, DRAWINGS);
    const showAll = () => {
      most = Infinity;
      show({ calls });
    };
    const label = `Show all of ${formatNumberOf(count, 'statement')}`;
    if (count > most) printed[0]?.append(makeButton(label, showAll, { class: 'quiet' }));
    renewChildren(element, printed);
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
