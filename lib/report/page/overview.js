/** The top of every page: the bar, what is missing, the verdict and the key figures. */
import { capitalize } from '../../text/words.js';
import { printItem } from '../print/html.js';
import { bulletList, h, prose, remark, shortList } from './dom.js';

/** @import { Section } from '../../text/document/document.d.ts' */
/** @import { Child } from './dom.js' */

/** Sentences in the verdict; a click shows the others. */
const MOST_SENTENCES = 5;
/** The same of findings. */
const MOST_FINDINGS = 4;

/**
 * The bar: what was measured, and ways to the sections.
 * @param {Child} what
 * @param {Child[]} facts
 * @param {string[]} ids of the page's sections, in their order
 */
export function renderTop(what, facts, ids) {
  const named = ids.filter(id => id !== '' && id !== 'summary');
  const nameOf = (/** @type {string} */ id) => capitalize(id.replaceAll('-', ' '));
  const links = named.map(id => h('a', { href: `#${id}` }, nameOf(id)));
  const brand = h('a', { class: 'brand', href: '#summary' }, 'loadflame');
  const known = bulletList(facts.filter(Boolean), { class: 'facts' });
  const run = h('div', { class: 'run' }, brand, what, known);
  return h('header', { class: 'top' }, run, h('nav', { 'aria-label': 'Sections' }, links));
}

/**
 * Says that something ended early.
 * @param {string} title
 * @param {string} text
 * @param {string[]} reasons
 */
export function renderBanner(title, text, reasons) {
  const head = h('p', {}, h('strong', {}, title), ` ${text}`);
  return h('div', { class: 'banner', role: 'note' }, head, bulletList(reasons.map(prose)));
}

/**
 * The result, before anything else.
 * @param {object} summary
 * @param {string} summary.about its name for screen readers
 * @param {Child} [summary.lead] stands before the verdict
 * @param {Parameters<typeof renderVerdict>[0]} summary.verdict
 * @param {Section | undefined} [summary.actions] what to do first
 * @param {Section | undefined} summary.aside findings or caveats
 * @param {(Figure | null | undefined)[]} [summary.figures] that a reader looks for first
 */
export function renderSummary({ about, lead, verdict, actions, aside, figures = [] }) {
  const answers = [renderVerdict(verdict, actions), renderAside(aside)];
  const shown = [lead, h('div', { class: aside && 'answers' }, answers), renderFigures(figures)];
  return h('section', { id: 'summary', 'aria-label': about }, shown);
}

/**
 * @param {object} verdict
 * @param {string | null} [verdict.doubt] what spoils the measurement
 * @param {string} verdict.level a class
 * @param {string} verdict.word
 * @param {string} verdict.headline
 * @param {string[]} verdict.sentences the most important first
 * @param {Section | undefined} actions
 */
function renderVerdict({ doubt, level, word, headline, sentences }, actions) {
  return h(
    'div',
    { class: `verdict verdict-${level}` },
    doubt && h('p', { class: 'doubt' }, prose(doubt)),
    h('p', { class: 'level' }, word),
    h('h1', { class: 'headline' }, prose(headline)),
    shortList(sentences.map(prose), MOST_SENTENCES, { class: 'sentences' }),
    renderAside(actions),
  );
}

/** Beside the verdict: findings or caveats, the worst first; each opens to its evidence. @param {Section | undefined} section */
function renderAside(section) {
  if (!section) return null;
  const { id, title, blocks } = section;
  const lists = blocks.flatMap(block => (block.kind === 'list' ? block : []));
  const printed = lists.flatMap(({ items }) => items.map(own => printItem(own)));
  const few = Math.min(...lists.map(({ most = MOST_FINDINGS }) => most), MOST_FINDINGS);
  return h(
    'div',
    { id, class: 'findings-block' },
    h('h2', { id: `${id}-title` }, title),
    shortList(printed, few, { class: 'items tagged' }),
    blocks.flatMap(block => (block.kind === 'paragraph' ? remark(prose(String(block.text))) : [])),
  );
}

/**
 * @typedef {object} Figure
 * @property {string} label
 * @property {string} value
 * @property {string[]} notes
 * @property {string} [className] of the value
 */

/** @param {(Figure | null | undefined)[]} all */
function renderFigures(all) {
  const figures = all.filter(figure => !!figure);
  if (figures.length === 0) return null;
  const shown = figures.map(({ label, value, notes, className = '' }) => {
    const below = notes.map(note => h('span', { class: 'note' }, note));
    const amount = h('span', { class: `value ${className}` }, value);
    return h('div', {}, h('dt', {}, label), h('dd', {}, amount, below));
  });
  return h('dl', { class: 'figures' }, shown);
}
