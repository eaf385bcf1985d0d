/** @import { FlameTree } from './flame-tree.js' */
/** @import { FlameBox } from './flame-boxes.js' */

/**
 * Moving in a flamegraph by keyboard, from box to box that can be seen.
 * @param {HTMLElement} element that has the focus
 * @param {object} picture
 * @param {() => FlameTree | null} picture.tree
 * @param {() => {rows: FlameBox[][], byNode: Map<number, FlameBox>}} picture.layout
 * @param {() => number} picture.focus node that fills the width
 * @param {() => number} picture.selected −1 for none
 * @param {(node: number) => void} picture.select
 * @param {(node: number) => void} picture.zoom
 * @param {() => void} picture.back
 * @param {() => void} picture.reset
 */
export function listenToFlameKeys(element, picture) {
  const down = () => {
    const tree = picture.tree();
    if (!tree) return;
    if (picture.selected() < 0) return picture.select(picture.focus());
    const { byNode } = picture.layout();
    for (const child of Array.from(tree.children(picture.selected())))
      if (byNode.has(child)) return picture.select(child);
  };
  const up = () => {
    const tree = picture.tree();
    if (tree && picture.selected() > 0) picture.select(tree.parent(picture.selected()));
  };
  /** @param {number} step */
  const along = step => {
    const { rows, byNode } = picture.layout();
    const box = byNode.get(picture.selected());
    if (!box) return;
    const row = rows[box.row] ?? [];
    const next = row[row.indexOf(box) + step];
    if (next) picture.select(next.node);
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowDown: down,
    ArrowUp: up,
    ArrowLeft: () => along(-1),
    ArrowRight: () => along(1),
    Enter: () => picture.zoom(Math.max(0, picture.selected())),
    Backspace: picture.back,
    Home: () => picture.select(0),
    Escape: picture.reset,
  };
  element.addEventListener('keydown', event => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
}
