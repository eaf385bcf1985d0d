import { unpackBytes } from '../../../sample-table/unpack.js';
import { h } from '../dom.js';

/** @import { Packed } from '../../../sample-table/sample-table.d.ts' */

/**
 * The viewer of speedscope over the page, without the network: what `speedscope-viewer.js` packed,
 * in a frame.
 * @param {{script: Packed, style: string, notice: string}} viewer
 * @returns {{element: HTMLElement, open: (profile: object, name: string) => Promise<void>}}
 */
export function makeSpeedscopeOverlay(viewer) {
  const title = h('strong', { id: 'speedscope-title' }, 'speedscope');
  const close = h('button', { type: 'button' }, 'Close');
  const dialog = h(
    'dialog',
    { class: 'speedscope', 'aria-labelledby': 'speedscope-title' },
    h('header', {}, title, close),
  );
  close.addEventListener('click', () => dialog.close());
  // a frame that is gone needs no memory
  dialog.addEventListener('close', () => dialog.querySelector('iframe')?.remove());
  return {
    element: dialog,
    async open(profile, name) {
      title.textContent = `speedscope: ${name}`;
      const script = new TextDecoder().decode(await unpackBytes(viewer.script));
      const frame = h('iframe', { title: 'speedscope' });
      frame.srcdoc = '<!doctype html><title>speedscope</title>';
      const loaded = new Promise(done => frame.addEventListener('load', done, { once: true }));
      dialog.append(frame);
      dialog.showModal();
      await loaded;
      const inner = frame.contentWindow;
      const document = frame.contentDocument;
      if (!inner || !document) return;
      document.documentElement.lang = 'en';
      document.head.append(
        document.createComment(viewer.notice),
        // it adds its own rules to a style element of this name
        fillFrame(document, 'style', viewer.style, { 'data-aphrodite': '' }),
      );
      document.body.append(fillFrame(document, 'script', script));
      const input = document.querySelector('input[type=file]');
      if (!input) return;
      // left heavy: the order of its first view would be one of time, which merged stacks do not have
      inner.dispatchEvent(new KeyboardEvent('keypress', { key: '2' }));
      // as if the reader had chosen the file: the viewer has no other door for data from a page
      const files = new DataTransfer();
      files.items.add(new File([JSON.stringify(profile)], `${name}.speedscope.json`));
      /** @type {HTMLInputElement} */ (input).files = files.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
      inner.addEventListener('keydown', event => {
        const isTyping = document.activeElement?.tagName === 'INPUT';
        if (event.key === 'Escape' && !isTyping) dialog.close();
      });
      inner.focus();
    },
  };
}

/** @param {Document} document @param {'style' | 'script'} tag @param {string} text @param {Record<string, string>} [attributes] */
function fillFrame(document, tag, text, attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}
