import { h } from '../dom.js';

/**
 * The search box of a flamegraph: typing marks, and two buttons narrow the selection to what was
 * found or to everything else.
 * @param {object} options
 * @param {(text: string) => void} options.onMark
 * @param {(search: {text: string, without: boolean} | null) => void} options.onSearch
 */
export function makeFlameSearch({ onMark, onSearch }) {
  const input = h('input', {
    type: 'search',
    placeholder: 'Search function or file',
    'aria-label': 'Search function or file in the flamegraph',
    spellcheck: 'false',
  });
  const found = h('span', { class: 'found', role: 'status' });
  const only = h('button', { type: 'button', 'aria-pressed': 'false' }, 'Only these');
  const without = h('button', { type: 'button', 'aria-pressed': 'false' }, 'Everything but');
  const text = () => input.value.trim();
  /** @type {{text: string, without: boolean} | null} what the selection has */
  let active = null;
  const update = () => {
    for (const button of [only, without]) {
      const isActive = active !== null && active.without === (button === without);
      button.setAttribute('aria-pressed', String(isActive));
      button.disabled = text() === '' && !isActive;
    }
  };
  for (const button of [only, without]) {
    button.addEventListener('click', () => {
      const next = { text: text(), without: button === without };
      const again = active?.without === next.without && active.text === next.text;
      onSearch(again || next.text === '' ? null : next);
    });
  }
  const changed = () => {
    update();
    onMark(text());
  };
  input.addEventListener('input', changed);
  input.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || input.value === '') return;
    event.preventDefault();
    input.value = '';
    changed();
    if (active) onSearch(null);
  });
  update();
  return {
    element: h('div', { class: 'flame-search' }, input, only, without, found),
    text,
    /** @param {string} value */
    fill(value) {
      input.value = value;
      update();
    },
    focus: () => input.focus({ preventScroll: true }),
    /** Says what was found. @param {string} words */
    tell(words) {
      found.textContent = words;
    },
    /** The search that is part of the selection now. @param {{text: string, without: boolean} | null} search */
    show(search) {
      if (search && search.text !== active?.text) input.value = search.text;
      active = search;
      update();
    },
  };
}
