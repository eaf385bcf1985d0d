/** Calls to databases and other services: counts what a selection changes. The words come from `text/`. */
import { formatNumberOf } from '../../format.js';
import { nameCall, nameCaller, shortenCall } from '../../text/calls.js';
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
export function makeCalls(model) {
  const element = h('div', {});
  let most = MOST_STATEMENTS;
  /** @type {Pick<Computed, 'calls'>} */
  let shown = { calls: null };
  /** @param {Pick<Computed, 'calls'>} computed */
  const show = computed => {
    shown = computed;
    const { calls } = computed;
    const { report } = model;
    const ofRun = callsOfRun(report);
    if (!ofRun || ofRun.statements.length === 0) return element.replaceChildren();
    const all = calls ?? ofRun;
    const count = all.statements.length;
    const described = describeCalls(report, { ...all, statements: all.statements.slice(0, most) });
    const printed = printOnPage(described, DRAWINGS);
    const showAll = () => {
      most = Infinity;
      show(shown);
    };
    const label = `Show all of ${formatNumberOf(count, 'statement')}`;
    if (count > most) printed[0]?.append(makeButton(label, showAll, { class: 'quiet' }));
    renewChildren(element, printed);
  };
  return { element, show };
}

const DRAWINGS = {
  /** Its text, and the line that sends it. @param {StatementRow} row */
  statement(row) {
    const text = nameCall(row);
    const short = shortenCall(row);
    const from = [nameCaller(row), row.function, row.relation].filter(Boolean).join(' · ');
    const isLong = text.length > LONG;
    const begins = short.length > BEGINNING ? `${short.slice(0, BEGINNING)}…` : short;
    const name = mono(isLong ? begins : text);
    return [
      isLong ? fold(name, { class: 'statement' }, h('pre', { tabindex: 0 }, text)) : name,
      h('div', { class: 'from' }, muted(from)),
    ];
  },
};
