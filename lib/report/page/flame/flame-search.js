import { h, makeButton } from '../dom.js';

/** The field in which a function or file of a flamegraph is searched. @param {(text: string) => void} onInput */
export function makeSearchField(onInput) {
  const input = h('input', {
    type: 'search',
    placeholder: 'Search function or file',
    'aria-label': 'Search function or file in the flamegraph',
    spellcheck: 'false',
  });
  input.addEventListener('input', () => onInput(input.value.trim()));
  return input;
}

/**
 * The search of a report's flamegraph: typing marks matches, and two buttons narrow the selection to the
 * matches or to everything else.
 * @param {object} options
 * @param {(text: string) => void} options.onMark
 * @param {(search: {text: string, without: boolean} | null) => void} options.onSearch
 */
export function makeFlameSearch({ onMark, onSearch }) {
  const changed = () => {
    update();
    onMark(text());
  };
  const input = makeSearchField(changed);
  const found = h('span', { class: 'found', role: 'status' });
  const text = () => input.value.trim();
  /** @type {{text: string, without: boolean} | null} the search in the selection */
  let active = null;
  const buttons = ['Only these', 'Everything but'].map((label, index) =>
    makeButton(label, () => {
      const next = { text: text(), without: index === 1 };
      const again = active?.without === next.without && active.text === next.text;
      onSearch(again || next.text === '' ? null : next);
    }),
  );
  const update = () => {
    for (const [index, button] of buttons.entries()) {
      const isActive = active !== null && active.without === (index === 1);
      button.setAttribute('aria-pressed', String(isActive));
      button.disabled = text() === '' && !isActive;
    }
  };
  input.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || input.value === '') return;
    event.preventDefault();
    input.value = '';
    changed();
    if (active) onSearch(null);
  });
  update();
  return {
    element: h('div', { class: 'flame-search' }, input, buttons, found),
    text,
    /** @param {string} value */
    fill(value) {
      input.value = value;
      update();
    },
    focus: () => input.focus({ preventScroll: true }),
    /** Says what was found. @param {string} words */
    say(words) {
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
