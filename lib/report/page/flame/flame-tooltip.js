import { h } from '../dom.js';

/** What is told of a box. @typedef {{name: string, place: string, facts: string[]}} BoxFacts */

/** A note beside the pointer. */
export function makeFlameTooltip() {
  const element = h('div', { class: 'tooltip', hidden: true, role: 'presentation' });
  return {
    element,
    hide() {
      element.hidden = true;
    },
    /** @param {BoxFacts} facts @param {{clientX: number, clientY: number}} pointer */
    show({ name, place, facts }, { clientX, clientY }) {
      element.hidden = false;
      element.replaceChildren(
        h('div', { class: 'mono' }, name),
        h('div', { class: 'mono muted' }, place),
        ...facts.map(fact => h('div', {}, fact)),
      );
      const left = Math.min(
        clientX + 14,
        document.documentElement.clientWidth - element.offsetWidth - 8,
      );
      const below = clientY + 18 + element.offsetHeight < window.innerHeight;
      element.style.left = `${Math.max(8, left)}px`;
      element.style.top = `${below ? clientY + 18 : clientY - element.offsetHeight - 10}px`;
    },
  };
}
