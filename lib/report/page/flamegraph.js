import { formatCount, formatNumberOf, formatPercent } from '../../format.js';
import { h, section, swatch } from './dom.js';
import { MIXED } from './flame-colors.js';
import { makeFlameView } from './flame-view.js';

/** @import { ProfileReport, Report } from '../../analysis/report.d.ts' */

/**
 * The interactive flamegraph, root at the top.
 * @param {Report} report
 * @returns {{element: HTMLElement | null, find: (text: string) => void}} `find` searches and comes
 *   into view; there is no element without a profile, the section before it says why
 */
export function renderFlamegraph({ profile }) {
  if (!profile || profile.flame.frame.length < 2) return { element: null, find: () => {} };
  const graph = makeFlameView(profile);
  const search = h('input', {
    type: 'search',
    placeholder: 'Search function or file',
    'aria-label': 'Search function or file',
    spellcheck: 'false',
  });
  const found = h('span', { class: 'found', role: 'status' });
  const runSearch = () => {
    const result = graph.search(search.value.trim());
    found.textContent = result
      ? `${formatPercent(result.share)} of samples, ${formatNumberOf(result.count, 'box', 'boxes')}`
      : '';
  };
  search.addEventListener('input', runSearch);
  search.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    search.value = '';
    runSearch();
  });
  const reset = h('button', { type: 'button' }, 'Show all');
  reset.addEventListener('click', () => graph.reset());
  const element = section(
    'flamegraph',
    'Flamegraph',
    h(
      'p',
      { class: 'lede' },
      `${formatCount(profile.samples.active)} active samples of the workers, waiting taken out. The wider a box, the more CPU; what it calls hangs under it, heaviest on the left.`,
    ),
    h('div', { class: 'flame-tools' }, search, reset, found),
    renderLegend(profile, graph),
    graph.element,
  );
  return {
    element,
    find(text) {
      search.value = text;
      graph.reset();
      runSearch();
      element.scrollIntoView();
      search.focus({ preventScroll: true });
    },
  };
}

/** @param {ProfileReport} profile @param {{toggle: (category: number) => boolean}} graph */
function renderLegend({ categories }, graph) {
  const buttons = categories.map(({ label, color, share }, index) => {
    const button = h(
      'button',
      { type: 'button', class: 'quiet', 'aria-pressed': 'true' },
      swatch(color),
      label,
      h('span', { class: 'muted' }, formatPercent(share.value)),
    );
    button.addEventListener('click', () =>
      button.setAttribute('aria-pressed', String(graph.toggle(index))),
    );
    return button;
  });
  const mixed = h('span', { class: 'mixed muted' }, swatch(MIXED), 'several');
  return h(
    'div',
    { class: 'flame-legend', role: 'group', 'aria-label': 'Categories; press to grey one out' },
    buttons,
    mixed,
  );
}
