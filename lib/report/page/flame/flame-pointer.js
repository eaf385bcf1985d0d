import { boxAt } from './flame-boxes.js';
import { makeFlameTooltip } from './flame-tooltip.js';

/** @import { FlameBox } from './flame-boxes.js' */
/** @import { BoxFacts } from './flame-tooltip.js' */

/**
 * Moving in a flamegraph by pointer or finger: a note beside it, and a click that zooms.
 * @param {HTMLCanvasElement} canvas
 * @param {object} picture
 * @param {HTMLElement} picture.scroller
 * @param {number} picture.rowHeight
 * @param {() => FlameBox[][]} picture.rows
 * @param {(node: number) => BoxFacts | null} picture.describe
 * @param {(node: number) => void} picture.zoom
 * @param {() => void} picture.draw
 */
export function listenToFlamePointer(canvas, picture) {
  const tooltip = makeFlameTooltip();
  let hovered = -1;
  /** @param {MouseEvent} event */
  const under = event => {
    const place = picture.scroller.getBoundingClientRect();
    const y = event.clientY - place.top + picture.scroller.scrollTop;
    const row = Math.floor(y / picture.rowHeight);
    return boxAt(picture.rows(), row, event.clientX - place.left)?.node ?? -1;
  };
  /** @param {PointerEvent} event */
  const hover = event => {
    // a finger that moves scrolls
    const node = event.type === 'pointermove' && event.pointerType !== 'touch' ? under(event) : -1;
    const facts = node < 0 ? null : picture.describe(node);
    if (facts) tooltip.show(facts, event);
    else tooltip.hide();
    if (node === hovered) return;
    hovered = node;
    picture.draw();
  };
  canvas.addEventListener('pointermove', hover);
  canvas.addEventListener('pointerleave', hover);
  canvas.addEventListener('click', event => {
    const node = under(event);
    if (node >= 0) picture.zoom(node);
  });
  return {
    element: tooltip.element,
    /** node under the pointer, or −1 */
    hovered: () => hovered,
    /** Forgets where the pointer was: the boxes are others. */
    forget() {
      hovered = -1;
      tooltip.hide();
    },
  };
}
