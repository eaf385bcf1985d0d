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
  return h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'run' },
      h('a', { class: 'brand', href: '#summary' }, 'loadflame'),
      what,
      bulletList(facts.filter(Boolean), { class: 'facts' }),
    ),
    h(
      'nav',
      { 'aria-label': 'Sections' },
      named.map(id => h('a', { href: `#${id}` }, nameOf(id))),
    ),
  );
}

/** Says that something ended early. @param {string} title @param {string} text @param {string[]} reasons */
export function renderBanner(title, text, reasons) {
  return h(
    'div',
    { class: 'banner', role: 'note' },
    h('p', {}, h('strong', {}, title), ` ${text}`),
    bulletList(reasons.map(prose)),
  );
}

/**
 * The result, before anything else.
 * @param {object} summary
 * @param {string} summary.about its name for screen readers
 * @param {Child} [summary.lead] stands before the verdict
 * @param {Parameters<typeof renderVerdict>[0]} summary.verdict
 * @param {Section | undefined} summary.aside findings or caveats
 * @param {(Figure | null | undefined)[]} [summary.figures] that a reader looks for first
 */
export function renderSummary({ about, lead, verdict, aside, figures = [] }) {
  return h(
    'section',
    { id: 'summary', 'aria-label': about },
    lead,
    h('div', { class: aside && 'answers' }, renderVerdict(verdict), renderAside(aside)),
    renderFigures(figures),
  );
}

/**
 * @param {object} verdict
 * @param {string} verdict.level a class
 * @param {string} verdict.word
 * @param {string} verdict.headline
 * @param {string[]} verdict.sentences the most important first
 */
function renderVerdict({ level, word, headline, sentences }) {
  return h(
    'div',
    { class: `verdict verdict-${level}` },
    h('p', { class: 'level' }, word),
    h('h1', { class: 'headline' }, prose(headline)),
    shortList(sentences.map(prose), MOST_SENTENCES, { class: 'sentences' }),
  );
}

/** Beside the verdict: findings or caveats, the worst first; each opens to its evidence. @param {Section | undefined} section */
function renderAside(section) {
  if (!section) return null;
  const { id, title, blocks } = section;
  const items = blocks.flatMap(block => (block.kind === 'list' ? block.items : []));
  return h(
    'div',
    { id, class: 'findings-block' },
    h('h2', { id: `${id}-title` }, title),
    shortList(
      items.map(own => printItem(own)),
      MOST_FINDINGS,
      { class: 'items tagged' },
    ),
    blocks.flatMap(block => (block.kind === 'paragraph' ? remark(String(block.text)) : [])),
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
  return h(
    'dl',
    { class: 'figures' },
    figures.map(({ label, value, notes, className = '' }) =>
      h(
        'div',
        {},
        h('dt', {}, label),
        h(
          'dd',
          {},
          h('span', { class: `value ${className}` }, value),
          notes.map(note => h('span', { class: 'note' }, note)),
        ),
      ),
    ),
  );
}
